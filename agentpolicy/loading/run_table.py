"""Very large files of the own format become columns, without ever holding all their records."""

import hashlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.base.source import Position
from agentpolicy.loading.importers.jsonl import record_of
from agentpolicy.loading.run_fields import (
    AMOUNTS_OF,
    NAME_OF,
    READ,
    Shown,
    fields_of,
    known_of,
    least_of,
    steps_of,
)
from agentpolicy.loading.run_rows import DECODER, LINES, RunRow
from agentpolicy.runs.amounts import MEMORY, MISSING, AmountBook, Amounts
from agentpolicy.runs.record import AtLeast
from agentpolicy.runs.run_set import REPORTED, digest_of
from agentpolicy.runs.table import LABELS, MEASURES, NAMES, Book, Coded, RunTable

CHUNK = 64 * 1024
"""Bytes that are decoded at a time; what comes of so few is still in the processor's cache."""
_COLON = ord(":")
_NOTHING = RunRow("-", "-")
"""What a run that did not finish shows."""
_ENDED = frozenset({UNSET, None, "completed"})
PARTS = AtLeast.__struct_fields__
"""The measures of which a part may be known; see `AtLeast`."""


class NotInColumnsError(Exception):
    """Two records may claim one place, or none can be read: the exact reader says which."""


def read_table(
    paths: Sequence[Path], progress: Callable[[int], None] = lambda _: None
) -> tuple[RunTable, dict[str, int]]:
    """Read JSONL files of run records into columns, and give each file's bytes by its digest.

    Args:
        paths: the files.
        progress: told how many bytes were read, again and again.

    Raises:
        NotInColumnsError: the files need the exact reader.
        OSError: one cannot be read.
    """
    building = _Building()
    sizes: dict[str, int] = {}
    for path in paths:
        read_so_far, size = hashlib.sha256(), 0
        for first, chunk in _chunks(path):
            read_so_far.update(chunk)
            size += len(chunk)
            building.add(path.as_posix(), first, chunk)
            progress(len(chunk))
        sizes[f"sha256:{read_so_far.hexdigest()}"] = size
    return building.table(digest_of(sizes)), sizes


def _chunks(path: Path) -> Iterator[tuple[int, bytes]]:
    """Give whole lines, many at a time, with the number of the first."""
    number, rest = 1, list[bytes]()  # parts of a line, joined once however long it is
    with path.open("rb") as file:
        while block := file.read(CHUNK):
            whole, newline, tail = block.rpartition(b"\n")
            if newline:
                chunk = b"".join([*rest, whole, newline])
                rest.clear()
                yield number, chunk
                number += chunk.count(b"\n")
            rest.append(tail)
    if any(rest):
        yield number, b"".join(rest)


