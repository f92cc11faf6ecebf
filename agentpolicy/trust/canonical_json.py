"""Reads canonical JSON: text that is not the one spelling of what it says is refused.

So two parsers can never see two different things in one signed text, and nothing (a duplicate
key, a blank, an escape, another number format) can be hidden in it.
"""

import json
from collections.abc import Mapping

from agentpolicy.base.canonical import canonical_bytes


def read_canonical(data: bytes) -> Mapping[str, object]:
    """Read one JSON object in the spelling of `canonical_bytes`.

    Raises:
        ValueError: no JSON, no object, or any other spelling of it.
    """
    fields = read_loosely(data)
    try:
        spelled = canonical_bytes(fields)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"it is not JSON that can be signed: {error}") from error
    if spelled != data:
        raise ValueError("it is not the canonical spelling of what it says")
    return fields


def read_loosely(data: bytes) -> Mapping[str, object]:
    """Read one JSON object in any spelling, for callers that spell it again and compare.

    Raises:
        ValueError: no JSON, or no object.
    """
    try:
        value = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is not JSON: {error}") from error
    if isinstance(value, dict):
        return value
    raise ValueError("it is JSON, but not an object")


def only_keys(fields: Mapping[str, object], required: set[str], optional: set[str]) -> None:
    """Refuse an object with other keys than these.

    Raises:
        ValueError: a key is missing or unknown, with its name.
    """
    if fields.keys() == required:  # nearly always, and much the quickest
        return
    missing, unknown = required - fields.keys(), fields.keys() - required - optional
    if missing or unknown:
        name = min(missing or unknown)
        raise ValueError(f"{name!r} is {'missing' if missing else 'unknown'}")


def text_at(fields: Mapping[str, object], key: str) -> str:
    """Give the text under a key that is there.

    Raises:
        ValueError: it is no text.
    """
    value = fields[key]
    if isinstance(value, str):
        return value
    raise ValueError(f"{key!r} is not text")


def objects_at(fields: Mapping[str, object], key: str) -> tuple[Mapping[str, object], ...]:
    """Give the objects of the list under a key that is there.

    Raises:
        ValueError: it is no list of objects.
    """
    value = fields[key]
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return tuple(value)
    raise ValueError(f"{key!r} is not a list of objects")
