"""What must hold between the fields of one document, beyond what its schema can say."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple

from agentpolicy.base.instant import parse_date
from agentpolicy.base.numbers import multiple
from agentpolicy.documents.document import DocumentKind, Value


class Violation(NamedTuple):
    """A leaf that contradicts another of its own document."""

    pointer: str
    message: str
    hint: str


_BELOW: Mapping[DocumentKind, tuple[tuple[str, str, bool], ...]] = {
    DocumentKind.BAND: (
        ("/fields/latency_ms_p50/warn", "/fields/latency_ms_p50/fail", True),
        ("/fields/token_ratio/min", "/fields/token_ratio/max", True),
    ),
    DocumentKind.BUDGET: tuple(
        (f"/budget/{name}/soft", f"/budget/{name}/hard", True)
        for name in ("steps", "cost_usd", "latency_s", "tokens")
    ),
    DocumentKind.WAIVER: (("/granted_on", "/expires_on", False),),
}
"""Pairs (lower, upper, strictly) that must be in order where both are written."""

_DATES: Mapping[DocumentKind, tuple[str, ...]] = {
    DocumentKind.BAND: ("/approved_on",),
    DocumentKind.BUDGET: ("/declared",),
    DocumentKind.WAIVER: ("/granted_on", "/expires_on"),
}

TOOL_ORDER = "tool_order"
TOOL_ORDER_LEVELS = ("exact", "same_unless_idempotent", "any")
"""The levels a band may ask for, strict first; the band's schema says the same."""


def violations(kind: DocumentKind, tree: Mapping[str, Value]) -> Iterator[Violation]:
    """Find every leaf of a schema-valid tree that contradicts the calendar or another leaf."""
    for pointer in _DATES.get(kind, ()):
        day = _at(tree, pointer)
        if isinstance(day, str) and not _is_date(day):
            yield Violation(pointer, f"{day} is not a day of the calendar", "write a real date")
    for lower, upper, strictly in _BELOW.get(kind, ()):
        low, high = _comparable(_at(tree, lower)), _comparable(_at(tree, upper))
        if low is None or high is None or type(low) is not type(high):
            continue
        if low > high or (strictly and low == high):  # type: ignore[operator]  # same type
            name, other = lower.rsplit("/", 1)[-1], upper.rsplit("/", 1)[-1]
            relation = "below" if strictly else "not after"
            yield Violation(
                lower,
                f"{name} {_at(tree, lower)} is not {relation} {other} {_at(tree, upper)}",
                f"{name} must be {relation} {other}; exchange or correct them",
            )
    if kind is DocumentKind.WAIVER:
        yield from _unfit_values(tree)


def _unfit_values(tree: Mapping[str, Value]) -> Iterator[Violation]:
    """Find limits and measured values of a waiver that its field cannot have.

    `tool_order` is held to a level and measured as the digest of a tool sequence; every other
    field that can be waived is a number on both sides.
    """
    field, band, cases = tree["field"], tree["band"], tree["cases"]
    assert isinstance(cases, tuple), "the schema says so"
    if field == TOOL_ORDER:
        if band not in TOOL_ORDER_LEVELS:
            yield _unfit("/band", field, band, f"a level: {', '.join(TOOL_ORDER_LEVELS)}")
    elif isinstance(band, str):
        yield _unfit("/band", field, band, "a number")
    for number, case in enumerate(cases):
        assert isinstance(case, Mapping), "the schema says so"
        measured = case["measured"]
        if isinstance(measured, str) != (field == TOOL_ORDER):
            wanted = "the digest of a tool sequence" if field == TOOL_ORDER else "a number"
            yield _unfit(f"/cases/{number}/measured", field, measured, wanted)


def _unfit(pointer: str, field: Value, value: Value, wanted: str) -> Violation:
    message = f"{value} is not what {field} is measured in: {wanted}"
    return Violation(pointer, message, "copy it from the verdict: agentpolicy waiver new")


def _at(tree: Mapping[str, Value], pointer: str) -> Value | None:
    """Read the value at a pointer of plain keys, None where it is not written."""
    value: Value = tree
    for key in pointer.split("/")[1:]:
        if not isinstance(value, Mapping) or key not in value:
            return None
        value = value[key]
    return value


def _comparable(value: Value | None) -> Decimal | str | None:
    """Bring numbers and multiples to decimals; dates compare as they are written."""
    if isinstance(value, (int, Decimal)):
        return Decimal(value)
    if isinstance(value, str):
        return multiple(value) if value.endswith("x") else value
    return None


def _is_date(text: str) -> bool:
    try:
        parse_date(text)
    except ValueError:
        return False
    return True
