"""What a proposal amounts to once it is merged: the policy ref may have moved on meanwhile.

A branch that was begun earlier still holds the old bytes of everything that changed on the policy
ref since. Those are no part of the proposal: merging keeps the newer ones.
"""

from collections.abc import Mapping
from typing import TypeVar

from agentpolicy.documents.document import Snapshot
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.repository import Repository, text_of
from agentpolicy.loading.snapshot import ReadCache
from agentpolicy.workflows.policy_chain import PolicyChain
from agentpolicy.workflows.snapshots import guarded_by, snapshot_at

_Held = TypeVar("_Held")


def as_landed(
    repository: Repository,
    objects: Objects,
    chain: PolicyChain,
    proposed: Snapshot,
    cache: ReadCache,
    head: str = "HEAD",
) -> Snapshot:
    """Give what would stand at the policy ref after merging a proposal that `head` leads to.

    A file that only the policy ref has changed since the two parted is taken from there. One that
    both changed stays as it is proposed: it replaces what stands there, and is judged so.

    Raises:
        UndecidedError: git cannot read the commits.
    """
    tip = chain.tip
    if tip is None:
        return proposed
    parted = parted_at(repository, head, tip.oid)
    if parted is None or parted == tip.oid:
        return proposed
    guarded = guarded_by(chain.state)
    now = snapshot_at(objects, tip, guarded, cache)
    before = snapshot_at(objects, objects.commit(parted), guarded, cache)
    return merged(before, now, proposed)


def parted_at(repository: Repository, one: str, other: str) -> str | None:
    """Give the commit where two histories parted; None where they never met."""
    code, out = repository.try_run("merge-base", one, other)
    return None if code else text_of(out).strip()


def merged(before: Snapshot, ours: Snapshot, theirs: Snapshot) -> Snapshot:
    """Merge whole files: theirs wherever they changed something, ours everywhere else."""
    sides = (before, ours, theirs)
    paths = {
        path
        for side in sides
        for held in (side.digests, side.unreadable, side.approvals, side.guarded)
        for path in held
    }
    kept = frozenset(path for path in paths if _at(theirs, path) == _at(before, path))
    return Snapshot(
        _picked(kept, ours.documents, theirs.documents),
        _picked(kept, ours.unreadable, theirs.unreadable),
        _picked(kept, ours.digests, theirs.digests),
        _picked(kept, ours.approvals, theirs.approvals),
        _picked(kept, ours.guarded, theirs.guarded),
    )


def _at(side: Snapshot, path: str) -> tuple[object, ...]:
    held = (side.digests, side.unreadable, side.approvals, side.guarded)
    return tuple(one.get(path) for one in held)


def _picked(
    kept: frozenset[str], ours: Mapping[str, _Held], theirs: Mapping[str, _Held]
) -> Mapping[str, _Held]:
    return {path: held for path, held in ours.items() if path in kept} | {
        path: held for path, held in theirs.items() if path not in kept
    }
