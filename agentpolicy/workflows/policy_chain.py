"""Walks the policy ref from the pin, judging every step with the one `decide`.

History is the first-parent chain. A step is held against the last admissible state, never
against its parent commit, so that nothing that was slipped in becomes the ground for the next.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from agentpolicy.admission.decide import Admission, StepContext, decide
from agentpolicy.base.errors import Problem, UndecidedError
from agentpolicy.base.instant import Instant
from agentpolicy.documents.document import EMPTY, Snapshot, Value
from agentpolicy.documents.layout import POLICIES, is_governed
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.raw import Commit
from agentpolicy.gitio.refs import resolve
from agentpolicy.gitio.repository import Repository
from agentpolicy.loading.schemas import all_schemas
from agentpolicy.loading.snapshot import ReadCache
from agentpolicy.trust.authority import Authority, authority_of
from agentpolicy.trust.pin import Pin
from agentpolicy.workflows.snapshots import snapshot_at

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

    @property
    def tip(self) -> Commit | None:
        """The newest commit; None where the ref does not exist yet."""
        return self.commits[-1] if self.commits else None

    @property
    def authority(self) -> Authority | None:
        """The roles in force at the last admissible state."""
        return authority_of(self.state.roles) if self.state.roles else None

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
                "no trust root is pinned, so nothing is in force",
                f"git config {PIN_SETTING} PIN   (the pin is printed by `agentpolicy init`)",
            )
        )
    try:
        return Pin.parse(text)
    except ValueError as error:
        raise UndecidedError(
            Problem("bad-pin", str(error), f"git config {PIN_SETTING} PIN")
        ) from error


def walk(
    objects: Objects,
    pin: Pin,
    tip: str | None,
    at: Instant,
    *,
    entering: frozenset[str] = frozenset(),
    cache: ReadCache | None = None,
) -> PolicyChain:
    """Judge every step from the pin to `tip`; None is a ref that does not exist yet.

    Steps in `entering` are judged as they enter, so that lapsed approvals count for nothing.
    Cost: one tree look-up a commit, one `decide` a step that touches what is governed.

    Raises:
        UndecidedError: history is cut short, or does not pass through the pinned commit.
    """
    commits = _commits(objects, pin, tip)
    walker = _Walker(objects, pin, at, ReadCache() if cache is None else cache)
    refused: dict[str, Admission] = {}
    accepted: set[str | None] = {None}
    state_commit: str | None = None
    for commit in commits:
        refusal = walker.take(commit, entering=commit.oid in entering)
        if refusal is None:
            accepted.add(_policies_id(objects, commit))
            state_commit = commit.oid
        else:
            refused[commit.oid] = refusal
    return PolicyChain(
        pin, tuple(commits), refused, walker.state, state_commit, frozenset(accepted)
    )


@dataclass(slots=True)
class _Walker:
    """Goes from step to step, holding the last admissible state."""

    objects: Objects
    pin: Pin
    at: Instant
    cache: ReadCache
    state: Snapshot = EMPTY
    _judged: tuple[str | None, ...] = (None,)
    """Ids of the governed content that was judged last; the same content is not judged twice."""
    _refusal: Admission | None = None

    def take(self, commit: Commit, *, entering: bool) -> Admission | None:
        """Judge one commit; give the refusal, or None when it is admissible."""
        if commit.oid == self.pin.commit:
            self._begin(commit)
        if _governed_ids(self.objects, commit, guarded_by(self.state)) != self._judged:
            head = self._read(commit, self.state)
            step = StepContext(self.pin, all_schemas(), self.at, entering=entering)
            admission = decide(self.state, head, step)
            if admission.admitted:
                self._accept(commit, head)
            self._judged = _governed_ids(self.objects, commit, guarded_by(self.state))
            self._refusal = None if admission.admitted else admission
        return self._refusal

    def _begin(self, commit: Commit) -> None:
        """Take the pinned commit's state as it is: what came before it is not judged."""
        head = self._read(commit, EMPTY)
        if head.roles is not None:
            if head.roles.sha256 != self.pin.roles_sha256:
                raise UndecidedError(
                    Problem(
                        "pin-mismatch",
                        f"the pinned commit {commit.oid} does not hold the pinned trust root",
                        f"git config {PIN_SETTING} PIN",
                    )
                )
            self._accept(commit, head)
        self._judged = _governed_ids(self.objects, commit, guarded_by(self.state))

    def _accept(self, commit: Commit, head: Snapshot) -> None:
        """Move on to a new state, with the guarded files that its own roles name."""
        unchanged = guarded_by(head) == guarded_by(self.state)
        self.state = head if unchanged else self._read(commit, head)

    def _read(self, commit: Commit, roles_of: Snapshot) -> Snapshot:
        return snapshot_at(self.objects, commit, guarded_by(roles_of), self.cache)


def guarded_by(state: Snapshot) -> tuple[str, ...]:
    """List the files outside `policies/` that a state's roles put under the same quorum."""
    listed: Value = state.roles.tree.get("guarded", ()) if state.roles else ()
    assert isinstance(listed, tuple)
    return tuple(str(path) for path in listed)


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
                f"git fetch, then check `git log --first-parent {pin.policy_ref}`",
            )
        )
    beginning = () if pin.commit is None else (objects.commit(pin.commit),)
    return (*beginning, *reversed(newest_first))


def _governed_ids(
    objects: Objects, commit: Commit, guarded: tuple[str, ...]
) -> tuple[str | None, ...]:
    """Name what is governed in a commit by object ids, cheaply and exactly."""
    policies = [entry for entry in objects.tree(commit.tree) if is_governed(entry.name)]
    ids: list[str | None] = [f"{entry.mode} {entry.name} {entry.oid}" for entry in policies]
    for path in guarded:
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
