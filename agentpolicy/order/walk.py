"""Which leaves of two trees stand opposite each other: schema, old and new walked together.

A map holds one kind of entry under free names: its leaves are those of the names of both sides,
and a missing entry is all its leaves absent. A value the schema has no leaf for is a pair without
a row, which nobody can class; it is never passed over.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from agentpolicy.documents.document import Value
from agentpolicy.documents.rows import X_ORDER, Row


@dataclass(frozen=True, slots=True)
class Plan:
    """The part of a schema that order reads: a leaf with its row, or the parts of an object."""

    row: Row | None = None
    parts: Mapping[str, "Plan"] | None = None
    """The named parts of an object; None where there is nothing to look into."""
    entry: "Plan | None" = None
    """What stands under every other name: the entries of a map."""

    def part(self, key: str) -> "Plan":
        """Find the plan under a key; one without row and parts where the schema has none."""
        named = (self.parts or {}).get(key)
        return named or self.entry or _NOTHING


_NOTHING = Plan()


@dataclass(frozen=True, slots=True)
class LeafPair:
    """One leaf on both sides; None is absent."""

    pointer: str
    row: Row | None
    """None where the schema knows no leaf here."""
    old: Value | None
    new: Value | None
    old_stand_in: Value | None = None
    """The old side's value of the leaf that `absent_same_as` names."""
    new_stand_in: Value | None = None

    @property
    def resolved(self) -> tuple[Value | None, Value | None]:
        """Give both sides with the stand-in put in where the leaf is absent."""
        return (
            self.old_stand_in if self.old is None else self.old,
            self.new_stand_in if self.new is None else self.new,
        )


def plan_of(schema: Mapping[str, object]) -> Plan:
    """Read out of a JSON Schema what order needs; `x-order` marks a leaf."""
    row = schema.get(X_ORDER)
    if isinstance(row, Mapping):
        return Plan(row=Row.from_json(row))
    properties, entries = schema.get("properties"), schema.get("additionalProperties")
    parts = properties if isinstance(properties, Mapping) else {}
    if not parts and not isinstance(entries, Mapping):
        return _NOTHING
    return Plan(
        parts={key: plan_of(part) for key, part in parts.items()},
        entry=plan_of(entries) if isinstance(entries, Mapping) else None,
    )


def leaf_pairs(
    plan: Plan, old: Mapping[str, Value], new: Mapping[str, Value]
) -> Iterator[LeafPair]:
    """Pair every leaf that is written on either side, in the order of the pointers' keys."""
    for pair in _walk(plan, old, new, ""):
        same_as = pair.row.absent_same_as if pair.row else ""
        if same_as:
            stand_ins = value_at(old, same_as), value_at(new, same_as)
            yield LeafPair(pair.pointer, pair.row, pair.old, pair.new, *stand_ins)
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


def step(key: str) -> str:
    """Write one key as the token of a JSON pointer (RFC 6901), with its slash."""
    return "/" + key.replace("~", "~0").replace("/", "~1")


def _walk(plan: Plan, old: Value | None, new: Value | None, pointer: str) -> Iterator[LeafPair]:
    if plan.row or (not plan.parts and not plan.entry):
        yield LeafPair(pointer, plan.row, old, new)
        return
    if not all(side is None or isinstance(side, Mapping) for side in (old, new)):
        yield LeafPair(pointer, None, old, new)
        return
    before: Mapping[str, Value] = old if isinstance(old, Mapping) else {}
    after: Mapping[str, Value] = new if isinstance(new, Mapping) else {}
    for key in sorted({*before, *after}):
        yield from _walk(plan.part(key), before.get(key), after.get(key), pointer + step(key))
