"""The schema of each kind of document: from the package, never from the branch under review."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentpolicy.documents.document import DocumentKind, Value
from agentpolicy.documents.rows import X_ORDER, X_SHORTHAND, Row
from agentpolicy.loading.plainly_valid import plainly_valid

if TYPE_CHECKING:
    from jsonschema_rs import Draft7Validator, ValidationError

Schema = Mapping[str, Any]

_FEW = 16
"""So many documents are looked at before the validator, which is quicker at many, is loaded."""
_looked_at = count()

_FOLDER = Path(__file__).parent.parent / "schemas"


@cache
def schema_of(kind: DocumentKind) -> Schema:
    """Give the JSON Schema (draft-07, with `x-order` rows) of a kind of document."""
    schema: Schema = json.loads((_FOLDER / f"{kind}.schema.json").read_bytes())
    return schema


@cache
def validator_of(kind: DocumentKind) -> "Draft7Validator":
    """Give the compiled schema of a kind; it takes `Decimal` exactly and tuples as lists."""
    from jsonschema_rs import Draft7Validator  # noqa: PLC0415 - 8 ms, and seldom needed by hooks

    return Draft7Validator(dict(schema_of(kind)))


def errors_in(kind: DocumentKind, value: Value) -> tuple["ValidationError", ...]:
    """Find what the schema of a kind has against a document."""
    if next(_looked_at) < _FEW and plainly_valid(schema_of(kind), value):
        return ()
    return tuple(validator_of(kind).iter_errors(value))


@cache
def all_schemas() -> Mapping[DocumentKind, Schema]:
    """Give the schemas of every kind of document."""
    return {kind: schema_of(kind) for kind in DocumentKind}


@cache
def rows_of(kind: DocumentKind) -> Mapping[str, Row]:
    """Give the order row of each leaf by its pointer, `*` standing for a name or an index."""
    return dict(_rows("", schema_of(kind)))


def parts_at(schema: Schema, keys: tuple[str, ...]) -> tuple[Schema, ...]:
    """Find what a schema says about the place the keys lead to; several where it has a choice."""
    parts = _choices(schema)
    for key in keys:
        parts = tuple(
            choice
            for part in parts
            if (below := _below(part, key)) is not None
            for choice in _choices(below)
        )
    return parts


def _rows(pointer: str, schema: Schema) -> Iterator[tuple[str, Row]]:
    if X_ORDER in schema:
        yield pointer, Row.from_json(schema[X_ORDER])
        return
    if short := schema.get(X_SHORTHAND):
        written_out = next(choice for choice in schema["anyOf"] if "properties" in choice)
        for key, below in written_out["properties"].items():
            yield from _rows(pointer if key == short else f"{pointer}/{key}", below)
        return
    for key, below in schema.get("properties", {}).items():
        yield from _rows(f"{pointer}/{key}", below)
    for keyword in ("additionalProperties", "items"):
        if isinstance(below := schema.get(keyword), dict):
            yield from _rows(f"{pointer}/*", below)


def _below(schema: Schema, key: str) -> Schema | None:
    """Follow one key or index into a schema."""
    properties = schema.get("properties", {})
    if key in properties:
        found: Schema = properties[key]
        return found
    for keyword in ("additionalProperties", "items"):
        if isinstance(below := schema.get(keyword), dict):
            return below
    return None


def _choices(schema: Schema) -> tuple[Schema, ...]:
    """Write the alternatives of a schema out, each with what is said about all of them."""
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            said = {key: schema[key] for key in ("description",) if key in schema}
            return tuple(
                inner for choice in schema[keyword] for inner in _choices({**said, **choice})
            )
    return (schema,)
