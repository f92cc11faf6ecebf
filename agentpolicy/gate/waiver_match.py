"""Whether a finding is one that a waiver speaks of, and no worse than what was waived."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from agentpolicy.base.numbers import multiple
from agentpolicy.documents.models.waiver import BAND_METRICS, WAIVABLE, Waiver
from agentpolicy.gate.argument_rules import parse_rule
from agentpolicy.gate.dimensions import arguments, facts, tool_order
from agentpolicy.gate.finding import Finding

LARGER_IS_WORSE = ("token_ratio.max", "tool_calls_ratio", *BAND_METRICS)
"""Fields whose limit is a most; of all others with a number it is a least."""
_ARGUMENT = f"{arguments.FIELD}."
_LEVELS: dict[str, Sequence[str]] = {
    tool_order.FIELD: tool_order.LEVELS,
    facts.FIELD: facts.LEVELS,
}


def concerns(waiver: Waiver, finding: Finding, subject: str | None) -> bool:
    """Say whether a waiver names this side of this field, for this fixture or this whole set.

    What is about the whole set is covered for one subject only.
    """
    if waiver.scope is not None:
        return (
            finding.fixture_id is None
            and finding.field in BAND_METRICS
            and finding.field == waiver.metric
            and subject is not None
            and subject == waiver.subject
        )
    return (
        finding.fixture_id is not None
        and (finding.field in WAIVABLE or finding.field.startswith(_ARGUMENT))
        and finding.field == waiver.field
        and any(case.fixture_id == finding.fixture_id for case in waiver.cases)
    )


def no_stricter(field: str, limit: str, granted: Decimal | str) -> bool:
    """Say whether the limit in force is equal to or looser than the one waived against."""
    if field.startswith(_ARGUMENT):
        rule, waived = parse_rule(limit), parse_rule(str(granted))
        return rule is not None and waived is not None and rule.no_stricter_than(waived)
    if field in _LEVELS:
        levels = _LEVELS[field]
        return granted in levels and levels.index(limit) >= levels.index(str(granted))
    number = _number(granted)
    if number is None:
        return False
    return Decimal(limit) >= number if field in LARGER_IS_WORSE else Decimal(limit) <= number


def no_worse(finding: Finding, waiver: Waiver) -> bool:
    """Say whether a value is at most as far outside as the waived one, on the same side."""
    if waiver.scope is not None:
        return _within(finding.field, finding.value, waiver.measured)
    return any(
        case.fixture_id == finding.fixture_id
        and _within(finding.field, finding.value, case.measured)
        for case in waiver.cases
    )


def _within(field: str, value: Decimal | Fraction | str | None, waived: object) -> bool:
    """Compare one value; what is named by content is the very same or is not covered."""
    if isinstance(value, str) or isinstance(waived, str):
        return value == waived
    if value is None or not isinstance(waived, Decimal):
        return False
    if field in LARGER_IS_WORSE:
        return Fraction(value) <= Fraction(waived)
    return Fraction(value) >= Fraction(waived)


def _number(granted: Decimal | str) -> Decimal | None:
    """Read a limit; one of latency may be written as the band does, `3.0x`."""
    if isinstance(granted, Decimal):
        return granted
    try:
        return multiple(granted)
    except ValueError:
        return None