class _Building:
    """Gathers the columns of a table, chunk by chunk."""

    def __init__(self) -> None:
        self._books = {column: Book() for column in LABELS}
        self._books["tools"].codes([None])
        self._books["evaluator"].codes([None])
        self._amount_books = {measure: AmountBook() for measure in MEASURES}
        self._sound: dict[str, set[object]] = {measure: {None, UNSET} for measure in READ}
        self._parts: dict[str, list[NDArray[np.int64]]] = {}
        self._missing: Counter[str] = Counter()
        self._unreadable: list[Problem] = []

    def add(self, name: str, first: int, chunk: bytes) -> None:
        """Add the records of some whole lines of a file, the first of which has a number."""
        rows = self._decoded(name, first, chunk)
        if rows:
            self._append(rows)

    def _decoded(self, name: str, first: int, chunk: bytes) -> list[RunRow]:
        """Decode all lines at once; only where that fails, or hides something, one by one."""
        try:
            rows = DECODER.decode_lines(chunk)
        except (msgspec.MsgspecError, RecursionError, UnicodeError, ValueError):
            return self._one_by_one(name, first, chunk)
        hidden = (
            b"\\u003" in chunk
            or b'"at_least"' in chunk
            or _colons(chunk) != _colons(LINES.encode_lines(rows))
        )
        if hidden or not self._measured(rows):
            return self._one_by_one(name, first, chunk)
        return rows

    def _measured(self, rows: Sequence[RunRow]) -> bool:
        """Say whether every amount of some rows is one; equal ones are looked at once."""
        columns = zip(*map(AMOUNTS_OF, rows), strict=True)
        for (measure, read), amounts in zip(READ.items(), columns, strict=True):
            sound = self._sound[measure]
            for amount in set(amounts) - sound:
                try:
                    read(amount)
                except (ValueError, TypeError):
                    return False
                if len(sound) < MEMORY:
                    sound.add(amount)
        return True

    def _one_by_one(self, name: str, first: int, chunk: bytes) -> list[RunRow]:
        rows = []
        for number, line in enumerate(chunk.split(b"\n"), start=first):
            if not line.strip():
                continue
            at = Position(name, number, 1)
            try:
                record_of(at, line)  # the exact reader says what is wrong
                rows.append(DECODER.decode(line))
            except InputError as error:
                self._unreadable.append(error.problems[0])
        return rows

    def _append(self, rows: Sequence[RunRow]) -> None:
        """Add a part to every column.

        Fields are taken out of all rows at once and gone through by built-in functions: a line of
        Python for each run would cost more than decoding it.
        """
        fields = fields_of(rows)
        for name in NAMES:
            self._coded(name, known_of(fields[name]))
        fixtures = fields["fixture_id"]
        self._coded("fixture", fixtures)
        self._keep("run", map(hash, fields["run_id"]), len(rows))
        written = fields["attempt"]
        attempts = [1 if one is UNSET else one for one in written] if UNSET in written else written
        self._keep("place", map(hash, zip(fixtures, attempts, strict=True)), len(rows))
        shown = Shown.of(fields)
        self._count_missing(fields, shown)
        finished = [True] * len(rows)
        if not {*fields["status"], *fields["infra_error"]} <= _ENDED:
            finished = [row.finished for row in rows]
            kept = [row if done else _NOTHING for row, done in zip(rows, finished, strict=True)]
            fields = fields_of(kept)
            shown = Shown.of(fields)
        self._keep("finished", finished, len(rows))
        self._append_shown(fields, shown, len(rows))

    def _append_shown(self, fields: Mapping[str, Sequence[Any]], shown: Shown, count: int) -> None:
        """Add what the runs show; of one that did not finish, that is nothing."""
        self._keep("correct", shown.correct, count)
        self._coded("evaluator", shown.evaluators)
        calls = known_of(fields["tool_calls"])
        self._coded(
            "tools", [None if one is None else frozenset(map(NAME_OF, one)) for one in calls]
        )
        self._amounts("steps", steps_of(known_of(fields["steps"]), calls))
        self._amounts("tokens", shown.tokens)
        wholes: dict[str, Sequence[Any]] = {"tokens": shown.tokens}
        for measure in READ:
            wholes[measure] = known_of(fields[measure])
            self._amounts(measure, wholes[measure])
        self._leasts(fields, wholes)

    def _leasts(
        self, fields: Mapping[str, Sequence[Any]], wholes: Mapping[str, Sequence[Any]]
    ) -> None:
        """Keep the known part of each amount that is missing."""
        said = known_of(fields["at_least"])
        silent = not any(said)
        for measure in PARTS:
            units = np.full(len(said), MISSING, dtype=np.int64)  # nearly always
            if not silent or (measure == "tokens" and None in wholes[measure]):
                rows = zip(wholes[measure], said, fields["tokens"], strict=True)
                least = [
                    None if whole is not None else least_of(measure, part, tokens)
                    for whole, part, tokens in rows
                ]
                units = self._amount_books[measure].units(least)
            self._parts.setdefault(f"at least {measure}", []).append(units)

    def _amounts(self, measure: str, values: Sequence[Any]) -> None:
        self._parts.setdefault(measure, []).append(self._amount_books[measure].units(values))

    def _coded(self, name: str, values: Sequence[Hashable]) -> None:
        self._parts.setdefault(name, []).append(self._books[name].codes(values))

    def _keep(self, name: str, values: Iterable[int], count: int) -> None:
        self._parts.setdefault(name, []).append(np.fromiter(values, np.int64, count))

    def _count_missing(self, fields: Mapping[str, Sequence[Any]], shown: Shown) -> None:
        """Count what records do not carry, as `missing_of` does, finished or not."""
        for name in REPORTED:
            self._missing[name] += fields[name].count(None) + fields[name].count(UNSET)
        self._missing["outcome.correct"] += shown.correct.count(MISSING)
        self._missing["tokens"] += shown.tokens.count(None)

    def table(self, digest: str) -> RunTable:
        """Give the columns.

        Raises:
            NotInColumnsError: as it says.
        """
        if not self._parts:
            raise NotInColumnsError
        columns = {name: np.concatenate(parts) for name, parts in self._parts.items()}
        for name in ("run", "place"):
            ordered = np.sort(columns[name])
            if (ordered[1:] == ordered[:-1]).any():
                raise NotInColumnsError
        return RunTable(
            labels={name: Coded(columns[name], book.values) for name, book in self._books.items()},
            correct=columns["correct"],
            finished=columns["finished"].astype(bool),
            amounts={
                measure: Amounts(
                    columns[measure], tuple(book.finer), _any(columns.get(f"at least {measure}"))
                )
                for measure, book in self._amount_books.items()
            },
            digest=digest,
            importer="jsonl",
            missing={name: count for name, count in sorted(self._missing.items()) if count},
            unreadable=tuple(self._unreadable),
        )


def _colons(data: bytes) -> int:
    """Count colons; a key that stands twice in a record leaves one fewer when it is written."""
    return int(np.count_nonzero(np.frombuffer(data, dtype=np.uint8) == _COLON))


def _any(parts: NDArray[np.int64] | None) -> NDArray[np.int64] | None:
    """Forget a column that holds nothing."""
    return parts if parts is not None and bool((parts != MISSING).any()) else None
