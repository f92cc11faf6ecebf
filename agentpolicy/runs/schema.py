"""The JSON Schema (draft-07) of a run record, made from its typed definition."""

from typing import Any

import msgspec

from agentpolicy.runs.record import Duration, Money, RunRecord

_HEAD = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "$id": "urn:agentpolicy:schema:run:v1",
    "title": "agentpolicy run",
}


def run_schema() -> dict[str, Any]:
    """Generate the schema of one line of a run file."""
    (root,), parts = msgspec.json.schema_components(
        [RunRecord], schema_hook=_custom, ref_template="#/definitions/{name}"
    )
    name = root["$ref"].rsplit("/", 1)[-1]
    body = {key: value for key, value in parts.pop(name).items() if key != "title"}
    return {**_HEAD, **body, "definitions": parts}


def _custom(kind: type) -> dict[str, Any]:
    """Describe the exact number types."""
    if kind is Money:
        return {"type": "string", "pattern": r"^(0|[1-9][0-9]*)(\.[0-9]+)?$"}
    if kind is Duration:
        return {"type": "number", "minimum": 0}
    raise NotImplementedError(kind)
