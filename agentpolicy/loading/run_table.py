"""Very large files of the own format become columns, without ever holding all their records."""

import hashlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.base.source import Position
from agentpolicy.loading.importers.jsonl import record_of
from agentpolicy.loading.run_rows import (
    DECODER,
    LINES,
    AtLeastRow,
    OutcomeRow,
    RunRow,
    TokensRow,
    duration_of,
    known,
    money_of,
)
from agentpolicy.runs.amounts import MEMORY, MISSING, AmountBook, Amounts
from agentpolicy.runs.run_set import digest_of
from agentpolicy.runs.table import MEASURES, Book, Coded, RunTable

CHUNK = 64 * 1024
"""Bytes that are decoded at a time; what comes of so few is still in the processor's cache."""
_COLON = ord(":")
_NOTHING = RunRow("-", "-")
"""What a run that did not finish shows."""
_NAMES = ("agent", "task_type", "variant", "subject")
_LABELS = ("agent", "subject", "task_type", "variant", "tool_calls", "final_answer", "cost_usd",
           "latency_ms")  # fmt: skip
PARTS = ("cost_usd", "tokens", "latency_ms")
"""The measures of which a part may be known; see `AtLeast`."""
_READ: Mapping[str, Callable[[Any], object]] = {
    "cost_usd": money_of, "latency_ms": duration_of, "time_to_useful_ms": duration_of,
}  # fmt: skip


T = TypeVar("T")


class SeenTwiceError(Exception):
    """Two records may claim one run id or one attempt; the exact reader says which."""


