"""Finds the run files a person named, and reads them into one set of runs."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from agentpolicy.base.canonical import digest
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.loading.runs import detect, read_runs
from agentpolicy.runs.run_set import RunSet

if TYPE_CHECKING:
    from agentpolicy.runs.table import RunTable


LARGE = 32 * 1024 * 1024
"""From so many bytes on, runs are read into columns: below it, records are as quick."""
ReadRuns: TypeAlias = "tuple[RunSet | RunTable, dict[str, int]]"


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
        return self._read(self._found())

    def _read(self, found: Sequence[Path]) -> tuple[RunSet, dict[str, int]]:
        files = [(file.as_posix(), _bytes(file)) for file in found]
        sizes = {digest(data): len(data) for _, data in files}
        return read_runs(files, self.input_format, self.labels), sizes

    def read_many(
        self, progress: Callable[[int], None] = lambda _: None, store: Path | None = None
    ) -> ReadRuns:
        """Read them as `read` does, or as columns where they are large and of the own format.

        `store` is a folder of columns that were read before; None leaves it aside.

        Raises:
            InputError: a file is not there or cannot be read.
            UndecidedError: there is no run at all.
        """
        found = self._found()
        if self.labels or not _large(found) or not all(map(_own_format, found)):
            return self._read(found)
        from agentpolicy.loading.run_table import (  # noqa: PLC0415 - numpy is slow to import
            NotInColumnsError,
            read_table,
        )
        from agentpolicy.loading.table_store import TableStore  # noqa: PLC0415 - as above

        kept = TableStore(store) if store is not None else None
        known = kept.find(found) if kept is not None else None
        if known is not None:
            return known
        try:
            table, sizes = read_table(found, progress)
        except NotInColumnsError:
            return self._read(found)
        if kept is not None:
            kept.keep(table, sizes)
        return table, sizes

    def to_watch(self) -> int:
        """Give how many bytes reading them is worth a progress bar for; 0 where it is not.

        Raises:
            InputError: a file is not there.
        """
        return _large(self._found())

    def _found(self) -> list[Path]:
        return [file for path in self.paths for file in _files(path)]


def _large(found: Sequence[Path]) -> int:
    """Give the size of some files together where they are large; 0 where they are not."""
    size = sum(file.stat().st_size for file in found)
    return size if size >= LARGE else 0


def _own_format(path: Path) -> bool:
    """Say whether a file begins with a record of the own format, line by line."""
    with path.open("rb") as file:
        first = file.readline(LARGE)
    return first.endswith(b"\n") and detect(first + first).name == "jsonl"


def _files(path: Path) -> list[Path]:
    """Find a file, or every file of a folder, or what a quoted pattern matches."""
    if path.is_dir():
        found: Sequence[Path] = sorted(file for file in path.rglob("*") if file.is_file())
    elif path.exists():
        found = [path]
    else:
        found = _matching(path)
    if not found:
        hint = f"ls {shlex.quote(str(path.parent))}"
        raise InputError(Problem("no-such-file", "there is no such run file", hint, str(path)))
    return list(found)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
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
