"""What must hold between the fields of one document, beyond what its schema can say."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple

from agentpolicy.base.instant import parse_date
from agentpolicy.base.numbers import multiple
from agentpolicy.documents.document import DocumentKind, Value
from agentpolicy.documents.invariants_baseline import baseline_violations
from agentpolicy.documents.invariants_waiver import waiver_violations
from agentpolicy.documents.violation import Violation, at

__all__ = ["LEAST_EVIDENCE", "Violation", "violations"]


class _Below(NamedTuple):
    """Two leaves that must stand in order where both are written."""

    lower: str
    upper: str
    strictly: bool = True


_BELOW: Mapping[DocumentKind, tuple[_Below, ...]] = {
    DocumentKind.BAND: (
        _Below("/fields/latency_ms_p50/warn", "/fields/latency_ms_p50/fail"),
        _Below("/fields/token_ratio/min", "/fields/token_ratio/max"),
    ),
    DocumentKind.BUDGET: (
        *(
            _Below(f"/budget/{name}/soft", f"/budget/{name}/hard")
            for name in ("steps", "cost_usd", "latency_s", "tokens")
        ),
        *(
            _Below(f"/budget/{name}/hard", f"/runtime_guard/{name}")
            for name in ("steps", "tokens", "cost_usd")
        ),
    ),
    DocumentKind.WAIVER: (_Below("/granted_on", "/expires_on", strictly=False),),
}

_DATES: Mapping[DocumentKind, tuple[str, ...]] = {
    DocumentKind.BAND: ("/approved_on",),
    DocumentKind.BUDGET: ("/declared",),
    DocumentKind.WAIVER: ("/granted_on", "/expires_on"),
}

LEAST_EVIDENCE: tuple[str, ...] = (
    "fixture_id",
    "field",
    "measured",
    "band",
    "reason",
    "change_link",
)
"""The least evidence pack of a waiver (tolerance band source, required_evidence)."""


def violations(kind: DocumentKind, tree: Mapping[str, Value]) -> Iterator[Violation]:
    """Find every leaf of a schema-valid tree that contradicts the calendar or another leaf."""
    for pointer in _DATES.get(kind, ()):
        day = at(tree, pointer)
        if isinstance(day, str) and not _is_date(day):
            yield Violation(pointer, f"{day} is not a day of the calendar", "write a real date")
    for pair in _BELOW.get(kind, ()):
        yield from _out_of_order(pair, tree)
    yield from _OWN.get(kind, _nothing)(tree)


def _out_of_order(pair: _Below, tree: Mapping[str, Value]) -> Iterator[Violation]:
    """Complain about a lower limit that is not below its upper one."""
    low, high = _comparable(at(tree, pair.lower)), _comparable(at(tree, pair.upper))
    if low is None or high is None or type(low) is not type(high):
        return
    if low > high or (pair.strictly and low == high):  # type: ignore[operator]  # same type
        name, other = _names(pair.lower, pair.upper)
        fault, wanted = (
            ("is not below", "be below") if pair.strictly else ("is after", "not be after")
        )
        yield Violation(
            pair.lower,
            f"{name} {at(tree, pair.lower)} {fault} {other} {at(tree, pair.upper)}",
            f"{name} must {wanted} {other}; exchange or correct them",
        )


def _names(lower: str, upper: str) -> tuple[str, str]:
    """Name two leaves: by their last key if they are neighbours, else by the whole way."""
    (above, name), (other_above, other) = lower.rsplit("/", 1), upper.rsplit("/", 1)
    if above == other_above:
        return name, other
    return lower[1:].replace("/", "."), upper[1:].replace("/", ".")


def _evidence(tree: Mapping[str, Value]) -> Iterator[Violation]:
    """Complain about waiver rules that ask for less than the least evidence pack."""
    asked = at(tree, "/waivers/required_evidence")
    if not isinstance(asked, tuple):
        return
    lacking = [name for name in LEAST_EVIDENCE if name not in asked]
    if lacking:
        yield Violation(
            "/waivers/required_evidence",
            f"required_evidence lacks {', '.join(lacking)}",
            f"write at least [{', '.join(LEAST_EVIDENCE)}], or leave it out",
        )


def _nothing(tree: Mapping[str, Value]) -> Iterator[Violation]:
    del tree
    yield from ()


_OWN: Mapping[DocumentKind, Callable[[Mapping[str, Value]], Iterator[Violation]]] = {
    DocumentKind.BAND: _evidence,
    DocumentKind.BUDGET: _evidence,
    DocumentKind.BASELINE: baseline_violations,
    DocumentKind.WAIVER: waiver_violations,
}


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
