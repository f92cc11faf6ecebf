"""The two sides of a finding as their files spell them: `0.90` stays `0.90`, and `3.0x` `3.0x`."""

import re
from decimal import Decimal

from agentpolicy.base.numbers import plain
from agentpolicy.documents.document import Document
from agentpolicy.order.change import DocumentChange, Finding

ABSENT = "absent"
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?x?")


def sides(found: Finding, change: DocumentChange) -> tuple[str, str]:
    """Give the old and the new text of what a finding is about; `absent` where there is none."""
    return (
        _text(change.old, found.pointer, found.old),
        _text(change.new, found.pointer, found.new),
    )


def _text(document: Document | None, pointer: str, canonical: str | None) -> str:
    """Read a number's spelling out of the file; every other value is written as it is compared."""
    if canonical is None:
        return ABSENT
    position = document.positions.get(pointer) if document and pointer else None
    if document is None or position is None:
        return canonical
    lines = document.data.decode("utf-8").split("\n")
    line = lines[position.line - 1] if position.line <= len(lines) else ""
    found = _NUMBER.match(line, position.column - 1)
    return found[0] if found and _canonical(found[0]) == canonical else canonical


def _canonical(number: str) -> str:
    times = "x" if number.endswith("x") else ""
    return plain(Decimal(number.removesuffix("x"))) + times
