"""Walks the policy ref from the pin, judging every step with the one `decide`.

History is the first-parent chain. A step is held against the last admissible state, never
against its parent commit, so that nothing that was slipped in becomes the ground for the next.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agentpolicy.admission.decide import Admission, StepContext, decide
from agentpolicy.base.errors import Problem, UndecidedError
from agentpolicy.base.instant import Instant
from agentpolicy.documents.document import EMPTY, DocumentKind, Snapshot
from agentpolicy.documents.layout import POLICIES, is_governed, kind_of
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.raw import TREE, Commit
from agentpolicy.gitio.refs import remote_tracking, resolve, standing
from agentpolicy.gitio.repository import Repository
from agentpolicy.loading.schemas import all_schemas
from agentpolicy.loading.snapshot import ReadCache
from agentpolicy.trust.authority import Authority, authority_of
from agentpolicy.trust.pin import Pin
from agentpolicy.workflows.snapshots import guarded_by, snapshot_at

PIN_SETTING = "agentpolicy.root"


@dataclass(frozen=True, slots=True)
class PolicyChain:
    """The judged history of one ref, up to one tip."""

    pin: Pin
    commits: tuple[Commit, ...]
    """From the pin to the tip, oldest first."""
    refused: Mapping[str, Admission]
    """The commits no verdict can be had from, with why."""
    state: Snapshot
    """The last admissible state."""
    state_commit: str | None
    """The last admissible commit; None before the first policy."""
    admissible_policies: frozenset[str | None]
    """The `policies` trees (ids) of all admissible commits."""
    authority: Authority | None
    """The roles in force at the last admissible state; it knows those before it."""

    @property
    def tip(self) -> Commit | None:
        """The newest commit; None where the ref does not exist yet."""
        return self.commits[-1] if self.commits else None

    def admission_of(self, commit: str) -> Admission | None:
        """Say why a commit is refused; None when it is admissible."""
        return self.refused.get(commit)


def pin_of(repository: Repository) -> Pin:
    """Read the pin from outside the repository's content.

    Raises:
        UndecidedError: there is none, or it cannot be read; then nothing is in force.
    """
    text = repository.config(PIN_SETTING)
    if not text:
        raise UndecidedError(
            Problem(
                "no-pin",
                "no trust root is pinned here, so nothing is in force; `agentpolicy init` pins a "
                "new one and prints the pin for other clones",
                f"git config {PIN_SETTING} PIN",
            )
        )
    try:
        return Pin.parse(text)
    except ValueError as error:
        raise UndecidedError(
            Problem("bad-pin", str(error), f"git config {PIN_SETTING} PIN")
        ) from error


def landing_tip(repository: Repository, policy_ref: str) -> tuple[str | None, bool]:
    """Give the commit that what is worked on here would land on, and whether we stand there.

    Elsewhere than on the policy ref it is the remote-tracking one, where there is any.

    Raises:
        UndecidedError: git cannot read its refs.
    """
    tip, on_policy_ref = standing(repository, policy_ref)
    tracked = None if on_policy_ref else remote_tracking(repository, policy_ref)
    if tracked is not None:
        tip = resolve(repository, tracked) or tip
    return tip, on_policy_ref


def walk(
    objects: Objects,
    pin: Pin,
    tip: str | None,
    at: Instant,
    *,
    entering: frozenset[str] = frozenset(),
    confirm: Callable[[], frozenset[str]] | None = None,
    cache: ReadCache | None = None,
) -> PolicyChain:
    """Judge every step from the pin to `tip`; None is a ref that does not exist yet.

    Steps in `entering` are judged as they enter: lapsed approvals count for nothing, and what a
    new waiver cites must be among the verdicts that `confirm` gives.
    Cost: one tree look-up a commit, one `decide` a step that touches what is governed.

    Raises:
        UndecidedError: history is cut short, or does not pass through the pinned commit.
    """
    commits = _commits(objects, pin, tip)
    _read_ahead(objects, commits)
    walker = _Walker(objects, pin, at, ReadCache() if cache is None else cache, confirm)
    refused: dict[str, Admission] = {}
    accepted: set[str | None] = {None}
    state_commit: str | None = None
    roots = _Roots()
    for commit in commits:
        refusal = walker.take(commit, entering=commit.oid in entering)
        if refusal is None:
            accepted.add(_policies_id(objects, commit))
            state_commit = commit.oid
            roots.take(commit.oid, walker.state)
        else:
            refused[commit.oid] = refusal
    return PolicyChain(
        pin,
        tuple(commits),
        refused,
        walker.state,
        state_commit,
        frozenset(accepted),
        roots.authority(),
    )


def _read_ahead(objects: Objects, commits: tuple[Commit, ...]) -> None:
    """Read the trees of all steps in a few questions to git rather than a few a step."""
    objects.prefetch_trees(commit.tree for commit in commits)
    entries = (entry for commit in commits for entry in objects.tree(commit.tree))
    objects.prefetch_folders(
        entry.oid for entry in entries if is_governed(entry.name) and entry.mode == TREE
    )


class _Roots:
    """Collects the trust roots of admissible states, one after another."""

    def __init__(self) -> None:
        self._roots: list[Authority] = []
        self._in_force_at: dict[str, int] = {}

    def take(self, commit: str, state: Snapshot) -> None:
        """Take note of which trust root is in force at an admissible commit."""
        if state.roles is None:
            return
        root = authority_of(state.roles)
        if not self._roots or self._roots[-1].version != root.version:
            self._roots.append(root)
        self._in_force_at[commit] = root.version

    def authority(self) -> Authority | None:
        """Give the newest trust root, which knows the earlier ones."""
        if not self._roots:
            return None
        *earlier, last = self._roots
        return last.following(tuple(earlier), self._in_force_at)


@dataclass(slots=True)
class _Walker:
    """Goes from step to step, holding the last admissible state."""

    objects: Objects
    pin: Pin
    at: Instant
    cache: ReadCache
    confirm: Callable[[], frozenset[str]] | None = None
    state: Snapshot = EMPTY
    _judged: tuple[str | None, ...] = (None,)
    """Ids of the governed content that was judged last; the same content is not judged twice."""
    _refusal: Admission | None = None

    def take(self, commit: Commit, *, entering: bool) -> Admission | None:
        """Judge one commit; give the refusal, or None when it is admissible."""
        if commit.oid == self.pin.commit:
            self._begin(commit)
        if _governed_ids(self.objects, commit, guarded_by(self.state)) != self._judged:
            head = self._read(commit)
            confirmed = self._confirmed(head) if entering else None
            step = StepContext(
                self.pin, all_schemas(), self.at, entering=entering, confirmed=confirmed
            )
            admission = decide(self.state, head, step)
            if admission.admitted:
                self.state = head
            self._judged = _governed_ids(self.objects, commit, guarded_by(self.state))
            self._refusal = None if admission.admitted else admission
        return self._refusal

    def _begin(self, commit: Commit) -> None:
        """Take the pinned commit's state as it is: what came before it is not judged."""
        head = self._read(commit)
        if head.digests or head.approvals or head.unreadable:
            trusted = head.roles is not None and head.roles.sha256 == self.pin.roles_sha256
            if head.roles and not head.unreadable and head.roles.version < self.pin.roles_version:
                # the pinned trust root is to replace this one: until it lands nothing is in force
                self.state = head
                return
            if not trusted or head.unreadable:
                why = "holds what cannot be read" if trusted else "does not hold the pinned root"
                raise UndecidedError(
                    Problem(
                        "pin-mismatch",
                        f"the pinned commit {commit.oid} {why}",
                        f"git config {PIN_SETTING} PIN",
                    ),
                    *(problem for found in head.unreadable.values() for problem in found),
                )
            self.state = head
        self._judged = _governed_ids(self.objects, commit, guarded_by(self.state))

    def _confirmed(self, head: Snapshot) -> frozenset[str] | None:
        """Ask the log only where the step brings a waiver along."""
        brought = set(head.documents) - set(self.state.documents)
        new_waiver = any(kind_of(path) is DocumentKind.WAIVER for path in brought)
        return self.confirm() if self.confirm is not None and new_waiver else None

    def _read(self, commit: Commit) -> Snapshot:
        return snapshot_at(self.objects, commit, guarded_by(self.state), self.cache)


