"""The one text of an argument's rule, as crossings show it and waivers copy it."""

import re
from collections.abc import Mapping
from decimal import Decimal

from agentpolicy.base.numbers import plain
from agentpolicy.documents.document import Value

_SIMILAR = re.compile(r"similar\(([0-9.]+)\)")
_UNREAD = ("exact", "ignored")
"""Rules beside which nothing reads a tolerance."""


def limit_text(written: Value) -> str:
    """Write a rule, given alone or as `{rule, tolerance}`, as `similar(0.9), tolerance 2`."""
    rule = str(written["rule"] if isinstance(written, Mapping) else written)
    if graded := _SIMILAR.fullmatch(rule):
        rule = f"similar({plain(Decimal(graded[1]))})"
    tolerance = written.get("tolerance", 0) if isinstance(written, Mapping) else 0
    if rule in _UNREAD or not isinstance(tolerance, (int, Decimal)) or not tolerance:
        return rule
    return f"{rule}, tolerance {plain(tolerance)}"
