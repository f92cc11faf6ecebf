"""What somebody wants to land: the last admissible state beside the work tree or the index."""

from dataclasses import dataclass

from agentpolicy.admission.commands import INIT
from agentpolicy.admission.guarded import under_one_guard
from agentpolicy.admission.ratifying import with_ratified
from agentpolicy.admission.requirements import Requirement, requirements
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.base.instant import Instant
from agentpolicy.documents.document import Snapshot
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.repository import Repository
from agentpolicy.loading.schemas import all_schemas
from agentpolicy.loading.snapshot import ReadCache
from agentpolicy.order.change import ChangeReport
from agentpolicy.order.classify import classify
from agentpolicy.trust.authority import Authority, authority_of
from agentpolicy.trust.pin import Pin
from agentpolicy.workflows.policy_chain import chain_at_policy_ref
from agentpolicy.workflows.snapshots import guarded_by, snapshot_of_worktree


@dataclass(frozen=True, slots=True)
class Proposal:
    """A readable change in the work tree, and who may sign what of it."""

    pin: Pin
    base: Snapshot
    head: Snapshot
    report: ChangeReport
    before: Authority
    """The roles that count: the base side's, or at the first policy the pinned ones."""
    after: Authority
    requirements: tuple[Requirement, ...]


def proposal_in_worktree(repository: Repository, at: Instant) -> Proposal:
    """Read the work tree as a proposal against the last admissible state.

    Raises:
        InputError: a document cannot be read; nobody should sign what cannot be read.
        UndecidedError: there is no pin, or history cannot be judged.
    """
    cache = ReadCache()
    with Objects(repository) as objects:
        chain = chain_at_policy_ref(repository, objects, at, cache)
    seen = snapshot_of_worktree(repository, guarded_by(chain.state), cache)
    base, head = under_one_guard(chain.state, seen)
    report = classify(base, head, all_schemas())
    if report.problems:
        raise InputError(*report.problems)
    if head.roles is None:
        raise InputError(Problem("roles-missing", "there is no policies/roles.yaml", INIT))
    after = authority_of(head.roles)
    before = chain.authority or after
    report = with_ratified(base, head, report)
    needed = tuple(requirements(base, report, before, after, at))
    return Proposal(chain.pin, base, head, report, before, after, needed)
