"""Accepts values that a schema accepts beyond doubt, with nothing to import and nothing to compile.

Most hooks look at a handful of ordinary documents, for which loading the validator takes longer
than all they do. Where this doubts, it says nothing, and the validator decides.
"""

# ruff: noqa: ANN401 - what a schema says, and of which value, is any JSON

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cache
from typing import Any

from agentpolicy.documents.document import Value

_SAY_NOTHING = frozenset(
    {"$id", "$schema", "description", "examples", "title", "x-keyed-by", "x-order", "x-shorthand"}
)
_TYPES: Mapping[str, frozenset[type]] = {
    "object": frozenset({dict}),
    "array": frozenset({tuple}),
    "string": frozenset({str}),
    "boolean": frozenset({bool}),
    "integer": frozenset({int}),
    "number": frozenset({int, Decimal}),
}


def plainly_valid(schema: Mapping[str, Any], value: Value) -> bool:
    """Say whether a draft-07 schema accepts a value for sure; False where it may or does not."""
    return all(
        keyword in _SAY_NOTHING or (keyword in _HOLDS and _HOLDS[keyword](said, value, schema))
        for keyword, said in schema.items()
    )


def _has_type(said: Any, value: Any, _: Any) -> bool:
    return isinstance(said, str) and value.__class__ in _TYPES.get(said, ())


def _is_one_of(said: Any, value: Any, _: Any) -> bool:
    return value.__class__ is str and value in said


def _is_this(said: Any, value: Any, _: Any) -> bool:
    return value.__class__ is said.__class__ is str and value == said


def _at_least(said: Any, value: Any, _: Any) -> bool:
    return _is_number(said) and _is_number(value) and bool(value >= said)


def _at_most(said: Any, value: Any, _: Any) -> bool:
    return _is_number(said) and _is_number(value) and bool(value <= said)


def _is_number(value: Any) -> bool:
    return value.__class__ in _TYPES["number"]


def _matches(said: Any, value: Any, _: Any) -> bool:
    """Hold a pattern to printable ASCII only, where every kind of expression means the same."""
    plain = value.__class__ is str and value.isascii() and value.isprintable()
    return plain and _expression(said).search(value) is not None


@cache
def _expression(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _long_enough(said: Any, value: Any, _: Any) -> bool:
    return value.__class__ is str and len(value) >= said


def _short_enough(said: Any, value: Any, _: Any) -> bool:
    return value.__class__ is str and len(value) <= said


def _enough_items(said: Any, value: Any, _: Any) -> bool:
    return value.__class__ is tuple and len(value) >= said


def _all_differ(said: Any, value: Any, _: Any) -> bool:
    texts = value.__class__ is tuple and all(item.__class__ is str for item in value)
    return said is True and texts and len(set(value)) == len(value)


def _items_fit(said: Any, value: Any, _: Any) -> bool:
    return value.__class__ is tuple and all(plainly_valid(said, item) for item in value)


def _has_keys(said: Any, value: Any, _: Any) -> bool:
    return value.__class__ is dict and all(key in value for key in said)


def _names_fit(said: Any, value: Any, _: Any) -> bool:
    return value.__class__ is dict and all(plainly_valid(said, name) for name in value)


def _entries_fit(said: Any, value: Any, _: Any) -> bool:
    return value.__class__ is dict and all(
        plainly_valid(said[key], below) for key, below in value.items() if key in said
    )


def _others_fit(said: Any, value: Any, schema: Any) -> bool:
    if value.__class__ is not dict:
        return False
    known = schema.get("properties", {})
    others = [below for key, below in value.items() if key not in known]
    if said is False:
        return not others
    return said.__class__ is dict and all(plainly_valid(said, below) for below in others)


def _fits_a_choice(said: Any, value: Any, _: Any) -> bool:
    return any(plainly_valid(choice, value) for choice in said)


_HOLDS: Mapping[str, Callable[[Any, Any, Any], bool]] = {
    "type": _has_type,
    "enum": _is_one_of,
    "const": _is_this,
    "minimum": _at_least,
    "maximum": _at_most,
    "pattern": _matches,
    "minLength": _long_enough,
    "maxLength": _short_enough,
    "minItems": _enough_items,
    "uniqueItems": _all_differ,
    "items": _items_fit,
    "required": _has_keys,
    "propertyNames": _names_fit,
    "properties": _entries_fit,
    "additionalProperties": _others_fit,
    "anyOf": _fits_a_choice,
}
"""What is held for each keyword; a schema with any other is left to the validator."""
