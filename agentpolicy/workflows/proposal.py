"""What somebody wants to land: the last admissible state beside the work tree or a commit."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from agentpolicy.admission.commands import INIT
from agentpolicy.admission.guarded import under_one_guard
from agentpolicy.admission.ratifying import with_ratified
from agentpolicy.admission.requirements import Requirement, requirements
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.base.instant import Instant
from agentpolicy.documents.document import Snapshot
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.raw import object_id
from agentpolicy.gitio.refs import resolve
from agentpolicy.gitio.repository import Repository
from agentpolicy.loading.schemas import all_schemas
from agentpolicy.loading.snapshot import ReadCache
from agentpolicy.order.change import ChangeReport, DocumentChange
from agentpolicy.order.classify import classify
from agentpolicy.trust.authority import Authority, authority_of
from agentpolicy.trust.pin import Pin
from agentpolicy.workflows.landing import as_landed
from agentpolicy.workflows.policy_chain import PolicyChain, landing_tip, pin_of, walk
from agentpolicy.workflows.policy_steps import by_heart
from agentpolicy.workflows.snapshots import guarded_by, snapshot_at, snapshot_of_worktree


@dataclass(frozen=True, slots=True)
class Proposal:
    """A readable change, and who may sign what of it."""

    pin: Pin
    base: Snapshot
    head: Snapshot
    report: ChangeReport
    before: Authority
    """The roles that count: the base side's, or at the first policy the pinned ones."""
    after: Authority
    requirements: tuple[Requirement, ...]
    blob_of: Callable[[DocumentChange], str | None] = field(repr=False)
    """Names the new bytes of a change as git does."""

    def with_approvals(self, approvals: Mapping[str, bytes]) -> Self:
        """Give the same proposal with other approvals beside it."""
        return replace(self, head=replace(self.head, approvals=approvals))


def proposal_in_worktree(repository: Repository, at: Instant) -> Proposal:
    """Read the work tree as a proposal against the last admissible state it would land on.

    Raises:
        InputError: a document cannot be read; nobody should sign what cannot be read.
        UndecidedError: there is no pin, or history cannot be judged.
    """
    cache = ReadCache()
    pin = pin_of(repository)
    tip, on_policy_ref = landing_tip(repository, pin.policy_ref)
    with Objects(repository) as objects:
        chain = walk(objects, pin, tip, at, cache=cache)
        chain = replace(chain, state=by_heart(chain.state))
        seen = snapshot_of_worktree(repository, guarded_by(chain.state), cache)
        if not on_policy_ref:
            seen = as_landed(repository, objects, chain, seen, cache)

    def blob_of(change: DocumentChange) -> str | None:
        if change.new_sha256 is None:
            return None
        assert repository.top is not None
        data = change.new.data if change.new else (repository.top / change.path).read_bytes()
        return object_id("blob", data, repository.object_format)

    return proposed(chain, seen, at, blob_of)


def proposal_at(
    repository: Repository, commit: str, at: Instant, tracked: str | None = None
) -> Proposal:
    """Read what a commit would bring to the policy ref: to `tracked`, or as it stands here.

    Raises:
        InputError: a document cannot be read.
        UndecidedError: there is no pin, or history cannot be judged.
    """
    cache = ReadCache()
    pin = pin_of(repository)
    tip = resolve(repository, tracked) if tracked else landing_tip(repository, pin.policy_ref)[0]
    with Objects(repository) as objects:
        chain = walk(objects, pin, tip, at, cache=cache)
        chain = replace(chain, state=by_heart(chain.state))
        target = objects.commit(commit)
        seen = snapshot_at(objects, target, guarded_by(chain.state), cache)
        seen = as_landed(repository, objects, chain, seen, cache, commit)
        blobs = {
            path: entry.oid
            for path in (*seen.digests, *seen.guarded)
            if (entry := objects.entry_at(target.tree, path)) is not None
        }

    def blob_of(change: DocumentChange) -> str | None:
        if change.new is not None:
            return object_id("blob", change.new.data, repository.object_format)
        return None if change.new_sha256 is None else blobs[change.path]

    return proposed(chain, seen, at, blob_of)


def proposed(
    chain: PolicyChain,
    seen: Snapshot,
    at: Instant,
    blob_of: Callable[[DocumentChange], str | None],
) -> Proposal:
    """Class what is to land, and say whom it needs.

    Raises:
        InputError: a document cannot be read, or there is no trust root.
    """
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
    return Proposal(chain.pin, base, head, report, before, after, needed, blob_of)
