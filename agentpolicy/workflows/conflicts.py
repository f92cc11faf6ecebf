"""Settles conflicts that are about nothing but a document's version number."""

from collections.abc import Mapping
from dataclasses import dataclass

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.documents.layout import POLICIES, is_approval, kind_of
from agentpolicy.gitio.index import IndexFile, add, index_files
from agentpolicy.gitio.repository import Repository
from agentpolicy.loading.document import read_document
from agentpolicy.workflows.three_way import three_way

_BASE, _OURS, _THEIRS = 1, 2, 3
_UNDER_WAY = (
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("MERGE_HEAD", "merge"),
)
"""What git keeps in its folder while it waits, and the command that goes on or stops."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What could be settled, and what a person must look at."""

    paths: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def in_conflict(repository: Repository) -> Mapping[str, Mapping[int, IndexFile]]:
    """Give the governed paths that git could not merge, with the sides there are."""
    found: dict[str, dict[int, IndexFile]] = {}
    for file in index_files(repository, POLICIES):
        if file.stage:
            found.setdefault(file.path, {})[file.stage] = file
    return found


def operation_under_way(repository: Repository) -> str:
    """Name the git command that waits for somebody to go on; empty where none does."""
    here = repository.git_dir
    return next((command for name, command in _UNDER_WAY if (here / name).exists()), "")


def settle(repository: Repository) -> Settled:
    """Write and stage each document whose sides differ in the same lines by their number alone.

    A document that reads well as it lies there was settled by hand, and is staged as it is.
    """
    settled: list[str] = []
    problems: list[Problem] = []
    for path, sides in in_conflict(repository).items():
        try:
            data = _settled(repository, path, sides)
        except InputError as error:
            problems += error.problems
            continue
        assert repository.top is not None
        (repository.top / path).write_bytes(data)
        settled.append(path)
    add(repository, settled)
    return Settled(tuple(settled), tuple(problems))


def _settled(repository: Repository, path: str, sides: Mapping[int, IndexFile]) -> bytes:
    """Give the bytes that settle one path.

    Raises:
        InputError: a person must decide.
    """
    if not {_OURS, _THEIRS} <= sides.keys():
        words = "one side changed it and the other removed it"
        raise InputError(Problem("in-conflict", words, f"git add {path}, or git rm {path}", path))
    assert repository.top is not None
    here = repository.top / path
    if kind_of(path) is None:
        if is_approval(path):  # two signatures of one statement; either will do
            return _blob(repository, sides[_OURS])
        words = "both sides changed it"
        raise InputError(Problem("in-conflict", words, f"edit {path}, then: git add {path}", path))
    data = here.read_bytes() if here.is_file() else b""
    if _reads_well(path, data):
        return data
    base = _blob(repository, sides[_BASE]) if _BASE in sides else None
    ours, theirs = (_blob(repository, sides[side]) for side in (_OURS, _THEIRS))
    merged = three_way(repository, path, base, ours, theirs)
    if merged is None:
        words = (
            "both sides changed the same lines, and not in their version alone: "
            "write what is meant between <<<<<<< and >>>>>>>, without these marks, and sign again"
        )
        raise InputError(Problem("in-conflict", words, "agentpolicy sign --rebase --key KEY", path))
    return merged


def _reads_well(path: str, data: bytes) -> bool:
    try:
        read_document(path, data)
    except InputError:
        return False
    return True


def _blob(repository: Repository, file: IndexFile) -> bytes:
    return repository.run("cat-file", "blob", file.oid)
