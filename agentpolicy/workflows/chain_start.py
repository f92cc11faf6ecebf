"""Where a walk along the policy ref may begin: where trust does, or where the pin has moved to."""

from collections.abc import Sequence

from agentpolicy.admission.guarded import guarded_paths
from agentpolicy.base.errors import Problem, UndecidedError
from agentpolicy.base.values import replace
from agentpolicy.documents.document import Snapshot
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.raw import Commit
from agentpolicy.loading.snapshot import ReadCache, read_snapshot
from agentpolicy.trust.pin import Pin, Verified
from agentpolicy.workflows.policy_steps import Standing
from agentpolicy.workflows.snapshots import guarded_at, snapshot_at
from agentpolicy.workflows.state_changes import files_but_approvals

_SET = "git config agentpolicy.root PIN"


def verified_state(commit: str, state: Snapshot) -> Verified:
    """Name a state that was verified, for the pin to move to."""
    own = {path: state.guarded[path] for path in guarded_paths(state.roles) & state.guarded.keys()}
    return Verified(commit, replace(state, guarded=own).identity)


def where_verified(objects: Objects, pin: Pin, mark: Verified, cache: ReadCache) -> Standing:
    """Take the state that the pin has moved to: it was admitted when the pin was moved.

    Raises:
        UndecidedError: the commit is not here, or does not hold that state.
    """
    commit = objects.commit(mark.commit)
    read = read_snapshot(files_but_approvals(objects, commit), {}, cache)
    state = guarded_at(objects, commit, read, ())
    if verified_state(mark.commit, state) != mark:
        words = f"the commit {mark.commit} does not hold the state that the pin was moved to"
        raise UndecidedError(Problem("pin-mismatch", words, _SET))
    return Standing(commit, state, replaced=_is_replaced(state, pin))


def where_trust_begins(objects: Objects, pin: Pin, commit: str, cache: ReadCache) -> Standing:
    """Take the pinned commit's state as it is: what came before it is not judged.

    Raises:
        UndecidedError: it holds another trust root than the pinned one, or cannot be read.
    """
    found = objects.commit(commit)
    state = snapshot_at(objects, found, frozenset(), cache)
    if state.digests or state.approvals or state.unreadable:
        if _is_replaced(state, pin):
            return Standing(found, state, replaced=True)
        trusted = state.roles is not None and state.roles.sha256 == pin.roles_sha256
        if not trusted or state.unreadable:
            why = "holds what cannot be read" if trusted else "does not hold the pinned root"
            raise UndecidedError(
                Problem("pin-mismatch", f"the pinned commit {commit} {why}", _SET),
                *(problem for problems in state.unreadable.values() for problem in problems),
            )
    return Standing(found, state)


def commits_after(objects: Objects, pin: Pin, start: Commit | None, tip: str) -> list[Commit]:
    """List the commits behind a start, down the first parents of a tip, oldest first.

    Raises:
        UndecidedError: the chain does not pass through the start, or is cut short.
    """
    newest_first = objects.first_parents(tip, start.oid if start else None)
    if newest_first is None:
        assert start is not None, "a chain that need not meet anything always ends"
        raise UndecidedError(not_in(pin, start.oid, tip))
    return list(reversed(newest_first))


def require_verified(pin: Pin, commits: Sequence[Commit], tip: str | None) -> None:
    """Insist that a history contains the state that the pin has moved to.

    Raises:
        UndecidedError: it was moved back to before it, or is another history.
    """
    mark = pin.verified
    if mark is not None and all(commit.oid != mark.commit for commit in commits):
        raise UndecidedError(not_in(pin, mark.commit, tip))


def not_in(pin: Pin, commit: str, tip: str | None) -> Problem:
    """Say that a history lacks the commit that it must pass through."""
    if pin.verified is None or commit != pin.verified.commit:
        return Problem(
            "pin-not-in-history",
            f"the history of {tip} does not pass through the pinned commit {commit}",
            f"git log --first-parent {pin.policy_ref}",
        )
    history = f"the history of {tip}" if tip else f"{pin.policy_ref}, which is gone,"
    return Problem(
        "behind-the-pin",
        f"{history} does not pass through {commit}, up to which it was verified before: it was "
        "moved back, or is another history",
        f"git fetch && git merge --ff-only {commit}",
    )


def _is_replaced(state: Snapshot, pin: Pin) -> bool:
    """Say whether the pin names a trust root that is yet to take the place of a state's."""
    roles = None if state.unreadable else state.roles
    return roles is not None and roles.version < pin.roles_version
