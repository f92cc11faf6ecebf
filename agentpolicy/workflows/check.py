"""May this change land? The question of `check`, asked of the index or of two commits."""

from agentpolicy.admission.commands import INIT
from agentpolicy.admission.decide import Admission, StepContext, decide
from agentpolicy.base.errors import Problem, UndecidedError
from agentpolicy.base.instant import Instant
from agentpolicy.base.values import dataclass, replace
from agentpolicy.documents.document import EMPTY, DocumentKind, Snapshot
from agentpolicy.documents.layout import POLICIES, kind_of
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.repository import Repository
from agentpolicy.loading.schemas import all_schemas
from agentpolicy.loading.snapshot import ReadCache
from agentpolicy.workflows.fetching import commit_named
from agentpolicy.workflows.landing import as_landed
from agentpolicy.workflows.one_by_one import Branch, lands_alone
from agentpolicy.workflows.policy_chain import PolicyChain, landing_tip, pin_of, walk, whole_of
from agentpolicy.workflows.snapshots import guarded_by, snapshot_at, snapshot_of_index
from agentpolicy.workflows.taken_back import naming_commits

WAIVER = DocumentKind.WAIVER


@dataclass(frozen=True, slots=True)
class Checked:
    """The answer, and whether the change is on its way onto the policy ref right now."""

    admission: Admission
    on_policy_ref: bool
    alone: str | None = None
    """The commit of an admissible change that would land by itself if they came one by one."""


def check_staged(repository: Repository, at: Instant) -> Checked:
    """Judge what is about to be committed, on whichever branch.

    On the policy ref it is held against that ref; elsewhere against its remote-tracking ref, or
    the local one where there is none, as it would be merged there.
    """
    pin = pin_of(repository)
    cache = ReadCache()
    tip, on_policy_ref = landing_tip(repository, pin.policy_ref)
    with Objects(repository) as objects:
        chain = walk(objects, pin, tip, at, cache=cache)
        guarded = guarded_by(chain.state)
        proposed = snapshot_of_index(repository, objects, guarded, cache, chain.state.approvals)
        if not on_policy_ref:
            proposed = as_landed(repository, objects, chain, proposed, cache)
        return Checked(_decide(repository, objects, chain, proposed, at), on_policy_ref)


def unstaged(repository: Repository) -> bool:
    """Say whether the work tree holds changes of the policies that are not staged."""
    if repository.top is None:
        return False
    out = repository.run("status", "--porcelain=v1", "-z", "-uall", "--", POLICIES)
    return any(line[1:2] not in {b" ", b""} for line in out.split(b"\0"))


def check_commits(repository: Repository, base: str, head: str, at: Instant) -> Checked:
    """Judge the step from one commit of the policy ref's history to the content of another."""
    pin = pin_of(repository)
    cache = ReadCache()
    with Objects(repository) as objects:
        chain = walk(objects, pin, commit_named(repository, base), at, cache=cache)
        target = objects.commit(commit_named(repository, head))
        proposed = snapshot_at(objects, target, guarded_by(chain.state), cache)
        decided = _decide(repository, objects, chain, proposed, at)
        alone = None
        if decided.admitted:
            step = StepContext(pin, all_schemas(), at, entering=True)
            alone = lands_alone(repository, objects, Branch(chain, target, step), cache)
        return Checked(decided, on_policy_ref=True, alone=alone)


def _decide(
    repository: Repository, objects: Objects, chain: PolicyChain, proposed: Snapshot, at: Instant
) -> Admission:
    if proposed == EMPTY and chain.state == EMPTY:
        written = repository.top is not None and (repository.top / POLICIES).is_dir()
        words = "no policy is staged yet" if written else "there are no policies on either side"
        hint = f"git add {POLICIES}" if written else INIT
        raise UndecidedError(Problem("no-policies", words, hint))
    confirmed = _confirmed(repository, objects, chain, proposed, at)
    step = StepContext(chain.pin, all_schemas(), at, entering=True, confirmed=confirmed)
    decided = decide(chain.state, proposed, step)
    problems = naming_commits(repository, decided.problems, chain.state_commit)
    return replace(decided, problems=problems)


def _confirmed(
    repository: Repository, objects: Objects, chain: PolicyChain, proposed: Snapshot, at: Instant
) -> frozenset[str]:
    """Find the verdicts a new waiver may cite; the log is read only where there is a new one."""
    brought = set(proposed.documents) - set(chain.state.documents)
    if chain.authority is None or not any(kind_of(path) is WAIVER for path in brought):
        return frozenset()
    from agentpolicy.workflows.confirmed import confirmed_verdicts  # noqa: PLC0415 - seldom needed

    authority = whole_of(objects, chain, at).authority or chain.authority
    return confirmed_verdicts(repository, authority, at) or frozenset()
