from collections.abc import Mapping
from decimal import Decimal

from agentpolicy.documents.document import DocumentKind, Value
from agentpolicy.documents.rows import X_ORDER
from agentpolicy.order.compare import Strictness, compare
from agentpolicy.order.walk import LeafPair, leaf_pairs, plan_of, step, value_at
from tests.policies import SCHEMAS


def limit(rule: str, **more: str) -> dict[str, object]:
    row = {"rule": rule, "kind": "min-limit", "reader": "run", "why": "A limit.", **more}
    return {"type": "number", X_ORDER: row}


def pairs(
    schema: Mapping[str, object], old: Mapping[str, Value], new: Mapping[str, Value]
) -> dict[str, LeafPair]:
    return {pair.pointer: pair for pair in leaf_pairs(plan_of(schema), old, new)}


def test_leaves_written_on_either_side_are_paired_by_pointer() -> None:
    schema = {"properties": {"a": limit("x/a"), "b": {"properties": {"c": limit("x/c")}}}}
    found = pairs(schema, {"a": 1}, {"b": {"c": 2}})
    assert [(p.pointer, p.old, p.new) for p in found.values()] == [
        ("/a", 1, None),
        ("/b/c", None, 2),
    ]


def test_a_map_is_compared_over_the_names_of_both_sides() -> None:
    schema = {"additionalProperties": {"properties": {"min": limit("x/min")}}}
    found = pairs(schema, {"p": {"min": 1}, "q": {"min": 2}}, {"q": {"min": 3}, "r": {"min": 4}})
    assert {pointer: (p.old, p.new) for pointer, p in found.items()} == {
        "/p/min": (1, None),
        "/q/min": (2, 3),
        "/r/min": (None, 4),
    }


def test_a_tool_that_is_not_listed_has_every_leaf_absent() -> None:
    tool: Mapping[str, Value] = {"effect": "read", "requires": ("db.backup",)}
    found = pairs(SCHEMAS[DocumentKind.TOOLS], {"tools": {}}, {"tools": {"db.drop": tool}})
    classed = {
        pointer: compare(pair.row, pair.old, pair.new)
        for pointer, pair in found.items()
        if pair.row
    }
    assert classed == {
        "/tools/db.drop/effect": Strictness.LOOSER,
        "/tools/db.drop/requires": Strictness.TIGHTER,
    }


def test_a_key_the_schema_does_not_know_is_a_pair_without_a_row() -> None:
    schema = {"properties": {"a": limit("x/a")}, "additionalProperties": False}
    found = pairs(schema, {"a": 1, "z": 1}, {"a": 1, "z": 1})
    assert found["/a"].row is not None
    assert found["/z"].row is None


def test_a_schema_node_without_a_row_is_not_passed_over() -> None:
    found = pairs({"properties": {"a": {"type": "number"}}}, {"a": 1}, {"a": 2})
    assert found["/a"] == LeafPair("/a", None, 1, 2)


def test_a_value_where_an_object_belongs_is_a_pair_without_a_row() -> None:
    schema = {"properties": {"a": {"properties": {"b": limit("x/b")}}}}
    assert pairs(schema, {"a": {"b": 1}}, {"a": 5})["/a"].row is None


def test_a_leaf_that_is_an_object_is_one_pair() -> None:
    found = pairs(SCHEMAS[DocumentKind.ROLES], {"owners": {"bands/a": ("x",)}}, {})
    assert list(found) == ["/owners"]


def test_an_absent_entry_takes_the_value_of_the_leaf_its_row_names() -> None:
    schema = {
        "properties": {
            "threshold": limit("x/threshold"),
            "classes": {"additionalProperties": limit("x/class", absent_same_as="/threshold")},
        }
    }
    old = {"threshold": Decimal("0.9")}
    new: Mapping[str, Value] = {
        "threshold": Decimal("0.8"),
        "classes": {"formatting": Decimal("0.9")},
    }
    pair = pairs(schema, old, new)["/classes/formatting"]
    assert pair.row is not None
    assert (pair.old, pair.new) == (None, Decimal("0.9"))
    assert compare(pair.row, *pair.resolved) is Strictness.NEUTRAL


def test_a_stand_in_that_is_absent_too_leaves_the_row_to_decide() -> None:
    classes = {"additionalProperties": limit("x/class", absent_same_as="/threshold")}
    pair = pairs({"properties": {"classes": classes}}, {}, {"classes": {"a": 1}})["/classes/a"]
    assert pair.resolved == (None, 1)


def test_pointers_escape_what_separates_them() -> None:
    name = "mcp/files~v2"
    found = pairs({"additionalProperties": limit("x/a")}, {name: 1}, {})
    assert list(found) == ["/mcp~1files~0v2"] == [step(name)]
    assert value_at({name: 1}, step(name)) == 1


def test_the_order_of_keys_in_a_file_does_not_show() -> None:
    schema = {"additionalProperties": limit("x/a")}
    assert list(pairs(schema, {"b": 1, "a": 2}, {"c": 1})) == ["/a", "/b", "/c"]
