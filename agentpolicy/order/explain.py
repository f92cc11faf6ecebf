"""Why a change goes the way it goes, in one sentence that a reviewer can check.

"Less" and "more" say nothing by themselves: a lower ceiling and a higher floor both tighten. So
every sentence names the two values, how they stand, and what follows for whoever reads the leaf.
"""

import json
from collections.abc import Mapping

from agentpolicy.documents.document import Value
from agentpolicy.documents.rows import ANY, Kind, Reader, Row
from agentpolicy.order.compare import Strictness
from agentpolicy.order.values import json_text, shown

UNREAD = "nothing reads it beside this rule, which decides alone"
"""What is said of a leaf that changed where the leaf beside it makes it moot."""

_TIGHTER: Mapping[Reader, str] = {
    Reader.RUN: "a run that was accepted can be refused now",
    Reader.RELEASE: "a set of runs that was accepted can be refused now",
    Reader.ROUTE: "a release can need more review now",
    Reader.FLAG: "reports carry a note where they did not",
    Reader.WAIVER: "a waiver that was allowed can be refused now",
    Reader.GUARD: "the guard stops a run sooner",
    Reader.ADMISSION: "a change that could land can be refused now",
    Reader.NOBODY: "no verdict reads it",
}
_LOOSER: Mapping[Reader, str] = {
    Reader.RUN: "a run that was refused can be accepted now",
    Reader.RELEASE: "a set of runs that was refused can be accepted now",
    Reader.ROUTE: "a release can go out with less review now",
    Reader.FLAG: "reports no longer carry a note where they did",
    Reader.WAIVER: "a waiver that was refused can be allowed now",
    Reader.GUARD: "the guard lets a run go on for longer",
    Reader.ADMISSION: "a change that was refused can land now",
    Reader.NOBODY: "no verdict reads it",
}


def why(row: Row, old: Value | None, new: Value | None, strictness: Strictness) -> str:
    """Say in one sentence how `new` stands to `old` and what follows."""
    match strictness:
        case Strictness.TIGHTER:
            return f"{_relation(row, old, new, strictness)}: {_TIGHTER[row.reader]}"
        case Strictness.LOOSER:
            return f"{_relation(row, old, new, strictness)}: {_LOOSER[row.reader]}"
        case Strictness.UNKNOWN:
            return (
                f"{_named(row, old)} and {_named(row, new)} cannot both be placed: nobody can say"
            )
        case Strictness.INCOMPARABLE:
            return _incomparable(row, old, new)
        case Strictness.NEUTRAL:
            return _neutral(row)


def _neutral(row: Row) -> str:
    if row.kind is Kind.RECORD:
        return "a record: no verdict reads it"
    if row.kind is Kind.VERSION:
        return "counts the states of the document; admission checks it"
    return "the same rule, written out or left to its default"


def _incomparable(row: Row, old: Value | None, new: Value | None) -> str:
    if row.kind is Kind.ROOT:
        return "part of the trust root: no change of it is a tightening"
    if row.kind in (Kind.SUBSET_OF, Kind.SUPERSET_OF):
        if isinstance(old, tuple) and isinstance(new, tuple):
            return f"{_membership(row, old, new)}: what one gives the other does not take back"
        return f"{_named(row, old)} and {_named(row, new)} do not contain each other"
    if row.kind is Kind.ADDITIONS:
        return "entries were taken out or altered: only adding some has a direction"
    if row.reader in (Reader.RUN, Reader.RELEASE):
        return "not ordered: any change of it can accept what was refused"
    return f"not ordered: after any change of it {_LOOSER[row.reader]}"


def _relation(row: Row, old: Value | None, new: Value | None, strictness: Strictness) -> str:
    """Say how the new value stands to the old one, in the words of its kind."""
    tighter = strictness is Strictness.TIGHTER
    if row.kind is Kind.ADDITIONS:
        return f"now accepts {', '.join(_gained(row, old, new))}"
    if row.kind in (Kind.SUBSET_OF, Kind.SUPERSET_OF):
        return _membership(row, old, new)
    if row.kind is Kind.CHAIN:
        words = "stricter than" if tighter else "looser than"
        return f"{_named(row, new)} is {words} {_named(row, old)}"
    if new is None and row.absent is None:
        return f"the limit {shown(row, old)} is gone"
    if old is None and row.absent is None:
        return f"{shown(row, new)} is a limit where there was none"
    word = "lower" if tighter == (row.kind is Kind.MAX_LIMIT) else "higher"
    return f"{_named(row, new)} is {word} than {_named(row, old)}"


def _membership(row: Row, old: Value | None, new: Value | None) -> str:
    if row.absent == ANY and new is None:
        return f"all are allowed again where only {', '.join(_items(row, old))} were"
    if row.absent == ANY and old is None:
        return f"only {', '.join(_items(row, new)) or 'none'} of all are still allowed"
    add, drop = ("allows", "no longer allows")
    if row.kind is Kind.SUPERSET_OF:
        add, drop = ("requires", "no longer requires")
    gained, lost = (", ".join(_gained(row, *sides)) for sides in ((old, new), (new, old)))
    parts = ([f"now {add} {gained}"] if gained else []) + ([f"{drop} {lost}"] if lost else [])
    return " and ".join(parts)


def _gained(row: Row, old: Value | None, new: Value | None) -> tuple[str, ...]:
    """List what a set has on the new side only."""
    before = _items(row, old)
    return tuple(item for item in _items(row, new) if item not in before)


def _items(row: Row, value: Value | None) -> tuple[str, ...]:
    """List the members of a set in words; absence is what it stands for."""
    if value is None and row.absent not in (None, ANY):
        value = tuple(json.loads(str(row.absent)))
    if isinstance(value, tuple):
        return tuple(sorted({_item(item) for item in value}))
    text = shown(row, value)
    return () if text is None else (text,)


def _item(item: Value) -> str:
    """Write one member as a reader would: a text bare, an object by its entries."""
    if isinstance(item, str):
        return item
    if not isinstance(item, Mapping):
        return json_text(item)
    if len(item) == 1:
        ((key, value),) = item.items()
        return f"{key}: {json_text(value)}"
    return json_text(item)


def _named(row: Row, value: Value | None) -> str:
    """Name a value; absence is named by what it stands for."""
    text = shown(row, value)
    if text is not None:
        return text
    return f"{row.absent} (which absence stands for)" if row.absent else "absent"
