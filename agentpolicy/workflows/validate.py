"""Reads policy files strictly, wherever they lie, and gathers every problem."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.documents.layout import POLICIES
from agentpolicy.loading.document import governed_name, read_candidate
from agentpolicy.loading.snapshot import ReadCache
from agentpolicy.workflows.snapshots import snapshot_of_folder


@dataclass(frozen=True, slots=True)
class Validated:
    """How many files were read, and everything that is wrong with them."""

    files: int
    problems: tuple[Problem, ...]


def validate(paths: Sequence[Path]) -> Validated:
    """Read files and folders; a `policies` folder is read whole, with nothing left out.

    Raises:
        InputError: a path does not exist, or there was nothing to read.
    """
    problems: list[Problem] = []
    files = 0
    for path in paths:
        if not path.exists():
            words = "there is no such file or folder"
            hint = f"ls {shlex.quote(str(path.parent))}"
            raise InputError(Problem("no-such-file", words, hint, str(path)))
        if path.is_dir():
            count, found = _folder(path)
        else:
            count, found = 1, tuple(_file(path))
        files += count
        problems += found
    if files == 0:
        words = "there is no policy file to read"
        raise InputError(Problem("nothing-read", words, "agentpolicy validate PATH"))
    return Validated(files, tuple(problems))


def _folder(path: Path) -> tuple[int, tuple[Problem, ...]]:
    """Read a policies folder as a whole, any other folder file by file."""
    whole = path if path.name == POLICIES else path / POLICIES
    if whole.is_dir():
        snapshot = snapshot_of_folder(whole, ReadCache())
        found = (snapshot.unreadable[name] for name in sorted(snapshot.unreadable))
        count = len(snapshot.digests) + len(snapshot.approvals)
        return count, tuple(problem for problems in found for problem in problems)
    files = sorted(file for file in path.rglob("*") if file.suffix in {".yaml", ".yml"})
    return len(files), tuple(problem for file in files for problem in _file(file))


def _file(path: Path) -> Iterator[Problem]:
    if governed_name(path.as_posix()).startswith("policies/approvals/"):
        return
    try:
        read_candidate(path.as_posix(), path.read_bytes())
    except InputError as error:
        yield from error.problems
    except OSError as error:
        hint = f"ls -l {shlex.quote(str(path))}"
        yield Problem("unreadable", f"it cannot be read: {error.strerror}", hint, str(path))
