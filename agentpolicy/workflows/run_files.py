"""Finds the run files a person named, and reads them into one set of runs."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agentpolicy.base.canonical import digest
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.loading.runs import read_runs
from agentpolicy.runs.run_set import RunSet


@dataclass(frozen=True, slots=True)
class RunFiles:
    """Which run files to read, and how."""

    paths: tuple[Path, ...]
    """Files, folders, or quoted patterns."""
    input_format: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    """Fields filled in by hand where a log does not carry them."""

    def read(self) -> tuple[RunSet, dict[str, int]]:
        """Read all of them, and give the bytes of each file by the digest of its content.

        Raises:
            InputError: a file is not there or cannot be read.
            UndecidedError: there is no run at all.
        """
        files = [file for path in self.paths for file in _files(path)]
        sizes = {digest(data): len(data) for _, data in files}
        return read_runs(files, self.input_format, self.labels), sizes


def _files(path: Path) -> list[tuple[str, bytes]]:
    """Read a file, or every file of a folder, or what a quoted pattern matches."""
    if path.is_dir():
        found: Sequence[Path] = sorted(file for file in path.rglob("*") if file.is_file())
    elif path.exists():
        found = [path]
    else:
        found = _matching(path)
    if not found:
        hint = f"ls {shlex.quote(str(path.parent))}"
        raise InputError(Problem("no-such-file", "there is no such run file", hint, str(path)))
    try:
        return [(file.as_posix(), file.read_bytes()) for file in found]
    except OSError as error:
        words = f"it cannot be read: {error.strerror}"
        raise InputError(
            Problem("unreadable", words, f"ls -l {shlex.quote(str(path))}", str(path))
        ) from error


def _matching(pattern: Path) -> Sequence[Path]:
    try:
        return sorted(Path(pattern.anchor or ".").glob(str(pattern.relative_to(pattern.anchor))))
    except ValueError:  # no pattern either
        return ()
