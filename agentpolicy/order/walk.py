"""Which leaves of two trees stand opposite each other: schema, old and new walked together.

A map holds one kind of entry under free names: its leaves are those of the names of both sides,
and a missing entry is all its leaves absent. A list whose entries name themselves is such a map
too, so that their order says nothing. A value the schema has no leaf for is a pair without a row,
which nobody can class; it is never passed over.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from agentpolicy.base.values import dataclass, replace
from agentpolicy.documents.document import Value
from agentpolicy.documents.rows import X_KEYED_BY, X_ORDER, X_SHORTHAND, Row
from agentpolicy.order.values import level_of


@dataclass(frozen=True, slots=True)
class Plan:
    """The part of a schema that order reads: a leaf with its row, or the parts of an object."""

    row: Row | None = None
    parts: Mapping[str, "Plan"] | None = None
    """The named parts of an object; None where there is nothing to look into."""
    entry: "Plan | None" = None
    """What stands under every other name: the entries of a map."""
    shorthand: str = ""
    """The key whose value may be written in the place of the whole object."""
    keyed_by: str = ""
    """The key that tells the entries of a list apart."""

    def part(self, key: str) -> "Plan":
        """Find the plan under a key; one without row and parts where the schema has none."""
        named = (self.parts or {}).get(key)
        return named or self.entry or _NOTHING


_NOTHING = Plan()


class Place(NamedTuple):
    """Where a leaf stands: its JSON pointer on the new side and on the old one."""

    new: str
    old: str

    def at(self, key: str) -> "Place":
        """Give the place under a key that both sides share."""
        token = step(key)
        return Place(self.new + token, self.old + token)


class LeafPair(NamedTuple):
    """One leaf on both sides; None is absent. A tuple, because there are very many."""

    pointer: str
    row: Row | None
    """None where the schema knows no leaf here."""
    old: Value | None
    new: Value | None
    old_stand_in: Value | None = None
    """The old side's value of the leaf that `absent_same_as` or `joined_with` names."""
    new_stand_in: Value | None = None
    old_pointer: str = ""
    """Where the leaf stands on the old side, if not at the same pointer."""
    unread: bool = False
    """Whether nothing reads the leaf on some side, so that the leaf beside it decides alone."""

    @property
    def resolved(self) -> tuple[Value | None, Value | None]:
        """Give both sides as they hold: with what stands in for them or is added to them."""
        if self.row and self.row.joined_with:
            return _joined(self.old, self.old_stand_in), _joined(self.new, self.new_stand_in)
        return (
            self.old_stand_in if self.old is None else self.old,
            self.new_stand_in if self.new is None else self.new,
        )


def plan_of(schema: Mapping[str, object]) -> Plan:
    """Read out of a JSON Schema what order needs; `x-order` marks a leaf."""
    row = schema.get(X_ORDER)
    if isinstance(row, Mapping):
        return Plan(row=Row.from_json(row))
    shorthand, keyed_by = schema.get(X_SHORTHAND), schema.get(X_KEYED_BY)
    if shorthand:
        return replace(plan_of(_object_among(schema["anyOf"])), shorthand=str(shorthand))
    properties = schema.get("properties")
    entries = schema.get("items" if keyed_by else "additionalProperties")
    parts = properties if isinstance(properties, Mapping) else {}
    if not parts and not isinstance(entries, Mapping):
        return _NOTHING
    return Plan(
        parts={key: plan_of(part) for key, part in parts.items()},
        entry=plan_of(entries) if isinstance(entries, Mapping) else None,
        keyed_by=str(keyed_by or ""),
    )


def leaf_pairs(
    plan: Plan, old: Mapping[str, Value], new: Mapping[str, Value]
) -> Iterator[LeafPair]:
    """Pair every leaf that is written on either side, in the order of the pointers' keys."""
    for pair in _walk(plan, old, new, Place("", "")):
        beside = (pair.row.absent_same_as or pair.row.joined_with) if pair.row else ""
        if beside:
            stand_ins = value_at(old, beside), value_at(new, beside)
            yield pair._replace(old_stand_in=stand_ins[0], new_stand_in=stand_ins[1])
        else:
            yield pair


def value_at(tree: Mapping[str, Value], pointer: str) -> Value | None:
    """Read the value at a JSON pointer; None where nothing is written."""
    value: Value = tree
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if not isinstance(value, Mapping) or key not in value:
            return None
        value = value[key]
    return value


