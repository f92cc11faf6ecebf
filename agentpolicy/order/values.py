"""The one canonical text of a value, so that `0.90` and `0.9` are one value to every reader."""

import json
from collections.abc import Mapping
from decimal import Decimal

from agentpolicy.base.numbers import MULTIPLE, multiple, plain
from agentpolicy.documents.document import Value
from agentpolicy.documents.rows import Kind, Row

_LIMITS = (Kind.MAX_LIMIT, Kind.MIN_LIMIT)
_SETS = (Kind.SUBSET_OF, Kind.SUPERSET_OF)


def shown(row: Row | None, value: Value | None) -> str | None:
    """Write a value as findings show it; None where the leaf is absent.

    A set is sorted, a number has no trailing zeros, and a structure is JSON.
    """
    if value is None:
        return None
    kind = row.kind if row else None
    if isinstance(value, str):
        return f"{plain(multiple(value))}x" if kind in _LIMITS and is_multiple(value) else value
    if isinstance(value, tuple) and kind in _SETS:
        return "[" + ", ".join(sorted({_json(item) for item in value})) + "]"
    return _json(value)


def same(row: Row | None, old: Value | None, new: Value | None) -> bool:
    """Say whether two values of a leaf differ in spelling at most."""
    return _family(old) == _family(new) and shown(row, old) == shown(row, new)


def is_multiple(text: str) -> bool:
    """Say whether a text is a multiple of the baseline such as `1.5x`."""
    return MULTIPLE.fullmatch(text) is not None


def _json(value: Value) -> str:
    """Write JSON with sorted keys and every number exact."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, Decimal)):
        return plain(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        entries = (f"{_json(key)}: {_json(value[key])}" for key in sorted(value))
        return "{" + ", ".join(entries) + "}"
    return "[" + ", ".join(_json(item) for item in value) + "]"


def _family(value: Value | None) -> str:
    """Tell `true` from `"true"` and `1` from `"1"`, whose texts are equal."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, Decimal)):
        return "number"
    return type(value).__name__ if value is None or isinstance(value, (str, tuple)) else "map"
