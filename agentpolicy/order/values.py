"""The one canonical text of a value, so that `0.90` and `0.9` are one value to every reader."""

import re
from collections.abc import Mapping
from decimal import Decimal
from json.encoder import encode_basestring

from agentpolicy.base.numbers import MULTIPLE, multiple, plain
from agentpolicy.documents.document import Value
from agentpolicy.documents.rows import Kind, Row

_GRADED = re.compile(r"([a-z_]+)\((0(?:\.[0-9]+)?|1(?:\.0+)?)\)")
"""A level of a chain that carries a share, such as `similar(0.90)`."""
_LIMITS = (Kind.MAX_LIMIT, Kind.MIN_LIMIT)
_SETS = (Kind.SUBSET_OF, Kind.SUPERSET_OF, Kind.ADDITIONS)


def shown(row: Row | None, value: Value | None) -> str | None:
    """Write a value as findings show it; None where the leaf is absent.

    A set is sorted, a number has no trailing zeros, and a structure is JSON.
    """
    if value is None:
        return None
    kind = row.kind if row else None
    if isinstance(value, str):
        return _text(kind, value)
    if isinstance(value, tuple) and kind in _SETS:
        return "[" + ", ".join(sorted({json_text(item) for item in value})) + "]"
    return json_text(value)


def _text(kind: Kind | None, text: str) -> str:
    """Write a number within a text without trailing zeros."""
    if kind in _LIMITS and is_multiple(text):
        return f"{plain(multiple(text))}x"
    if kind is Kind.CHAIN and (graded := split_level(text)):
        return f"{graded[0]}({plain(graded[1])})"
    return text


def split_level(text: str) -> tuple[str, Decimal] | None:
    """Split a level that carries a share, `similar(0.9)`; None where it carries none."""
    found = _GRADED.fullmatch(text)
    return (found[1], Decimal(found[2])) if found else None


def level_of(row: Row | None, value: Value | None) -> str | None:
    """Name the level a value of a chain stands on, without its share."""
    text = shown(row, value)
    if text is None:
        text = row.absent if row else None
    graded = split_level(text) if text else None
    return graded[0] if graded else text


def same(row: Row | None, old: Value | None, new: Value | None) -> bool:
    """Say whether two values of a leaf differ in spelling at most."""
    return _family(old) == _family(new) and shown(row, old) == shown(row, new)


def is_multiple(text: str) -> bool:
    """Say whether a text is a multiple of the baseline such as `1.5x`."""
    return MULTIPLE.fullmatch(text) is not None


def json_text(value: Value) -> str:
    """Write a value as JSON with sorted keys and every number exact."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, Decimal)):
        return plain(value)
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, Mapping):
        entries = (f"{json_text(key)}: {json_text(value[key])}" for key in sorted(value))
        return "{" + ", ".join(entries) + "}"
    return "[" + ", ".join(json_text(item) for item in value) + "]"


def _family(value: Value | None) -> str:
    """Tell `true` from `"true"` and `1` from `"1"`, whose texts are equal."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, Decimal)):
        return "number"
    return type(value).__name__ if value is None or isinstance(value, (str, tuple)) else "map"
