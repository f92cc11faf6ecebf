"""The state after a change, from the state before it: only what changed is read."""

from collections.abc import Mapping

from agentpolicy.base.values import replace
from agentpolicy.documents.document import Snapshot
from agentpolicy.documents.layout import APPROVALS, is_governed
from agentpolicy.documents.stored_approvals import Overlay
from agentpolicy.gitio.lineage import Leaf, LeafChange
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.raw import TREE, Commit, File
from agentpolicy.loading.snapshot import PolicyFile, ReadCache, read_snapshot
from agentpolicy.workflows.snapshots import REGULAR, contents_of

Changes = Mapping[str, LeafChange]
"""What differs from a state, by path."""


def after_changes(
    objects: Objects,
    state: Snapshot,
    commit: Commit,
    changes: Changes,
    contents: Mapping[str, bytes],
    cache: ReadCache,
) -> Snapshot:
    """Read what a commit holds, given by which leaves it differs from an admitted state.

    Exactly what reading all of it gives; guarded files are left as they are in `state`.

    Raises:
        UndecidedError: an object cannot be read.
    """
    approvals = {path: one for path, one in changes.items() if path.startswith(APPROVALS)}
    documents = {path: one for path, one in changes.items() if path not in approvals}
    brought = _files(objects, approvals, contents)
    if all(_same_place(state, path, one) for path, one in documents.items()):
        read = read_snapshot((*_files(objects, documents, contents), *brought), {}, cache)
        kept = {path: one for path, one in state.documents.items() if path not in read.unreadable}
        read = replace(
            read,
            documents={**kept, **read.documents},
            digests={**state.digests, **read.digests},
        )
    else:  # a name comes or goes, and names are looked at together
        read = read_snapshot((*files_but_approvals(objects, commit), *brought), {}, cache)
    gone = dict.fromkeys(path for path, one in approvals.items() if path not in read.approvals)
    touched = frozenset(path for path, one in approvals.items() if one.old is not None)
    stored = Overlay(state.approvals, {**gone, **read.approvals}, touched)
    return replace(read, approvals=stored, guarded=state.guarded)


def _same_place(state: Snapshot, path: str, change: LeafChange) -> bool:
    """Say whether a readable document stays a plain file, so that only its bytes may differ."""
    return path in state.documents and change.new is not None and change.new.mode in REGULAR


def _files(
    objects: Objects, changes: Changes, contents: Mapping[str, bytes]
) -> tuple[PolicyFile, ...]:
    new = {path: change.new for path, change in changes.items() if change.new is not None}
    known = {path: leaf for path, leaf in new.items() if leaf.oid in contents}
    unknown = [File(path, *leaf) for path, leaf in new.items() if path not in known]
    read = (PolicyFile(path, leaf.mode, contents[leaf.oid]) for path, leaf in known.items())
    return (*read, *contents_of(objects, unknown))


def files_but_approvals(objects: Objects, commit: Commit) -> tuple[PolicyFile, ...]:
    """Read everything governed but the stored approvals, in git's order."""
    folder = APPROVALS.removesuffix("/")
    leaves: list[File] = []
    for entry in objects.tree(commit.tree):
        if not is_governed(entry.name):
            continue
        if entry.mode != TREE:
            leaves.append(File(entry.name, entry.mode, entry.oid))
            continue
        for below in objects.tree(entry.oid):
            path = f"{entry.name}/{below.name}"
            if below.mode != TREE:
                leaves.append(File(path, below.mode, below.oid))
            elif path != folder:
                leaves += objects.walk(below.oid, path)
    return tuple(contents_of(objects, leaves))


def settled(changes: Changes, more: Changes) -> Changes:
    """Add a commit's changes to what already differs from the state; what is back drops out."""
    together = dict(changes)
    for path, change in more.items():
        was = together[path].old if path in together else change.old
        if was == change.new:
            together.pop(path, None)
        else:
            together[path] = LeafChange(was, change.new)
    return together


def leaf_at(objects: Objects, tree: str, path: str) -> Leaf | None:
    """Name what a tree holds at a path; None where there is nothing."""
    entry = objects.entry_at(tree, path)
    return Leaf(entry.mode, entry.oid) if entry else None
