"""Canonical bytes (RFC 8785) of what is signed and hashed, and their digest.

Signed statements hold only strings, integers, booleans, null, arrays and objects. Floats are
refused rather than formatted, so no two writers can disagree about a number.
"""

import hashlib
import json
from collections.abc import Mapping

MAX_INTEGER = 2**53 - 1
"""The largest integer every JSON reader holds exactly (RFC 8785, section 3.2.2.3)."""


def canonical_bytes(value: object) -> bytes:
    """Write `value` as RFC 8785 JSON in UTF-8.

    Raises:
        TypeError: a float, bytes, set or other type that the signed forms never hold.
        ValueError: an integer beyond 2^53-1, or text with a lone surrogate.
    """
    return _WRITER.encode(_ordered(value)).encode("utf-8")


def digest(data: bytes) -> str:
    """Name bytes by content: `sha256:` and 64 lower-case hex digits."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


_WRITER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def _ordered(value: object) -> object:
    """Bring the keys of every object into order, and refuse what must not be signed."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise ValueError(f"{value} is beyond the integers JSON holds exactly")
        return value
    if isinstance(value, (dict, Mapping)):  # asking for a plain dict first is quicker
        return {key: _ordered(value[key]) for key in _sorted_keys(value)}
    if isinstance(value, (list, tuple)):
        return [_ordered(item) for item in value]
    raise TypeError(f"{type(value).__name__} has no place in a signed form")


def _sorted_keys(fields: Mapping[str, object]) -> list[str]:
    """Sort keys by UTF-16 code units, as RFC 8785 asks; for ASCII that is how text sorts."""
    try:
        ascii_only = "".join(fields).isascii()
    except TypeError as error:
        raise TypeError("an object key in a signed form is text") from error
    return sorted(fields) if ascii_only else sorted(fields, key=_utf_16)


def _utf_16(key: str) -> bytes:
    return key.encode("utf-16-be")
