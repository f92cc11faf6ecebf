"""Reads what is governed at one place: a commit, the index, the work tree, or a folder."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from agentpolicy.admission.guarded import guarded_paths
from agentpolicy.base.canonical import digest
from agentpolicy.base.errors import Problem
from agentpolicy.base.values import replace
from agentpolicy.documents.document import Snapshot
from agentpolicy.documents.layout import POLICIES, is_governed
from agentpolicy.documents.stored_approvals import Overlay
from agentpolicy.gitio.approvals_tree import StoredApprovals
from agentpolicy.gitio.index import IndexFile, index_files
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.raw import SUBMODULE, SYMLINK, TREE, Commit, File
from agentpolicy.gitio.repository import Repository
from agentpolicy.gitio.worktree import worktree_files
from agentpolicy.loading.characters import MAX_BYTES
from agentpolicy.loading.snapshot import PolicyFile, ReadCache, read_snapshot

REGULAR = frozenset({"100644", "100755"})
"""The modes of a plain file."""


def snapshot_at(
    objects: Objects, commit: Commit, guarded: Iterable[str], cache: ReadCache
) -> Snapshot:
    """Read the policies and guarded files of a commit, from verified objects alone.

    Guarded are the files given and those that the commit's own roles name.
    """
    files = (file for leaves in leaves_of(objects, commit) for file in contents_of(objects, leaves))
    return guarded_at(objects, commit, read_snapshot(files, {}, cache), guarded)


def guarded_at(
    objects: Objects, commit: Commit, snapshot: Snapshot, guarded: Iterable[str]
) -> Snapshot:
    """Add to a commit's policies the guarded files given, and those that its own roles name."""
    return with_guarded(snapshot, guarded, reader_of(objects, commit))


def snapshot_of_index(
    repository: Repository,
    objects: Objects,
    guarded: Iterable[str],
    cache: ReadCache,
    landed: Mapping[str, bytes] | None = None,
) -> Snapshot:
    """Read what is about to be committed: the index that git names, blobs from git.

    Approvals that stand in `landed` as they are staged are not read again.
    """
    files = index_files(repository, POLICIES)
    stored = landed.ids if isinstance(landed, StoredApprovals) else {}
    known = {
        file.path for file in files if file.mode in REGULAR and stored.get(file.path) == file.oid
    }
    unread = [file for file in files if file.path not in known]
    snapshot = read_snapshot(contents_of(objects, unread), {}, cache)
    if landed is not None and stored:
        touched = stored.keys() - known
        changes = {**dict.fromkeys(touched), **snapshot.approvals}
        snapshot = replace(snapshot, approvals=Overlay(landed, changes, frozenset(touched)))
    wanted = {*guarded, *guarded_by(snapshot)}
    staged = {file.path: file for file in (index_files(repository, *wanted) if wanted else ())}
    folders = {path for path in wanted if any(one.startswith(f"{path}/") for one in staged)}

    def read(path: str) -> PolicyFile | None:
        if path in folders:
            return PolicyFile(path, TREE, b"")
        file = staged.get(path)
        if file is None:
            return None
        is_file = file.mode in REGULAR
        return PolicyFile(path, file.mode, objects.blob(file.oid) if is_file else b"")

    return with_guarded(snapshot, guarded, read)


def snapshot_of_worktree(
    repository: Repository, guarded: Iterable[str], cache: ReadCache
) -> Snapshot:
    """Read the files as they lie on disk; for `sign` and `diff`, never for a decision."""
    files = (
        PolicyFile(file.path, file.mode, file.data) for file in worktree_files(repository, POLICIES)
    )

    def read(path: str) -> PolicyFile | None:
        assert repository.top is not None
        place = Path(repository.top, path)
        if not place.is_symlink() and not place.exists():
            return None
        is_file = place.is_file() and not place.is_symlink()
        mode = "100644" if is_file else TREE if place.is_dir() else SYMLINK
        return PolicyFile(path, mode, place.read_bytes() if is_file else b"")

    return with_guarded(read_snapshot(files, {}, cache), guarded, read)


def guarded_by(state: Snapshot) -> frozenset[str]:
    """List the files outside `policies/` that a state's roles put under the same quorum."""
    return guarded_paths(state.roles)


def with_guarded(
    snapshot: Snapshot, also: Iterable[str], read: Callable[[str], PolicyFile | None]
) -> Snapshot:
    """Add the guarded files. One that is no plain file blocks: its content lies elsewhere."""
    contents: dict[str, str] = {}
    odd: dict[str, tuple[Problem, ...]] = {}
    for path in sorted({*also, *guarded_by(snapshot)}):
        file = read(path)
        if file is not None and file.mode in REGULAR:
            contents[path] = digest(file.data)
        elif file is not None:
            message = "a guarded path holds no plain file here, so it cannot be guarded"
            hint = f"name the files below {path} in `guarded:`, or put a plain file there"
            odd[path] = (Problem("guarded-not-a-file", message, hint, path),)
    return replace(snapshot, guarded=contents, unreadable={**snapshot.unreadable, **odd})


def snapshot_of_folder(folder: Path, cache: ReadCache) -> Snapshot:
    """Read a policies folder outside any repository."""
    return read_snapshot(sorted(_below(str(folder), POLICIES)), {}, cache)


def _below(folder: str, name: str) -> Iterator[PolicyFile]:
    """Read every file below a folder without following a symbolic link."""
    with os.scandir(folder) as entries:
        for entry in entries:
            path = f"{name}/{entry.name}"
            if entry.is_symlink():
                yield PolicyFile(path, SYMLINK, os.fsencode(os.readlink(entry.path)))  # noqa: PTH115 - as below
            elif entry.is_dir():
                yield from _below(entry.path, path)
            elif entry.is_file():
                # A Path costs more than the reading.
                with open(entry.path, "rb") as file:  # noqa: PTH123
                    yield PolicyFile(path, "100644", file.read())


def reader_of(objects: Objects, commit: Commit) -> Callable[[str], PolicyFile | None]:
    """Give what reads any one path of a commit."""

    def read(path: str) -> PolicyFile | None:
        entry = objects.entry_at(commit.tree, path)
        if entry is None:
            return None
        is_file = entry.mode in REGULAR
        return PolicyFile(path, entry.mode, objects.blob(entry.oid) if is_file else b"")

    return read


def leaves_of(objects: Objects, commit: Commit) -> Iterator[tuple[File, ...]]:
    """List the files of each thing at the top of a commit that is called `policies`."""
    for entry in objects.tree(commit.tree):
        if is_governed(entry.name):
            below = objects.walk(entry.oid, entry.name) if entry.mode == TREE else ()
            yield tuple(below) or (File(entry.name, entry.mode, entry.oid),)


def contents_of(objects: Objects, leaves: Sequence[File | IndexFile]) -> Iterator[PolicyFile]:
    """Read the blobs of leaves in one go; what a submodule points at is not in this repository."""
    files = [leaf for leaf in leaves if leaf.mode != SUBMODULE]
    contents = objects.documents([leaf.oid for leaf in files], MAX_BYTES)
    for leaf, data in zip(files, contents, strict=True):
        yield PolicyFile(leaf.path, leaf.mode, data)
    for leaf in leaves:
        if leaf.mode == SUBMODULE:
            yield PolicyFile(leaf.path, leaf.mode, b"")