def read_table(
    paths: Sequence[Path], progress: Callable[[int], None] = lambda _: None
) -> tuple[RunTable, dict[str, int]]:
    """Read JSONL files of run records into columns, and give each file's bytes by its digest.

    Args:
        paths: the files.
        progress: told how many bytes were read, again and again.

    Raises:
        SeenTwiceError: the files need the exact reader.
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
    number, rest = 1, b""
    with path.open("rb") as file:
        while block := file.read(CHUNK):
            whole, newline, tail = block.rpartition(b"\n")
            if not newline:
                rest += tail
                continue
            chunk = rest + whole + newline
            rest = tail
            yield number, chunk
            number += chunk.count(b"\n")
    if rest:
        yield number, rest


class _Building:
    """Gathers the columns of a table, chunk by chunk."""

    def __init__(self) -> None:
        self._books = {column: Book() for column in (*_NAMES, "fixture", "evaluator", "tools")}
        self._books["tools"].codes([None])
        self._books["evaluator"].codes([None])
        self._amount_books = {measure: AmountBook() for measure in MEASURES}
        self._sound: dict[str, set[object]] = {measure: {None, UNSET} for measure in _READ}
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
        for measure, read in _READ.items():
            sound = self._sound[measure]
            for amount in {getattr(row, measure) for row in rows} - sound:
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
        """Add a part to every column. Each field is gone through by itself, which is quickest."""
        finished = self._finished(rows)
        fixtures = [row.fixture_id for row in rows]
        attempts = [1 if row.attempt is UNSET else row.attempt for row in rows]
        for name in _NAMES:
            self._coded(name, _known([getattr(row, name) for row in rows]))
        self._coded("fixture", fixtures)
        self._keep("finished", finished)
        self._keep("run", [hash(row.run_id) for row in rows])
        self._keep("place", [hash(pair) for pair in zip(fixtures, attempts, strict=True)])
        tokens = [_tokens(row.tokens) for row in rows]
        self._count_missing(rows, tokens)
        shown = rows if all(finished) else [row if row.finished else _NOTHING for row in rows]
        outcomes = _known([row.outcome for row in shown])
        calls = _known([row.tool_calls for row in shown])
        self._coded(
            "evaluator", _known([None if one is None else one.evaluator for one in outcomes])
        )
        self._coded(
            "tools",
            [None if one is None else frozenset([call.name for call in one]) for one in calls],
        )
        self._keep("correct", [MISSING if one is None else _correct(one) for one in outcomes])
        steps = _known([row.steps for row in shown])
        self._amounts(
            "steps",
            [
                claimed if listed is None else max(len(listed), claimed or 0)
                for claimed, listed in zip(steps, calls, strict=True)
            ],
        )
        if shown is not rows:
            tokens = [_tokens(row.tokens) for row in shown]
        self._amounts("tokens", tokens)
        wholes = {measure: _known([getattr(row, measure) for row in shown]) for measure in _READ}
        for measure, values in wholes.items():
            self._amounts(measure, values)
        self._leasts(shown, {**wholes, "tokens": tokens})

    def _leasts(self, shown: Sequence[RunRow], wholes: Mapping[str, Sequence[object]]) -> None:
        """Keep the known part of each amount that is missing."""
        said = _known([row.at_least for row in shown])
        silent = not any(said)
        for measure in PARTS:
            amounts: list[Any] = [None] * len(shown)
            if not silent or (measure == "tokens" and None in wholes[measure]):
                for place, whole in enumerate(wholes[measure]):
                    if whole is None:
                        amounts[place] = _least(measure, said[place], shown[place])
            units = self._amount_books[measure].units(amounts)
            self._parts.setdefault(f"at least {measure}", []).append(units)

    def _finished(self, rows: Sequence[RunRow]) -> list[bool]:
        states = {row.status for row in rows} | {row.infra_error for row in rows}
        if states <= {UNSET, "completed"}:  # nearly always
            return [True] * len(rows)
        return [row.finished for row in rows]

    def _amounts(self, measure: str, values: Sequence[str | int | Decimal | None]) -> None:
        self._parts.setdefault(measure, []).append(self._amount_books[measure].units(values))

    def _coded(self, name: str, values: Sequence[Hashable]) -> None:
        self._parts.setdefault(name, []).append(self._books[name].codes(values))

    def _keep(self, name: str, values: Sequence[int]) -> None:
        self._parts.setdefault(name, []).append(np.array(values, dtype=np.int64))

    def _count_missing(self, rows: Sequence[RunRow], tokens: list[int | None]) -> None:
        """Count what records do not carry, as `missing_of` does, finished or not."""
        for name in _LABELS:
            values = [getattr(row, name) for row in rows]
            self._missing[name] += values.count(None) + values.count(UNSET)
        outcomes = _known([row.outcome for row in rows])
        found = _known([None if one is None else one.correct for one in outcomes])
        self._missing["outcome.correct"] += found.count(None)
        self._missing["tokens"] += tokens.count(None)

    def table(self, digest: str) -> RunTable:
        """Give the columns.

        Raises:
            SeenTwiceError: two records may claim one place.
        """
        columns = {name: np.concatenate(parts) for name, parts in self._parts.items()}
        for name in ("run", "place"):
            if len(np.unique(columns[name])) != len(columns[name]):
                raise SeenTwiceError
        coded = {name: Coded(columns[name], book.values) for name, book in self._books.items()}
        return RunTable(
            agent=coded["agent"],
            task_type=coded["task_type"],
            variant=coded["variant"],
            subject=coded["subject"],
            fixture=coded["fixture"],
            evaluator=coded["evaluator"],
            tools=coded["tools"],
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


def _known(values: list[T | UnsetType]) -> list[T | None]:
    """Take a key that is absent for one that is null."""
    if UNSET in values:
        return [None if value is UNSET else value for value in values]
    return values  # type: ignore[return-value]  # none is unset


def _correct(outcome: OutcomeRow) -> int:
    correct = outcome.correct
    return MISSING if correct is None or correct is UNSET else int(correct)


def _least(measure: str, said: AtLeastRow | None, row: RunRow) -> str | int | Decimal | None:
    """Give the known part of an amount that one run lacks; no part is a missing one."""
    part: Any = None if said is None else known(getattr(said, measure))
    if measure == "tokens" and isinstance(row.tokens, TokensRow):
        part = max(part or 0, row.tokens.least) or None
    return part  # type: ignore[no-any-return]  # checked by the exact reader


def _any(parts: NDArray[np.int64] | None) -> NDArray[np.int64] | None:
    """Forget a column that holds nothing."""
    return parts if parts is not None and bool((parts != MISSING).any()) else None


def _tokens(tokens: TokensRow | UnsetType | None) -> int | None:
    return tokens.total if isinstance(tokens, TokensRow) else None
