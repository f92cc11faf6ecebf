"""Looks at everything that keeps a rule from being loosened alone, one thing after another."""

from collections.abc import Callable, Iterator, Sequence

from agentpolicy.base.errors import AgentPolicyError, InputError
from agentpolicy.base.instant import Instant
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.repository import Repository
from agentpolicy.report.checklist import Finding, Standing
from agentpolicy.trust.pin import Pin
from agentpolicy.workflows.codeowners import check_codeowners
from agentpolicy.workflows.doctor.canary import Trial, trial_of, try_far_side, try_locally
from agentpolicy.workflows.doctor.ci_check import ci_check, ci_files
from agentpolicy.workflows.doctor.far_side import FarSide, far_side, server
from agentpolicy.workflows.doctor.local_hooks import local_hooks
from agentpolicy.workflows.doctor.log_there import log_there
from agentpolicy.workflows.doctor.people import people
from agentpolicy.workflows.doctor.pin_source import pin_source
from agentpolicy.workflows.policy_chain import PolicyChain, chain_at_policy_ref, pin_of
from agentpolicy.workflows.snapshots import guarded_by

Try = Callable[[Trial], Iterator[Finding]]


def examine(repository: Repository, at: Instant) -> tuple[Finding, ...]:
    """Look at hooks, pin, policy, server, CI, log, people and routing, then try a canary.

    Raises:
        UndecidedError: git cannot read its configuration.
    """
    return tuple(_findings(repository, at))


def _findings(repository: Repository, at: Instant) -> Iterator[Finding]:
    if repository.bare:
        yield from _as_server(repository, at)
        return
    yield from local_hooks(repository)
    yield from pin_source(repository)
    pin = _pin(repository)
    chain, found = _policy(repository, at)
    yield found
    state = chain.state if chain else None
    side = far_side(repository, pin)
    yield from server(side, checked_by_ci=bool(ci_files(repository)))
    yield from ci_check(repository, side, guarded_by(state) if state else None)
    yield from log_there(repository, state)
    if state is not None and state.roles is not None:
        yield from people(state)
    yield from _routing(repository)
    places: list[tuple[Repository, Try]] = [(repository, try_locally)]
    places += [(side.repository, try_far_side)] if side and side.repository else []
    yield from _canary(places, pin)


def _as_server(repository: Repository, at: Instant) -> Iterator[Finding]:
    """Look at a repository without a work tree as the place that others push to."""
    yield from pin_source(repository)
    chain, found = _policy(repository, at)
    yield found
    here = FarSide(str(repository.git_dir), repository)
    yield from server(here, checked_by_ci=False)
    yield from log_there(repository, chain.state if chain else None)
    if chain is not None and chain.state.roles is not None:
        yield from people(chain.state)
    yield from _canary([(repository, try_far_side)], chain.pin if chain else _pin(repository))


def _pin(repository: Repository) -> Pin | None:
    try:
        return pin_of(repository)
    except AgentPolicyError:
        return None


def _policy(repository: Repository, at: Instant) -> tuple[PolicyChain | None, Finding]:
    """Judge the policy ref: whatever the hooks did, a refused tip says that something got past."""
    try:
        with Objects(repository) as objects:
            chain = chain_at_policy_ref(repository, objects, at)
    except AgentPolicyError as error:
        (problem, *_) = error.problems
        why = "no verdict can be had from it"
        return None, Finding("policy", Standing.UNKNOWN, problem.message, why, problem.hint)
    ref = chain.pin.policy_ref
    if chain.tip is None or chain.state_commit is None:
        return chain, Finding("policy", Standing.NOTE, f"no policy has landed on {ref} yet")
    refused = chain.admission_of(chain.tip.oid)
    if refused is None:
        return chain, Finding("policy", Standing.WELL, f"{ref} is admissible at its tip")
    (problem, *_) = refused.problems
    what = f"the tip of {ref} is not admissible: {problem.message}"
    why = "it got past what should have refused it; no verdict can be had from it"
    return chain, Finding("policy", Standing.UNPROTECTED, what, why, problem.hint)


def _routing(repository: Repository) -> Iterator[Finding]:
    try:
        problems = check_codeowners(repository)
    except InputError as error:
        problems = error.problems
    if not problems:
        what = "CODEOWNERS asks the people that roles.yaml names"
        yield Finding("routing", Standing.WELL, what)
    for problem in problems:
        where = f"{problem.position or problem.document}: " if problem.document else ""
        why = "the people who must sign are not asked; nothing lands without them all the same"
        yield Finding("routing", Standing.NOTE, f"{where}{problem.message}", why, problem.hint)


def _canary(places: Sequence[tuple[Repository, Try]], pin: Pin | None) -> Iterator[Finding]:
    """Try the canary wherever a hook of ours stands."""
    trials = [(trial_of(place, pin.policy_ref), run) for place, run in places] if pin else []
    if not any(trial for trial, _ in trials):
        what = "no loosening was tried: no policy has landed under a pin yet"
        why = "whether one is refused shows only against a policy"
        yield Finding("canary", Standing.UNKNOWN, what, why, "agentpolicy check --staged")
        return
    tried = [found for trial, run in trials if trial for found in _tried(trial, run)]
    if not tried:
        why = "a loosening that nobody approved meets nothing before the gate"
        what = "no hook is installed that could refuse a loosening"
        tried = [Finding("canary", Standing.UNPROTECTED, what, why, "agentpolicy hook install")]
    yield from tried


def _tried(trial: Trial, run: Try) -> Iterator[Finding]:
    """Run one trial; what keeps it from being tried is an answer too."""
    try:
        yield from run(trial)
    except AgentPolicyError as error:
        (problem, *_) = error.problems
        why = "whether a loosening is refused could not be tried"
        yield Finding("canary", Standing.UNKNOWN, problem.message, why, problem.hint)
