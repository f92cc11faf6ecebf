"""Readers of single fields of a statement; whatever is not of the expected type is refused."""

from collections.abc import Mapping

from agentpolicy.trust.canonical_json import text_at


def object_at(fields: Mapping[str, object], key: str) -> Mapping[str, object]:
    """Give the object under a key that is there.

    Raises:
        ValueError: it is no object.
    """
    value = fields[key]
    if isinstance(value, dict):
        return value
    raise ValueError(f"{key!r} is not an object")


def int_at(fields: Mapping[str, object], key: str) -> int:
    """Give the integer under a key that is there; a boolean is none.

    Raises:
        ValueError: it is no integer.
    """
    value = fields[key]
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ValueError(f"{key!r} is not an integer")


def optional_text_at(fields: Mapping[str, object], key: str) -> str | None:
    """Give the text under a key that is there, or None where it is null.

    Raises:
        ValueError: it is neither.
    """
    return None if fields[key] is None else text_at(fields, key)


def texts_at(fields: Mapping[str, object], key: str) -> tuple[str, ...]:
    """Give the texts of the list under a key that is there.

    Raises:
        ValueError: it is no list of texts.
    """
    value = fields[key]
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise ValueError(f"{key!r} is not a list of texts")


def bare(digest: str) -> str:
    """Drop the prefix of a digest, as in-toto names the algorithm beside it."""
    return digest.removeprefix("sha256:")


def require(holds: object, message: str) -> None:
    """Insist on a condition.

    Raises:
        ValueError: it does not hold, with the message.
    """
    if not holds:
        raise ValueError(message)
