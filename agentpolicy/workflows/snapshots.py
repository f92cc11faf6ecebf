"""Reads what is governed at one place: a commit, the index, the work tree, or a folder."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from agentpolicy.documents.document import Snapshot
from agentpolicy.documents.layout import POLICIES, is_governed
from agentpolicy.gitio.index import IndexFile, index_files
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.raw import SUBMODULE, SYMLINK, TREE, Commit, File
from agentpolicy.gitio.repository import Repository
from agentpolicy.gitio.worktree import worktree_files
from agentpolicy.loading.characters import MAX_BYTES
from agentpolicy.loading.snapshot import PolicyFile, ReadCache, read_snapshot


def snapshot_at(
    objects: Objects, commit: Commit, guarded: Iterable[str], cache: ReadCache
) -> Snapshot:
    """Read the policies and guarded files of a commit, from verified objects alone."""
    files = tuple(_committed(objects, commit))
    contents: dict[str, bytes] = {}
    for path in guarded:
        entry = objects.entry_at(commit.tree, path)
        if entry is not None:
            contents[path] = objects.blob(entry.oid)
    return read_snapshot(files, contents, cache)


def snapshot_of_index(
    repository: Repository, objects: Objects, guarded: Iterable[str], cache: ReadCache
) -> Snapshot:
    """Read what is about to be committed: the index that git names, blobs from git."""
    wanted = tuple(guarded)
    staged = index_files(repository, POLICIES, *wanted)
    governed = [file for file in staged if is_governed(file.path)]
    contents = {file.path: objects.blob(file.oid) for file in staged if file.path in wanted}
    return read_snapshot(_contents(objects, governed), contents, cache)


def snapshot_of_worktree(
    repository: Repository, guarded: Iterable[str], cache: ReadCache
) -> Snapshot:
    """Read the files as they lie on disk; for `sign` and `diff`, never for a decision."""
    files = (
        PolicyFile(file.path, file.mode, file.data) for file in worktree_files(repository, POLICIES)
    )
    contents = {path: data for path in guarded if (data := _on_disk(repository, path)) is not None}
    return read_snapshot(files, contents, cache)


def snapshot_of_folder(folder: Path, cache: ReadCache) -> Snapshot:
    """Read a policies folder outside any repository."""
    files = (
        PolicyFile(f"policies/{path.relative_to(folder).as_posix()}", _mode(path), _bytes(path))
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    )
    return read_snapshot(files, {}, cache)


def _committed(objects: Objects, commit: Commit) -> Iterator[PolicyFile]:
    for entry in objects.tree(commit.tree):
        if not is_governed(entry.name):
            continue
        below = objects.walk(entry.oid, entry.name) if entry.mode == TREE else ()
        leaves = tuple(below) or (File(entry.name, entry.mode, entry.oid),)
        yield from _contents(objects, leaves)


def _contents(objects: Objects, leaves: Sequence[File | IndexFile]) -> Iterator[PolicyFile]:
    """Read the blobs of leaves in one go; what a submodule points at is not in this repository."""
    files = [leaf for leaf in leaves if leaf.mode != SUBMODULE]
    for leaf, data in zip(
        files, objects.blobs((leaf.oid for leaf in files), MAX_BYTES), strict=True
    ):
        yield PolicyFile(leaf.path, leaf.mode, data)
    for leaf in leaves:
        if leaf.mode == SUBMODULE:
            yield PolicyFile(leaf.path, leaf.mode, b"")


def _on_disk(repository: Repository, path: str) -> bytes | None:
    assert repository.top is not None
    file = Path(repository.top, path)
    return file.read_bytes() if file.is_file() and not file.is_symlink() else None


def _mode(path: Path) -> str:
    return SYMLINK if path.is_symlink() else "100644"


def _bytes(path: Path) -> bytes:
    return str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