@lru_cache(4096)
def step(key: str) -> str:
    """Write one key as the token of a JSON pointer (RFC 6901), with its slash."""
    return "/" + key.replace("~", "~0").replace("/", "~1")


def _walk(plan: Plan, old: Value | None, new: Value | None, place: Place) -> Iterator[LeafPair]:
    if plan.row or (not plan.parts and not plan.entry):
        yield _pair(plan.row, old, new, place)
    elif plan.keyed_by:
        yield from _walk_list(plan, old, new, place)
    elif plan.shorthand:
        yield from _walk_short(plan, old, new, place)
    elif not all(side is None or isinstance(side, Mapping) for side in (old, new)):
        yield _pair(None, old, new, place)
    else:
        before: Mapping[str, Value] = old if isinstance(old, Mapping) else {}
        after: Mapping[str, Value] = new if isinstance(new, Mapping) else {}
        for key in sorted(before.keys() | after.keys()):
            part, at = plan.part(key), place.at(key)
            if part.row:
                yield _pair(part.row, before.get(key), after.get(key), at)
            else:
                yield from _walk(part, before.get(key), after.get(key), at)


def _walk_short(
    plan: Plan, old: Value | None, new: Value | None, place: Place
) -> Iterator[LeafPair]:
    """Walk an object that may be written as one of its values, which then stands at its place."""
    short = plan.shorthand
    before, after = (
        side if isinstance(side, Mapping) else {} if side is None else {short: side}
        for side in (old, new)
    )
    row = plan.part(short).row
    levels = {level_of(row, side.get(short)) for side in (before, after)} if row else set()
    for key in sorted({*before, *after}):
        at = _place_of_short(place, short, old, new) if key == short else place.at(key)
        for pair in _walk(plan.part(key), before.get(key), after.get(key), at):
            unread = pair.row is not None and not levels.isdisjoint(pair.row.unread_beside)
            yield pair._replace(unread=True) if unread else pair


def _place_of_short(place: Place, short: str, old: Value | None, new: Value | None) -> Place:
    """Give the place of the value that may stand for its whole object, as each side writes it."""
    was, now = (
        where + step(short) if isinstance(side if side is not None else other, Mapping) else where
        for where, side, other in ((place.old, old, new), (place.new, new, old))
    )
    return Place(now, was)


def _walk_list(
    plan: Plan, old: Value | None, new: Value | None, place: Place
) -> Iterator[LeafPair]:
    """Walk a list by the names of its entries, whose places differ between the sides."""
    before, after = _by_name(plan.keyed_by, old), _by_name(plan.keyed_by, new)
    if before is None or after is None or plan.entry is None:
        yield _pair(None, old, new, place)
        return
    for name in sorted({*before, *after}):
        was, now = before.get(name), after.get(name)
        new_place = f"{place.new}/{now[0]}" if now else f"{place.old}/{was[0] if was else 0}"
        at = Place(new_place, f"{place.old}/{was[0]}" if was else new_place)
        yield from _walk(plan.entry, was[1] if was else None, now[1] if now else None, at)


def _by_name(key: str, side: Value | None) -> Mapping[str, tuple[int, Value]] | None:
    """Find the entries of a list by name; None where one has none or shares it."""
    if side is None:
        return {}
    found: dict[str, tuple[int, Value]] = {}
    for index, entry in enumerate(side if isinstance(side, tuple) else (side,)):
        name = entry.get(key) if isinstance(entry, Mapping) else None
        if not isinstance(name, str) or name in found:
            return None
        found[name] = index, entry
    return found


def _pair(row: Row | None, old: Value | None, new: Value | None, place: Place) -> LeafPair:
    elsewhere = place.old if place.old != place.new else ""
    return LeafPair(place.new, row, old, new, old_pointer=elsewhere)


def _joined(value: Value | None, shared: Value | None) -> Value | None:
    """Add the shared set to a set; what is no list stays for the comparison to refuse."""
    if value is None:
        return shared
    if isinstance(value, tuple) and isinstance(shared, tuple):
        return (*value, *(item for item in shared if item not in value))
    return value


def _object_among(choices: object) -> Mapping[str, object]:
    """Find the long form among the spellings of an object."""
    assert isinstance(choices, (list, tuple))
    return next(choice for choice in choices if "properties" in choice)
