"""The shipped schemas: fresh, helpful to editors, and of one mind with the models."""

import json
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from importlib.resources import files
from typing import Any

import pytest
from agentpolicy.documents.document import DocumentKind, Value
from agentpolicy.documents.rows import X_ORDER, Row
from agentpolicy.documents.schema import MODELS
from agentpolicy.loading.schemas import schema_of, validator_of
from agentpolicy.workflows.generate import schema_files
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema_rs import Draft7Validator
from pydantic import ValidationError
from tests.documents import junk, tree_of


@pytest.mark.parametrize(("name", "text"), schema_files().items())
def test_a_shipped_schema_is_the_one_its_model_gives(name: str, text: str) -> None:
    shipped = (files("agentpolicy") / "schemas" / name).read_text(encoding="utf-8")
    assert shipped == text, "run make schemas"


def leaves(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if X_ORDER in schema:
        yield schema
    for part in schema.values():
        for node in part if isinstance(part, list) else [part]:
            if isinstance(node, dict):
                yield from leaves(node)


LEAVES = [
    pytest.param(leaf, id=leaf[X_ORDER]["rule"])
    for kind in DocumentKind
    for leaf in leaves(schema_of(kind))
]


@pytest.mark.parametrize("leaf", LEAVES)
def test_an_editor_can_say_of_every_leaf_what_it_is(leaf: Mapping[str, Any]) -> None:
    row = Row.from_json(leaf[X_ORDER])
    assert leaf["description"] == row.why
    assert leaf["title"].startswith(row.rule.partition("/")[2].replace("-", " "))
    assert row.absent is None or "absent: " in leaf["title"]


@pytest.mark.parametrize("leaf", LEAVES)
def test_what_an_editor_offers_may_be_written(leaf: Mapping[str, Any]) -> None:
    assert leaf["examples"]
    for example in leaf["examples"]:
        assert Draft7Validator(dict(leaf)).is_valid(example)


@pytest.mark.parametrize("leaf", LEAVES)
def test_a_row_survives_its_way_through_the_schema(leaf: Mapping[str, Any]) -> None:
    assert Row.from_json(json.loads(json.dumps(leaf[X_ORDER]))).as_json() == leaf[X_ORDER]


@pytest.mark.parametrize("kind", DocumentKind)
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_schema_and_model_take_the_same_documents(kind: DocumentKind, data: st.DataObject) -> None:
    tree = data.draw(tree_of(schema_of(kind)))
    assert agreed(kind, tree)


@pytest.mark.parametrize("kind", DocumentKind)
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_schema_and_model_refuse_the_same_documents(
    kind: DocumentKind, data: st.DataObject
) -> None:
    """Break one value somewhere, in a way that the strict reader could hand on."""
    tree = data.draw(tree_of(schema_of(kind)))
    places = list(values_in(tree))
    at = data.draw(st.sampled_from(places))
    agreed(kind, put(tree, at, data.draw(junk)))


@pytest.mark.long
@pytest.mark.parametrize("kind", DocumentKind)
def test_schema_and_model_agree_at_large(
    kind: DocumentKind, record_property: Callable[[str, object], None]
) -> None:
    taken = []

    @settings(max_examples=2_000, deadline=None, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def each(data: st.DataObject) -> None:
        tree = data.draw(tree_of(schema_of(kind)))
        agreed(kind, tree)
        at = data.draw(st.sampled_from(list(values_in(tree))))
        taken.append(agreed(kind, put(tree, at, data.draw(junk))))

    each()
    counts = {"broken trees": len(taken), "valid all the same": sum(taken)}
    record_property("did", {"of": "schema and model", "counts": counts})


def agreed(kind: DocumentKind, tree: Value) -> bool:
    """Say whether both take a tree; they must not differ."""
    by_schema = validator_of(kind).is_valid(tree)
    try:
        MODELS[kind].model_validate(tree)
        by_model = True
    except ValidationError:
        by_model = False
    assert by_schema == by_model
    return by_schema


def values_in(value: Value, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield at
    if isinstance(value, Mapping):
        for key in value:
            yield from values_in(value[key], (*at, key))
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from values_in(item, (*at, index))


def put(value: Value, at: tuple[str | int, ...], new: Value) -> Value:
    if not at:
        return new
    first, rest = at[0], at[1:]
    if isinstance(value, Mapping):
        assert isinstance(first, str)
        return {**value, first: put(value[first], rest, new)}
    assert isinstance(value, tuple)
    assert isinstance(first, int)
    return (*value[:first], put(value[first], rest, new), *value[first + 1 :])


def test_a_number_of_the_model_is_the_number_of_the_file() -> None:
    threshold = Decimal("0.3000000000000000000000000000000001")
    fields: Mapping[str, Value] = {"text_similarity": {"threshold": threshold}}
    tree: Mapping[str, Value] = {"band_version": 1, "fields": fields}
    band = MODELS[DocumentKind.BAND].model_validate(tree)
    assert band.model_dump()["fields"]["text_similarity"]["threshold"] == threshold
