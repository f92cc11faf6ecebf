"""The schemas mean the same to another validator: what ours accepts, the Python one does too."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from agentpolicy.base.errors import InputError
from agentpolicy.documents.document import DocumentKind, Value
from agentpolicy.loading.document import read_document
from agentpolicy.loading.plainly_valid import plainly_valid
from agentpolicy.loading.schemas import schema_of, validator_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator  # type: ignore[import-untyped]  # ships no types
from tests.laws.spelling import written
from tests.written import BAND_PATH, BUDGET_PATH, TOOLS_PATH, WAIVER_PATH

PATHS = {
    DocumentKind.ROLES: "policies/roles.yaml",
    DocumentKind.TOOLS: TOOLS_PATH,
    DocumentKind.BAND: BAND_PATH,
    DocumentKind.BUDGET: BUDGET_PATH,
    DocumentKind.BASELINE: "policies/baselines/refund-agent.yaml",
    DocumentKind.WAIVER: WAIVER_PATH,
}
BEYOND_THE_SCHEMA = {"contradiction", "name-mismatch"}


def from_schema(schema: Mapping[str, Any]) -> st.SearchStrategy[Value]:
    """Generate values a schema of ours accepts."""
    if "anyOf" in schema:
        return st.one_of([from_schema(choice) for choice in schema["anyOf"]])
    if "const" in schema or "enum" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    return MAKERS[schema["type"]](schema)


def integers(schema: Mapping[str, Any]) -> st.SearchStrategy[Value]:
    return st.integers(schema.get("minimum", -5), schema.get("maximum", 100))


def numbers(schema: Mapping[str, Any]) -> st.SearchStrategy[Value]:
    low, high = schema.get("minimum", -5), schema.get("maximum", 100)
    return st.decimals(low, high, places=2).map(lambda number: number + 0)


def arrays(schema: Mapping[str, Any]) -> st.SearchStrategy[Value]:
    least, unique = schema.get("minItems", 0), schema.get("uniqueItems", False)
    items = from_schema(schema["items"])
    told_apart = (lambda item: json.dumps(as_json(item), sort_keys=True)) if unique else None
    return st.lists(items, min_size=least, max_size=3, unique_by=told_apart).map(tuple)


def strings(schema: Mapping[str, Any]) -> st.SearchStrategy[str]:
    if "pattern" not in schema:
        return st.sampled_from(
            ["a", "two words", "- '#: \"", "12", "x" * schema.get("maxLength", 9)]
        )
    return st.sampled_from([text for text in SPELLINGS if re.search(schema["pattern"], text)])


def objects(schema: Mapping[str, Any]) -> st.SearchStrategy[Value]:
    if "properties" not in schema:
        names = strings(schema["propertyNames"])
        return st.dictionaries(names, from_schema(schema["additionalProperties"]), max_size=3)
    properties = {key: from_schema(below) for key, below in schema["properties"].items()}
    required = {key: properties.pop(key) for key in schema.get("required", ())}
    return st.fixed_dictionaries(required, optional=properties)


SPELLINGS = [
    "1.5x", "0x", "2026-03-02", f"sha256:{'0a' * 32}", "0a" * 16, "refs/heads/main", "w-2026-014",
    "refund-agent", "a", "calendar.search", "mail/send:x", "bands/a", "budgets/a.b", "mail.reply",
    "arguments.mail.send.to", "lexical-indel@1", "similar(0.90)", "exact", "ignored",
]  # fmt: skip
"""Texts of every form that a schema asks for."""
MAKERS: Mapping[str, Callable[[Mapping[str, Any]], st.SearchStrategy[Value]]] = {
    "boolean": lambda _: st.booleans(),
    "integer": integers,
    "number": numbers,
    "string": strings,
    "array": arrays,
    "object": objects,
}
ODD = st.one_of(
    st.sampled_from(["", "exact", "1.5x", "1.5", "2026-03-02", "read", "x" * 1001, "sha256:"]),
    st.integers(-2, 3),
    st.decimals(-2, 3, places=1).filter(bool),
    st.booleans(),
    st.just(()),
    st.just({}),
    st.just(("a", "a")),
    st.just({"min": 1}),
)  # fmt: skip


@st.composite
def nearly_valid(draw: st.DrawFn, kind: DocumentKind) -> Mapping[str, Value]:
    """Take a tree the schema accepts and, mostly, put something odd into it."""
    tree = draw(from_schema(schema_of(kind)))
    assert isinstance(tree, Mapping)
    for _ in range(draw(st.integers(0, 2))):
        tree = with_odd(draw, tree)
    return tree


def with_odd(draw: st.DrawFn, tree: Mapping[str, Value]) -> Mapping[str, Value]:
    """Drop, add or replace one entry, at any depth of mappings."""
    changed = dict(tree)
    if not changed:
        return {"odd": draw(ODD)}
    key = draw(st.sampled_from(sorted(changed)))
    below = changed[key]
    if isinstance(below, Mapping) and below and draw(st.booleans()):
        changed[key] = with_odd(draw, below)
        return changed
    match draw(st.sampled_from(["drop", "add", "replace", "replace"])):
        case "drop":
            del changed[key]
        case "add":
            changed[draw(st.sampled_from(["odd", f"{key}s"]))] = draw(ODD)
        case _:
            changed[key] = draw(ODD)
    return changed


def as_json(value: Value) -> object:
    if isinstance(value, Mapping):
        return {key: as_json(below) for key, below in value.items()}
    return [as_json(item) for item in value] if isinstance(value, tuple) else value


def the_schema_accepts(path: str, tree: Mapping[str, Value]) -> bool:
    try:
        read_document(path, written(tree).encode())
    except InputError as refused:
        return {problem.code for problem in refused.problems} <= BEYOND_THE_SCHEMA
    return True


@pytest.mark.parametrize("kind", list(DocumentKind))
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_another_validator_accepts_and_refuses_the_same_trees(
    kind: DocumentKind, data: st.DataObject
) -> None:
    tree = data.draw(nearly_valid(kind).filter(bool))
    theirs = Draft7Validator(schema_of(kind)).is_valid(as_json(tree))
    assert the_schema_accepts(PATHS[kind], tree) == theirs


@pytest.mark.parametrize("kind", list(DocumentKind))
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_what_is_plainly_valid_is_valid(kind: DocumentKind, data: st.DataObject) -> None:
    tree = data.draw(nearly_valid(kind))
    accepted = plainly_valid(schema_of(kind), tree)
    assert not accepted or validator_of(kind).is_valid(tree)
