"""Verifies the policy ref's history, and moves the pin forward over what was verified.

Whoever runs it learns which commits are unusable, why, what put them right, and whether anybody
has a verdict from one.
"""

from collections.abc import Sequence
from itertools import groupby

from agentpolicy.admission.commands import sign_command
from agentpolicy.base.errors import InputError, Problem, UndecidedError
from agentpolicy.base.instant import Instant
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.raw import Commit
from agentpolicy.gitio.refs import remote_tracking, resolve, shown_by_remote
from agentpolicy.gitio.repository import Repository
from agentpolicy.loading.snapshot import ReadCache
from agentpolicy.provenance.log import VerifiedLog
from agentpolicy.provenance.query import Found, verdicts_in
from agentpolicy.report.history import Closing, History, Raising, Unusable
from agentpolicy.trust.pin import Pin
from agentpolicy.workflows.audit import log_of
from agentpolicy.workflows.chain_start import verified_state
from agentpolicy.workflows.fetching import commit_named
from agentpolicy.workflows.policy_chain import PIN_SETTING, PolicyChain, pin_of, walk, whole_of


def verify_history(
    repository: Repository, at: Instant, since: str | None, *, whole: bool
) -> History:
    """Judge every commit of the policy ref from where the pin has moved to, or `since` a commit.

    `whole` begins where trust does. When the tip stands, the pin moves forward to it: where the
    pin names a remote only if that shows the same tip now, and never past what was published.

    Raises:
        InputError: `since` names no commit.
        UndecidedError: there is no pin or no history to judge, or it is cut short.
    """
    pin = pin_of(repository)
    tip = resolve(repository, pin.policy_ref)
    with Objects(repository) as objects:
        chain = walk(objects, pin, tip, at, whole=whole, cache=ReadCache())
        first = None if since is None else commit_named(repository, since)
        if first is not None and first not in {commit.oid for commit in chain.commits}:
            chain = whole_of(objects, chain, at)
        if chain.tip is None:
            words = f"{pin.policy_ref} has no commit yet, so there is no history to verify"
            raise UndecidedError(Problem("no-policy", words, sign_command()))
        commits = _behind(chain, first)
        log = _log(repository, objects, chain, commits, at)
        unusable = tuple(_unusable(chain, commits, log))
    return History(
        ref=pin.policy_ref,
        begin=chain.commits[0].oid if first is None else first,
        tip=chain.tip.oid,
        commits=len(commits),
        unusable=unusable,
        restore_from=chain.state_commit,
        log=log,
        raising=_raise(repository, chain),
        authority=chain.authority,
    )


def _behind(chain: PolicyChain, first: str | None) -> Sequence[Commit]:
    """List the commits that are asked about: those behind a commit, or all that were judged."""
    if first is None:
        return chain.commits
    for number, commit in enumerate(chain.commits):
        if commit.oid == first:
            return chain.commits[number + 1 :]
    words = f"{first} is not on the policy ref's first-parent history since trust began"
    hint = f"git log --first-parent {chain.pin.policy_ref}"
    raise InputError(Problem("not-on-policy-ref", words, hint))


def _log(
    repository: Repository,
    objects: Objects,
    chain: PolicyChain,
    commits: Sequence[Commit],
    at: Instant,
) -> VerifiedLog | None:
    """Read the verdict log where there is something to look for in it."""
    if not any(commit.oid in chain.refused for commit in commits):
        return None
    authority = whole_of(objects, chain, at).authority
    return None if authority is None else log_of(repository, authority)


def _unusable(
    chain: PolicyChain, commits: Sequence[Commit], log: VerifiedLog | None
) -> Sequence[Unusable]:
    """Gather the refused commits; those that follow each other for the same reasons are one."""
    refused = [commit for commit in commits if commit.oid in chain.refused]
    runs = groupby(refused, key=lambda commit: id(chain.refused[commit.oid]))
    return [_one(chain, tuple(commit.oid for commit in run), log) for _, run in runs]


def _one(chain: PolicyChain, commits: tuple[str, ...], log: VerifiedLog | None) -> Unusable:
    closed_by = chain.closed_by.get(commits[0])
    return Unusable(
        commits=commits,
        admission=chain.refused[commits[0]],
        closing=None if closed_by is None else Closing(closed_by, closed_by in chain.restored),
        verdicts=_verdicts(commits, log),
    )


def _verdicts(commits: tuple[str, ...], log: VerifiedLog | None) -> tuple[Found, ...]:
    found = () if log is None else verdicts_in(log.records)
    return tuple(one for one in found if one.statement.policy.commit in commits)


def _raise(repository: Repository, chain: PolicyChain) -> Raising:
    """Move the pin forward to a tip that stands, unless somebody else has yet to see it."""
    pin, tip = chain.pin, chain.tip
    assert tip is not None, "a history without a commit was refused"
    if chain.state_commit != tip.oid or chain.state.roles is None:
        return Raising(pin, "the tip is not an admitted policy")
    held = _held_back(repository, pin, tip.oid)
    if held:
        return Raising(pin, held)
    moved = pin.raised_to(verified_state(tip.oid, chain.state))
    if moved == pin:
        return Raising(pin, "")
    try:
        repository.set_config(PIN_SETTING, str(moved))
    except UndecidedError as error:
        return Raising(pin, f"git's configuration cannot be written: {error.problems[0].message}")
    return Raising(moved, "")


def _held_back(repository: Repository, pin: Pin, tip: str) -> str:
    """Say why the pin may not move to a tip yet; empty where it may."""
    if pin.remote is not None:
        if shown_by_remote(repository, pin.remote, pin.policy_ref) == tip:
            return ""
        return f"{pin.remote} does not show this tip"
    tracked = remote_tracking(repository, pin.policy_ref)
    if tracked is not None and resolve(repository, tracked) != tip:
        return f"{tracked} is at another commit, and what is not published may still be rewritten"
    return ""
