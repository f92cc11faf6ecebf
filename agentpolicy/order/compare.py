"""Is one value of a leaf stricter than another? Its order row alone decides.

Absence is resolved by the row first, so that a default written out is no change. What the row
cannot place is `unknown`, never equal and never tighter.
"""

import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import assert_never

from agentpolicy.base.numbers import exact, multiple
from agentpolicy.documents.document import Value
from agentpolicy.documents.rows import ANY, Kind, Row
from agentpolicy.order.values import is_multiple, json_text, same, shown, split_level


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

_Rank = tuple[int, Decimal]
"""How loose a level of a chain is, and within the level: the share it carries, negated."""

_Members = frozenset[str] | str
"""A set, or a word: `exact`, whose members only the references know, or `any`, which has all."""

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
            answer = _by_rank(_rank(row, new), _rank(row, old))
        case Kind.ADDITIONS:
            answer = _by_growth(old, new)
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


def _by_rank(strict: _Rank | None, loose: _Rank | None) -> Strictness:
    """Compare ranks such that `strict` below `loose` means the change tightens."""
    if strict is None or loose is None:
        return Strictness.UNKNOWN
    if strict == loose:
        return Strictness.NEUTRAL
    return Strictness.TIGHTER if strict < loose else Strictness.LOOSER


def _rank(row: Row, value: Value | None) -> _Rank | None:
    """Find how loose a level of a chain is; None outside the chain."""
    level = row.absent if value is None else shown(row, value)
    if level in row.chain and not str(level).endswith("()"):
        return row.chain.index(level), Decimal(0)
    graded = split_level(level) if level else None
    if graded is None or f"{graded[0]}()" not in row.chain:
        return None
    return row.chain.index(f"{graded[0]}()"), graded[1].copy_negate()


def _by_growth(old: Value | None, new: Value | None) -> Strictness:
    """Compare lists of accepted things: only adding to them has a direction."""
    before, after = (
        frozenset(map(json_text, side)) if isinstance(side, tuple) else None
        for side in (() if value is None else value for value in (old, new))
    )
    if before is None or after is None:
        return Strictness.UNKNOWN
    if before == after:
        return Strictness.NEUTRAL
    return Strictness.LOOSER if before < after else Strictness.INCOMPARABLE


def _by_inclusion(smaller: _Members | None, larger: _Members | None) -> Strictness:
    """Compare sets such that `smaller` inside `larger` means the change tightens."""
    if smaller is None or larger is None:
        return Strictness.UNKNOWN
    if smaller == larger:
        return Strictness.NEUTRAL
    if isinstance(smaller, str) or isinstance(larger, str):
        return _by_word(smaller, larger)
    if smaller < larger:
        return Strictness.TIGHTER
    return Strictness.LOOSER if smaller > larger else Strictness.INCOMPARABLE


def _by_word(smaller: _Members, larger: _Members) -> Strictness:
    """Compare a word with something else as sets are compared.

    `any` holds every set. Any other word requires what only the references know: surely more than
    nothing, no more is known.
    """
    if larger == ANY or not smaller:
        return Strictness.TIGHTER
    return Strictness.LOOSER if smaller == ANY or not larger else Strictness.INCOMPARABLE


def _members(row: Row, value: Value | None) -> _Members | None:
    """Read a set, or the word of a required one; None where it is neither.

    An absent set of allowed things is only what its row says: empty and unbounded are opposites.
    """
    if value is None:
        return _members_when_absent(row)
    if isinstance(value, str):
        return value if row.kind is Kind.SUPERSET_OF and value != ANY else None
    if not isinstance(value, tuple) or not all(isinstance(item, (str, Mapping)) for item in value):
        return None
    return _texts(value)


def _members_when_absent(row: Row) -> _Members | None:
    if row.absent is None:
        return frozenset() if row.kind is Kind.SUPERSET_OF else None
    return ANY if row.absent == ANY else _texts(json.loads(row.absent))


def _texts(items: Iterable[Value]) -> frozenset[str]:
    """Tell items apart by their JSON, so that a text is never the object it spells."""
    return frozenset(map(json_text, items))


def _equal(row: Row, old: Value | None, new: Value | None) -> bool:
    """Say whether two values are one, with the row's default in the place of absence."""
    if old is None or new is None:
        before, after = (row.absent if value is None else shown(row, value) for value in (old, new))
        return before == after
    return same(row, old, new)
