"""A leaf that contradicts another of its own document, and how to look one up."""

from collections.abc import Mapping
from typing import NamedTuple

from agentpolicy.documents.document import Value


class Violation(NamedTuple):
    """A leaf that contradicts another of its own document."""

    pointer: str
    message: str
    hint: str


def at(tree: Mapping[str, Value], pointer: str) -> Value | None:
    """Read the value at a pointer of plain keys, None where it is not written."""
    value: Value = tree
    for key in pointer.split("/")[1:]:
        if not isinstance(value, Mapping) or key not in value:
            return None
        value = value[key]
    return value
