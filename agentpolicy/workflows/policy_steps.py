"""Judges one commit after another against the last admissible state, with the one `decide`."""

from collections.abc import Callable, Mapping

from agentpolicy.admission.decide import Admission, StepContext, decide
from agentpolicy.base.instant import Instant
from agentpolicy.base.values import dataclass, field, replace
from agentpolicy.documents.document import EMPTY, DocumentKind, Snapshot
from agentpolicy.documents.layout import APPROVALS, kind_of
from agentpolicy.gitio.approvals_tree import StoredApprovals
from agentpolicy.gitio.lineage import Change, Leaf, Lineage
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.raw import Commit
from agentpolicy.loading.schemas import all_schemas
from agentpolicy.loading.snapshot import ReadCache
from agentpolicy.trust.pin import Pin
from agentpolicy.workflows.snapshots import guarded_at, guarded_by
from agentpolicy.workflows.state_changes import Changes, after_changes, leaf_at, settled


@dataclass(frozen=True, slots=True)
class Standing:
    """An admissible state, and the commit that holds it."""

    commit: Commit
    state: Snapshot
    replaced: bool = False
    """Whether the pinned trust root is to replace this one: until it lands nothing is in force."""


def by_heart(state: Snapshot) -> Snapshot:
    """Read the approvals of a state that a walk gave, so that it can be used after git ended."""
    stored = state.approvals
    read = stored.read_all() if isinstance(stored, StoredApprovals) else stored
    return replace(state, approvals=read)


@dataclass(slots=True)
class Steps:
    """Goes from commit to commit, holding the last admissible state and what differs from it."""

    objects: Objects
    lineage: Lineage
    pin: Pin
    at: Instant
    cache: ReadCache
    confirm: Callable[[], frozenset[str]] | None
    state: Snapshot = EMPTY
    refusal: Admission | None = None
    """Why the commit that was judged last is unusable; None when it is not."""
    restored: bool = False
    """Whether the commit judged last holds exactly the state that was admitted before it."""
    _differs: Changes = field(default_factory=dict)
    """The leaves by which the commit judged last differs from the state."""
    _guarded: Mapping[str, Leaf | None] = field(default_factory=dict)
    """What the state holds at each path that it guards."""
    _guarded_now: Mapping[str, Leaf | None] = field(default_factory=dict)
    """What the commit judged last holds there."""

    def stand_on(self, standing: Standing) -> None:
        """Take a state as admitted: where trust begins, or one that was verified before."""
        self._admit(standing.commit, standing.state)
        if standing.replaced:
            self.refusal = decide(self.state, self.state, self._context(entering=False))

    def take(self, change: Change, *, entering: bool) -> Admission | None:
        """Judge one commit; give the refusal, or None when it is admissible."""
        guarded = self._guarded_in(change)
        if not change.leaves and guarded == self._guarded_now:
            return self.refusal  # the same content is not judged twice
        self._guarded_now = guarded
        self._differs = settled(self._differs, change.leaves)
        head = self._read(change)
        confirmed = self._confirmed(head) if entering else None
        admission = decide(self.state, head, self._context(confirmed, entering=entering))
        self.restored = not admission.report.documents
        if admission.admitted:
            self._admit(change.commit, head)
        else:
            self.refusal = admission
        return self.refusal

    def _admit(self, commit: Commit, state: Snapshot) -> None:
        folder = APPROVALS.removesuffix("/")
        stored = StoredApprovals(self.objects, self.lineage, commit.tree, folder)
        if state.roles is not self.state.roles:
            paths = guarded_by(state)
            self._guarded_now = {path: leaf_at(self.objects, commit.tree, path) for path in paths}
        self._guarded = self._guarded_now
        self._differs = {}
        self.state = replace(state, approvals=stored)
        self.refusal = None

    def _context(self, confirmed: frozenset[str] | None = None, *, entering: bool) -> StepContext:
        schemas = all_schemas()
        return StepContext(self.pin, schemas, self.at, entering=entering, confirmed=confirmed)

    def _guarded_in(self, change: Change) -> Mapping[str, Leaf | None]:
        """Say what a commit holds at the guarded paths; most commits touch none of them."""
        if not any(path.split("/", 1)[0] in change.top for path in self._guarded):
            return self._guarded_now
        tree = change.commit.tree
        return {path: leaf_at(self.objects, tree, path) for path in self._guarded}

    def _read(self, change: Change) -> Snapshot:
        head = after_changes(
            self.objects, self.state, change.commit, self._differs, change.contents, self.cache
        )
        if self._guarded_now == self._guarded and head.roles is self.state.roles:
            return head
        return guarded_at(self.objects, change.commit, replace(head, guarded={}), self._guarded)

    def _confirmed(self, head: Snapshot) -> frozenset[str] | None:
        """Ask the log only where the step brings a waiver along."""
        brought = set(head.documents) - set(self.state.documents)
        new_waiver = any(kind_of(path) is DocumentKind.WAIVER for path in brought)
        return self.confirm() if self.confirm is not None and new_waiver else None
