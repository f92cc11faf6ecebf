"""The parts that schemas of answers are put together from (JSON Schema draft-07)."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

Shape: TypeAlias = Mapping[str, object]

DRAFT = "http://json-schema.org/draft-07/schema#"
TEXT: Shape = {"type": "string"}
COUNT: Shape = {"type": "integer", "minimum": 0}
NUMBER: Shape = {"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?$"}
"""A number is written as text, so that no reader makes a binary fraction of it."""
FLAG: Shape = {"type": "boolean"}
ANYTHING: Shape = {}
OID: Shape = {"type": "string", "pattern": "^([0-9a-f]{40}|[0-9a-f]{64})$"}
DIGEST: Shape = {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}
INSTANT: Shape = {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z$"}


def fields(**required: Shape) -> Shape:
    """Ask for at least these keys; others may come to stand beside them."""
    return {"type": "object", "properties": dict(required), "required": sorted(required)}


def also(shape: Shape, **optional: Shape) -> Shape:
    """Say of what form a key is that only some answers have."""
    properties = shape["properties"]
    assert isinstance(properties, Mapping)
    return {**shape, "properties": {**properties, **optional}}


def maybe(shape: Shape) -> Shape:
    """Allow null as well: not known, or does not apply."""
    return {"anyOf": [shape, {"type": "null"}]}


def every(shape: Shape) -> Shape:
    """Ask for a list of such things."""
    return {"type": "array", "items": shape}


def by_name(shape: Shape) -> Shape:
    """Ask for an object whose keys are names and whose values are such things."""
    return {"type": "object", "additionalProperties": shape}


def one_of(*words: str) -> Shape:
    """Ask for one of a few words."""
    return {"enum": list(words)}


def either(shapes: Sequence[Shape]) -> Shape:
    """Ask for one of several shapes."""
    return {"anyOf": list(shapes)}


def answer(command: str, **required: Shape) -> Shape:
    """Give the schema of a command's whole answer."""
    shape = fields(format_version={"const": 1}, **required)
    return {"$schema": DRAFT, "title": f"agentpolicy {command}", **shape}


PLACE = fields(path=TEXT, line=COUNT, column=COUNT)
PROBLEM = fields(code=TEXT, document=TEXT, message=TEXT, hint=TEXT, location=maybe(PLACE))
PROBLEMS = every(PROBLEM)
CLASS = one_of("tighter", "neutral", "looser", "incomparable", "unknown")
DECISION = one_of("pass", "pass_with_waivers", "fail", "inconclusive")
ROLES = every(one_of("agent-owner", "platform-owner", "proposer", "reviewer"))
