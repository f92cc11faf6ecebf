"""What budgets read of very many runs, a column for each value instead of a record for each run."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from agentpolicy.base.errors import Problem
from agentpolicy.runs.amounts import MISSING, Amounts
from agentpolicy.runs.evidence import Evidence
from agentpolicy.runs.record import ToolCall

Flags = NDArray[np.bool_]
Codes = NDArray[np.int64]
NAMES = ("agent", "task_type", "variant", "subject")
"""The labels that a run carries under their own names."""
LABELS = (*NAMES, "fixture", "evaluator", "tools")
"""The values of a run of which few are distinct; `tools` are the names of those that were called,
None where no call is listed."""
MEASURES = ("steps", "cost_usd", "latency_ms", "time_to_useful_ms", "tokens")
"""The measured amounts of a run that a limit may read."""


class Book:
    """Gives every distinct value a number, in the order they come."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._numbers: dict[Hashable, int] = {}

    def codes(self, values: Sequence[Hashable]) -> Codes:
        """Give the column of numbers for some values."""
        numbers = self._numbers
        try:
            return np.fromiter(map(numbers.__getitem__, values), np.int64, len(values))
        except KeyError:
            for value in values:
                numbers.setdefault(value, len(numbers))
            return np.fromiter(map(numbers.__getitem__, values), np.int64, len(values))

    @property
    def values(self) -> tuple[Hashable, ...]:
        """The distinct values; a code is its value's place."""
        return tuple(self._numbers)


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """One value a run, as the place of that value among the distinct ones."""

    codes: Codes
    values: tuple[Hashable, ...]

    def where(self, value: Hashable) -> Flags:
        """Say which rows hold a value."""
        place = self.values.index(value) if value in self.values else -1
        rows: Flags = self.codes == place
        return rows

    @property
    def seen(self) -> frozenset[Hashable]:
        """The values of all rows."""
        counts = np.bincount(self.codes, minlength=len(self.values))
        return frozenset(self.values[code] for code in np.flatnonzero(counts))

    def picked(self, rows: Flags) -> "Coded":
        """Keep some rows."""
        return Coded(self.codes[rows], self.values)

    def at(self, row: int) -> Hashable:
        """Give the value of one row."""
        return self.values[int(self.codes[row])]


@dataclass(frozen=True, slots=True, eq=False)
class RunTable:
    """Very many runs, with what is known about where they came from; see `RunSet`."""

    labels: Mapping[str, Coded]
    """By name; see `LABELS`."""
    correct: Codes
    """1, 0, or -1 where it is not known."""
    finished: Flags
    """A run that did not finish shows nothing: every value of it is missing."""
    amounts: Mapping[str, Amounts]
    """By measure; see `MEASURES`."""
    digest: str
    importer: str
    missing: Mapping[str, int]
    unreadable: tuple[Problem, ...] = ()
    hand_set: frozenset[str] = frozenset()

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return len(self.correct)

    @property
    def agents(self) -> frozenset[Hashable]:
        """Every agent that a run says it is of."""
        return self.labels["agent"].seen

    @property
    def subjects(self) -> frozenset[Hashable]:
        """Every subject that a run says it is of."""
        return self.labels["subject"].seen

    def picked(self, rows: Flags) -> "RunTable":
        """Keep some rows, and everything that is known about all of them."""
        return replace(
            self,
            labels={name: column.picked(rows) for name, column in self.labels.items()},
            correct=self.correct[rows],
            finished=self.finished[rows],
            amounts={name: column.picked(rows) for name, column in self.amounts.items()},
        )

    def cases(self, limits: Mapping[str, Iterable[Decimal]]) -> Iterable[tuple[Evidence, int]]:
        """Group the runs that nothing a budget reads tells apart, each group with its size.

        `limits` names the measures that are read, with every limit they are held against.
        """
        columns = [self.correct, self.labels["evaluator"].codes, self.labels["tools"].codes]
        for measure, held in sorted(limits.items()):
            columns.append(self.amounts[measure].classes(sorted(held)))
            part = self.amounts[measure].part
            if part is not None:
                columns.append(part.classes(sorted(held)))
        key = np.zeros(self.runs, dtype=np.int64)
        for column in columns:
            shifted = column + 1  # a missing value is -1
            key = key * (int(shifted.max(initial=0)) + 1) + shifted
        _, first, runs = np.unique(key, return_index=True, return_counts=True)
        for row, count in zip(first, runs, strict=True):
            yield self._shown(int(row), limits), int(count)

    def _shown(self, row: int, limits: Mapping[str, Iterable[Decimal]]) -> Evidence:
        """Give what one row shows, as far as it is read."""
        names = self.labels["tools"].at(row)
        assert names is None or isinstance(names, frozenset)
        evaluator = self.labels["evaluator"].at(row)
        assert evaluator is None or isinstance(evaluator, str)
        shown: dict[str, Decimal | None] = {
            measure: self.amounts[measure].at(row) for measure in limits
        }
        steps, tokens = shown.get("steps"), shown.get("tokens")
        return Evidence(
            run_id="",
            attempt=0,
            correct=None if self.correct[row] == MISSING else bool(self.correct[row]),
            evaluator=evaluator,
            calls=None if names is None else tuple(ToolCall(name) for name in sorted(names)),
            steps=None if steps is None else int(steps),
            tokens=None if tokens is None else int(tokens),
            cost_usd=shown.get("cost_usd"),
            latency_ms=shown.get("latency_ms"),
            at_least=dict(self._parts(row, limits)),
            time_to_useful_ms=shown.get("time_to_useful_ms"),
            finished=bool(self.finished[row]),
        )

    def _parts(self, row: int, limits: Iterable[str]) -> Iterator[tuple[str, Decimal]]:
        """Give the known part of each measure that is read and missing in a row."""
        for measure in limits:
            part = self.amounts[measure].part
            known = None if part is None else part.at(row)
            if known is not None:
                yield measure, known
