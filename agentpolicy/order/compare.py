"""Is one value of a leaf stricter than another? Its order row alone decides.

Absence is resolved by the row first, so that a default written out is no change. What the row
cannot place is `unknown`, never equal and never tighter.
"""

from decimal import Decimal
from enum import StrEnum
from typing import assert_never

from agentpolicy.base.numbers import exact, multiple
from agentpolicy.documents.document import Value
from agentpolicy.documents.rows import Kind, Row
from agentpolicy.order.values import is_multiple, same, shown


class Strictness(StrEnum):
    """What a new value, document or policy accepts beside the old one."""

    NEUTRAL = "neutral"
    """Exactly the same."""
    TIGHTER = "tighter"
    """Nothing that was not accepted."""
    LOOSER = "looser"
    """All that was accepted, and more."""
    INCOMPARABLE = "incomparable"
    """Some of what was not accepted, and not all that was."""
    UNKNOWN = "unknown"
    """Nobody can say; treated as a loosening."""


_Height = tuple[Decimal, str]
"""A number and its unit; an absent limit is infinite and has no unit, so it fits any."""

_Members = frozenset[str] | str
"""A set, or a word such as `exact` whose members only the references know."""

_NO_LIMIT = {Kind.MAX_LIMIT: Decimal("Infinity"), Kind.MIN_LIMIT: Decimal("-Infinity")}


def compare(row: Row, old: Value | None, new: Value | None) -> Strictness:
    """Class the change of one leaf from `old` to `new`; None is an absent leaf.

    A row with `absent_same_as` expects the value that stands in to be put in by the caller,
    because it is read from another leaf (see `order.walk`).
    """
    match row.kind:
        case Kind.MAX_LIMIT:
            answer = _by_height(_height(row, new), _height(row, old))
        case Kind.MIN_LIMIT:
            answer = _by_height(_height(row, old), _height(row, new))
        case Kind.SUBSET_OF:
            answer = _by_inclusion(_members(row, new), _members(row, old))
        case Kind.SUPERSET_OF:
            answer = _by_inclusion(_members(row, old), _members(row, new))
        case Kind.CHAIN:
            answer = _by_height(_level(row, new), _level(row, old))
        case Kind.RECORD | Kind.VERSION:
            answer = Strictness.NEUTRAL
        case Kind.OPAQUE | Kind.ROOT:
            answer = Strictness.NEUTRAL if _equal(row, old, new) else Strictness.INCOMPARABLE
        case _:
            assert_never(row.kind)
    return answer


def _by_height(strict: _Height | None, loose: _Height | None) -> Strictness:
    """Compare heights such that `strict` below `loose` means the change tightens."""
    if strict is None or loose is None:
        return Strictness.UNKNOWN
    (low, low_unit), (high, high_unit) = strict, loose
    if low_unit and high_unit and low_unit != high_unit:
        return Strictness.UNKNOWN
    if low == high:
        return Strictness.NEUTRAL
    return Strictness.TIGHTER if low < high else Strictness.LOOSER


def _height(row: Row, value: Value | None) -> _Height | None:
    """Read a limit; None where the value is no limit of any unit."""
    if value is None:
        return (_NO_LIMIT[row.kind], "") if row.absent is None else _written(row.absent)
    if isinstance(value, str):
        return _written(value) if is_multiple(value) else None
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        return None
    number = Decimal(value)
    return (number, "number") if number.is_finite() else None


def _written(text: str) -> _Height | None:
    """Read a limit from text: a multiple, or a number that stands for absence."""
    try:
        return (multiple(text), "multiple") if is_multiple(text) else (exact(text), "number")
    except ValueError:
        return None


def _level(row: Row, value: Value | None) -> _Height | None:
    """Find how loose a level of a chain is; None outside the chain."""
    level = row.absent if value is None else shown(row, value)
    return (Decimal(row.chain.index(level)), "level") if level in row.chain else None


def _by_inclusion(smaller: _Members | None, larger: _Members | None) -> Strictness:
    """Compare sets such that `smaller` inside `larger` means the change tightens."""
    if smaller is None or larger is None:
        return Strictness.UNKNOWN
    if smaller == larger:
        return Strictness.NEUTRAL
    if isinstance(smaller, str) or isinstance(larger, str):
        # A word requires what only the references know: surely more than nothing, no more is known.
        if not smaller:
            return Strictness.TIGHTER
        return Strictness.INCOMPARABLE if larger else Strictness.LOOSER
    if smaller < larger:
        return Strictness.TIGHTER
    return Strictness.LOOSER if smaller > larger else Strictness.INCOMPARABLE


def _members(row: Row, value: Value | None) -> _Members | None:
    """Read a set, or the word of a required one; None where it is neither.

    An absent set of allowed things is not guessed at: empty and unbounded are opposites.
    """
    if value is None:
        return frozenset() if row.kind is Kind.SUPERSET_OF and row.absent is None else None
    if isinstance(value, str):
        return value if row.kind is Kind.SUPERSET_OF else None
    if not isinstance(value, tuple):
        return None
    members = frozenset(item for item in value if isinstance(item, str))
    return members if all(isinstance(item, str) for item in value) else None


def _equal(row: Row, old: Value | None, new: Value | None) -> bool:
    """Say whether two values are one, with the row's default in the place of absence."""
    if old is None or new is None:
        before, after = (row.absent if value is None else shown(row, value) for value in (old, new))
        return before == after
    return same(row, old, new)
