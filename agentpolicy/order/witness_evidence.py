"""What a candidate witness is made of, and the numbers that lie between two limits."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_FLOOR, Decimal
from enum import StrEnum
from typing import TypeAlias

from agentpolicy.base.numbers import MULTIPLE, multiple
from agentpolicy.documents.document import Value
from agentpolicy.order.walk import value_at

Tree: TypeAlias = Mapping[str, Value]
Record: TypeAlias = Mapping[str, object]
"""A run record as JSON holds it: texts, whole numbers, lists and maps."""

LARGER_SETS = (20, 60, 100, 300, 1000)
"""Sizes to try after the smallest: a bound, or a percentile, needs many runs."""


class Question(StrEnum):
    """What is asked of both policies about the evidence."""

    OUTCOME = "outcome"
    """Whether the one run passes the budget."""
    DECISION = "decision"
    ROUTE = "route"
    NOTE = "note"
    """Whether the report carries a note."""
    APPROVER = "approver"
    """Whose approval a new waiver needs."""
    OPEN = "open"
    """Whether one more waiver may be open."""


@dataclass(frozen=True, slots=True)
class Sides:
    """The document whose limits apply, and the catalogue beside it, before and after."""

    name: str
    """The file's name: of a band, its agent."""
    old: Tree
    new: Tree
    old_tools: Tree = field(default_factory=dict)
    """The catalogue's entries by tool."""
    new_tools: Tree = field(default_factory=dict)

    def at(self, pointer: str) -> tuple[Value | None, Value | None]:
        """Read the values at a pointer on both sides."""
        return value_at(self.old, pointer), value_at(self.new, pointer)

    def written(self, pointer: str) -> list[Value]:
        """List the values at a pointer that are written on either side."""
        return [value for value in self.at(pointer) if value is not None]

    def limits(self, *pointers: str) -> list[Decimal]:
        """List the limits at some pointers that are written on either side."""
        values = [value for pointer in pointers for value in self.written(pointer)]
        return [limit for value in values if (limit := number(value)) is not None]

    def listed(self, pointer: str) -> list[str]:
        """List the texts that stand in a list at a pointer on either side, sorted."""
        lists = [value for value in self.written(pointer) if isinstance(value, tuple)]
        return sorted({item for items in lists for item in items if isinstance(item, str)})


@dataclass(frozen=True, slots=True)
class Evidence:
    """Something that two policies may answer differently; nobody has judged it yet."""

    about: str
    """What it is, such as `a run of 13 steps`."""
    question: Question
    runs: tuple[Record, ...] = ()
    references: tuple[Record, ...] = ()
    """The baseline's runs, for a band."""
    fixtures: tuple[Tree, ...] = ()
    """What the baseline document says of each fixture."""
    waivers: tuple[Tree, ...] = ()


@dataclass(frozen=True, slots=True)
class Witness:
    """Evidence that the old policy did not accept and the new one does, as the gate said itself."""

    kind: str
    """Who reads the leaf: `run`, `release`, `route`, `waiver`, `flag`."""
    evidence: Evidence
    old: str
    new: str
    text: str
    """One sentence."""
    under: str = ""
    """The document it was judged by; empty where one had to stand in."""


def number(value: Value | None) -> Decimal | None:
    """Read a limit: a number, or a multiple of the baseline; None where there is none."""
    if isinstance(value, str) and MULTIPLE.fullmatch(value):
        return multiple(value)
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        return None
    return Decimal(value)


def just_above(low: Decimal, high: Decimal | None, unit: Decimal) -> Decimal | None:
    """Give a value above `low` and at most `high`: the next whole unit, else `high` itself."""
    value = ((low / unit).to_integral_value(ROUND_FLOOR) + 1) * unit
    if high is None or value <= high:
        return value
    return high if high > low else None


def shares(low: Decimal, high: Decimal | None, least: int) -> Iterator[tuple[int, int]]:
    """Give `k` of `n` above the share `low` and at most `high`, smallest sets first."""
    smallest = next((n for n in range(least, 10_001) if _part(low, high, n)), None)
    if smallest is None:
        return
    for size in (smallest, *(n for n in LARGER_SETS if n > smallest)):
        count = _part(low, high, size)
        if count:
            yield count, size


def _part(low: Decimal, high: Decimal | None, size: int) -> int | None:
    """Give the least count of a set whose share is above `low`, if it is at most `high`."""
    count = int((low * size).to_integral_value(ROUND_FLOOR)) + 1
    return count if count <= size and (high is None or count <= high * size) else None