def _commits(objects: Objects, pin: Pin, tip: str | None) -> tuple[Commit, ...]:
    """Give the first-parent chain from the pin to the tip, oldest first."""
    if tip is None:
        return ()
    newest_first = objects.first_parents(tip, pin.commit)
    if newest_first is None:
        raise UndecidedError(
            Problem(
                "pin-not-in-history",
                f"the history of {tip} does not pass through the pinned commit {pin.commit}",
                f"git log --first-parent {pin.policy_ref}",
            )
        )
    beginning = () if pin.commit is None else (objects.commit(pin.commit),)
    return (*beginning, *reversed(newest_first))


def _governed_ids(
    objects: Objects, commit: Commit, guarded: frozenset[str]
) -> tuple[str | None, ...]:
    """Name what is governed in a commit by object ids, cheaply and exactly."""
    policies = [entry for entry in objects.tree(commit.tree) if is_governed(entry.name)]
    ids: list[str | None] = [f"{entry.mode} {entry.name} {entry.oid}" for entry in policies]
    for path in sorted(guarded):
        entry = objects.entry_at(commit.tree, path)
        ids.append(f"{entry.mode} {entry.oid}" if entry else "")
    return tuple(ids) or (None,)


def _policies_id(objects: Objects, commit: Commit) -> str | None:
    entry = objects.entry_at(commit.tree, POLICIES)
    return entry.oid if entry else None


def chain_at_policy_ref(
    repository: Repository, objects: Objects, at: Instant, cache: ReadCache | None = None
) -> PolicyChain:
    """Judge the policy ref that the pin names, as it stands locally."""
    pin = pin_of(repository)
    return walk(objects, pin, resolve(repository, pin.policy_ref), at, cache=cache)
