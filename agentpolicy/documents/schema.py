"""JSON Schema (draft-07) of each document, made from its typed model, with `x-order` rows."""

from collections.abc import Mapping
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from agentpolicy.documents.document import DocumentKind
from agentpolicy.documents.models.band import Band
from agentpolicy.documents.models.baseline import Baseline
from agentpolicy.documents.models.budget import Budget
from agentpolicy.documents.models.leaf import PolicyModel
from agentpolicy.documents.models.roles import Roles
from agentpolicy.documents.models.tools import Tools
from agentpolicy.documents.models.waiver import Waiver
from agentpolicy.documents.row_words import title_of
from agentpolicy.documents.rows import X_ORDER, Row

MODELS: Mapping[DocumentKind, type[PolicyModel]] = {
    DocumentKind.ROLES: Roles,
    DocumentKind.TOOLS: Tools,
    DocumentKind.BAND: Band,
    DocumentKind.BUDGET: Budget,
    DocumentKind.BASELINE: Baseline,
    DocumentKind.WAIVER: Waiver,
}


class _Draft7(GenerateJsonSchema):
    """Write what our reader reads: exact numbers, no nulls, closed objects."""

    schema_dialect = "http://json-schema.org/draft-07/schema#"

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonSchemaValue:
        """A number is a number; text never stands for one."""
        written: JsonSchemaValue = {"type": "number"}
        for bound, keyword in (("ge", "minimum"), ("le", "maximum")):
            if bound in schema:
                written[keyword] = int(schema[bound])  # type: ignore[literal-required]  # ge or le
        return written

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        """An optional leaf may be absent; it may never be null."""
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """What absence means stands in the order row, not in a default."""
        return self.generate_inner(schema["schema"])

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        """A map holds one kind of entry under names of one spelling."""
        names = self.generate_inner(schema["keys_schema"])
        entries = self.generate_inner(schema["values_schema"])
        return {"type": "object", "propertyNames": names, "additionalProperties": entries}


def schema_for(kind: DocumentKind) -> dict[str, Any]:
    """Generate the schema of one kind of document, with every reference written out."""
    raw = MODELS[kind].model_json_schema(by_alias=True, schema_generator=_Draft7)
    definitions = raw.pop("$defs", {})
    inlined = _inline(raw, definitions)
    assert isinstance(inlined, dict)
    head = {
        "$schema": _Draft7.schema_dialect,
        "$id": f"urn:agentpolicy:schema:{kind}:v1",
        "title": f"agentpolicy {kind}",
    }
    return head | {key: value for key, value in inlined.items() if key not in head}


def _inline(node: object, definitions: Mapping[str, Any]) -> object:
    """Write references out, and give each leaf the title and examples that editors show.

    Pydantic's own titles repeat the key, so they are dropped.
    """
    if isinstance(node, list):
        return [_inline(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = str(node["$ref"]).rsplit("/", 1)[-1]
        beside = {key: value for key, value in node.items() if key != "$ref"}
        return _inline(definitions[name] | beside, definitions)
    inlined = {
        key: _inline(value, definitions)
        for key, value in node.items()
        if not (key == "title" and isinstance(value, str))
    }
    return _for_editors(inlined) | inlined if X_ORDER in node else inlined


def _for_editors(leaf: Mapping[str, Any]) -> dict[str, Any]:
    """Give the title of a leaf and, where its type lists them, all that may be written."""
    title = title_of(Row.from_json(leaf[X_ORDER]))
    choices = leaf.get("enum") or ([leaf["const"]] if "const" in leaf else [])
    if leaf.get("type") == "boolean":
        choices = [True, False]
    return {"title": title} | ({"examples": choices} if choices else {})
