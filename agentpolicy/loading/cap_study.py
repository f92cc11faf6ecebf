"""Reads a cap study: a small YAML table, or one row a line as JSON. Every number stays exact."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.base.numbers import exact
from agentpolicy.base.source import Position
from agentpolicy.gate.knee import CapRow
from agentpolicy.loading.runs_json import json_lines
from agentpolicy.loading.yaml_tree import read_tree

_KEYS = ("cap", "pass_rate", "mean_cost_usd", "amber_rate")
_ROW = "a row is {cap: 12, pass_rate: 0.913, mean_cost_usd: 0.28}, with amber_rate if known"
_TABLE = "write `value_per_success_usd: 4.00` and `rows:` with a row for each cap"


class CapStudy(NamedTuple):
    """The rows of a study, and what a success is worth where the study says."""

    rows: tuple[CapRow, ...]
    value_usd: Fraction | None


@dataclass(frozen=True, slots=True)
class _Row:
    """One row as it was written, and where."""

    written: Mapping[str, object]
    at: Position

    def read(self) -> CapRow:
        unknown = sorted(set(self.written) - set(_KEYS))
        if unknown:
            raise _refused(self.at, f"a row has no {unknown[0]!r}")
        pass_rate = self._number("pass_rate", most=1)
        cost = self._number("mean_cost_usd")
        if pass_rate is None or cost is None:
            raise _refused(self.at, "a row needs cap, pass_rate and mean_cost_usd")
        return CapRow(self._cap(), pass_rate, cost, self._number("amber_rate", most=1))

    def _cap(self) -> int:
        cap = self.written.get("cap")
        if isinstance(cap, bool) or not isinstance(cap, int) or cap < 1:
            raise _refused(self.at, f"cap {cap!r} is not a whole number of steps")
        return cap

    def _number(self, name: str, most: int | None = None) -> Fraction | None:
        written = self.written.get(name)
        if written is None:
            return None
        number = _exact(written, lambda why: _refused(self.at, f"{name} {why}"))
        if most is not None and number > most:
            raise _refused(self.at, f"{name} {written} is more than {most}")
        return number


def read_cap_study(path: str, data: bytes) -> CapStudy:
    """Read a study; the suffix says how it is written.

    Raises:
        InputError: with the place of the first thing that is no study.
    """
    in_lines = path.endswith((".jsonl", ".json"))
    value, rows = (None, list(_lines(path, data))) if in_lines else _table(path, data)
    caps: set[int] = set()
    read = []
    for row in rows:
        one = row.read()
        if one.cap in caps:
            raise _refused(row.at, f"cap {one.cap} stands twice")
        caps.add(one.cap)
        read.append(one)
    return CapStudy(tuple(read), value)


def _lines(path: str, data: bytes) -> Iterator[_Row]:
    for at, written in json_lines(path, data):
        if not isinstance(written, dict):
            raise _refused(at, "this line is not an object")
        yield _Row(written, at)


def _table(path: str, data: bytes) -> tuple[Fraction | None, list[_Row]]:
    tree = read_tree(path, data)
    start = Position(path, 1, 1)
    rows, worth = tree.value.get("rows"), tree.value.get("value_per_success_usd")
    unknown = sorted(set(tree.value) - {"rows", "value_per_success_usd"})
    if unknown or not isinstance(rows, (tuple, list)):
        message = f"a cap study has no {unknown[0]!r}" if unknown else "there is no list of rows"
        raise InputError(Problem("cap-study", message, _TABLE, path, start))
    found = []
    for place, row in enumerate(rows):
        at = tree.positions.get(f"/rows/{place}") or start
        if not isinstance(row, Mapping):
            raise _refused(at, f"{row!r} is not a row")
        found.append(_Row(row, at))
    at = tree.positions.get("/value_per_success_usd") or start
    refused = lambda why: _refused(at, f"value_per_success_usd {why}")  # noqa: E731 - names a place
    return None if worth is None else _exact(worth, refused), found


def _exact(written: object, refused: Callable[[str], InputError]) -> Fraction:
    """Read a number at least 0, written as one or as text."""
    number = written
    if isinstance(written, str):
        try:
            number = exact(written)
        except ValueError as error:
            raise refused(f"is no number: {error}") from error
    if isinstance(number, bool) or not isinstance(number, (int, Decimal)) or number < 0:
        raise refused(f"{written!r} is no number from 0")
    return Fraction(number)


def _refused(at: Position, message: str) -> InputError:
    return InputError(Problem("cap-study", message, _ROW, at.path, at))
