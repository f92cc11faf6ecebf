from collections.abc import Mapping
from decimal import Decimal

import pytest
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


def argument(old: Value | None, new: Value | None) -> dict[str, LeafPair]:
    def band(rule: Value | None) -> Mapping[str, Value]:
        return {"fields": {"arguments": {"t": {} if rule is None else {"a": rule}}}}

    found = pairs(SCHEMAS[DocumentKind.BAND], band(old), band(new))
    return {pointer.removeprefix("/fields/arguments/t"): pair for pointer, pair in found.items()}


def test_a_rule_written_alone_is_the_object_that_holds_nothing_else() -> None:
    (pair,) = argument("exact", "ignored").values()
    assert (pair.pointer, pair.old, pair.new) == ("/fields/arguments/t/a", "exact", "ignored")
    assert pair.row is not None
    assert pair.row.rule == "band/argument-rule"


def test_each_side_is_pointed_at_where_it_writes_the_rule() -> None:
    longer: Mapping[str, Value] = {"rule": "normalised", "tolerance": 2}
    found = argument("normalised", longer)
    assert list(found) == ["/a/rule", "/a/tolerance"]
    assert found["/a/rule"].old_pointer == "/fields/arguments/t/a"
    assert list(argument(longer, "normalised")) == ["/a", "/a/tolerance"]
    assert list(argument(longer, None)) == ["/a/rule", "/a/tolerance"]
    assert list(argument(None, longer)) == ["/a/rule", "/a/tolerance"]


def test_a_tolerance_is_read_where_both_rules_read_one() -> None:
    unread = {
        (old, new): argument({"rule": old, "tolerance": 1}, {"rule": new, "tolerance": 2})[
            "/a/tolerance"
        ].unread
        for old in ("exact", "normalised", "similar(0.90)", "ignored")
        for new in ("exact", "normalised", "similar(0.90)", "ignored")
    }
    assert {pair for pair, moot in unread.items() if not moot} == {
        (old, new)
        for old in ("normalised", "similar(0.90)")
        for new in ("normalised", "similar(0.90)")
    }


def test_the_tolerance_of_an_unnamed_argument_is_not_read() -> None:
    assert argument(None, {"rule": "similar(0.9)", "tolerance": 1})["/a/tolerance"].unread


CITES, REFUSES = "cites_source", "must_refuse"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"refund": (CITES,)}, {"all": (CITES,)}, {"all": "tighter", "refund": "neutral"}),
        (
            {"refund": (CITES, REFUSES)},
            {"all": (CITES,), "refund": (REFUSES,)},
            {"all": "tighter", "refund": "neutral"},
        ),
        (
            {"all": (CITES,), "refund": (CITES, REFUSES)},
            {"all": (CITES,), "refund": (REFUSES,)},
            {"all": "neutral", "refund": "neutral"},
        ),
        ({"all": (CITES,)}, {"refund": (CITES,)}, {"all": "looser", "refund": "neutral"}),
        (
            {"all": (CITES,), "refund": (REFUSES,)},
            {"refund": (REFUSES,)},
            {"all": "looser", "refund": "looser"},
        ),
        ({"refund": (CITES,)}, {"refund": "all"}, {"refund": "incomparable"}),
    ],
)
def test_content_asked_of_all_is_asked_of_every_class(
    old: Mapping[str, Value], new: Mapping[str, Value], expected: Mapping[str, str]
) -> None:
    schema = SCHEMAS[DocumentKind.BAND]
    found = pairs(
        schema, {"fields": {"required_content": old}}, {"fields": {"required_content": new}}
    )
    classed = {
        pointer.rsplit("/", 1)[-1]: str(compare(pair.row, *pair.resolved))
        for pointer, pair in found.items()
        if pair.row
    }
    assert classed == expected


def fixtures(*entries: Value) -> Mapping[str, Value]:
    return {"fixtures": entries}


def test_entries_of_a_list_are_paired_by_name_and_pointed_at_by_place() -> None:
    schema = SCHEMAS[DocumentKind.BASELINE]
    old = fixtures({"id": "f1", "class": "a"}, {"id": "f2"}, {"id": "gone"})
    new = fixtures({"id": "f2"}, {"id": "f1", "class": "b"}, {"id": "new"})
    found = list(leaf_pairs(plan_of(schema), old, new))
    assert [(p.pointer, p.old_pointer, p.old, p.new) for p in found] == [
        ("/fixtures/1/class", "/fixtures/0/class", "a", "b"),
        ("/fixtures/1/id", "/fixtures/0/id", "f1", "f1"),
        ("/fixtures/0/id", "/fixtures/1/id", "f2", "f2"),
        ("/fixtures/2/id", "", "gone", None),
        ("/fixtures/2/id", "", None, "new"),
    ]


def test_a_list_whose_entries_cannot_be_told_apart_has_no_row() -> None:
    schema = SCHEMAS[DocumentKind.BASELINE]
    for broken in (({"id": "f1"}, {"id": "f1"}), ({"class": "a"},), ("f1",), ({"id": 1},)):
        (pair,) = leaf_pairs(plan_of(schema), fixtures({"id": "f1"}), fixtures(*broken))
        assert (pair.pointer, pair.row) == ("/fixtures", None)
    (pair,) = leaf_pairs(plan_of(schema), fixtures({"id": "f1"}), {"fixtures": "f1"})
    assert pair.row is None
