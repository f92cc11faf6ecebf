"""The limit and the measured values of a waiver are of the kind its field has."""

from collections.abc import Mapping
from decimal import Decimal

import pytest
from agentpolicy.documents.document import DocumentKind, Value
from agentpolicy.documents.invariants import violations
from agentpolicy.documents.invariants_waiver import TOOL_ORDER_LEVELS
from tests.policies import SCHEMAS

SEQUENCE = "sha256:" + "0" * 64
NUMBERS = ("text_similarity.threshold", "token_ratio.min", "token_ratio.max")


def waiver(field: str, band: Value, *measured: Value) -> Mapping[str, Value]:
    cases = tuple({"fixture_id": f"f{n}", "measured": one} for n, one in enumerate(measured))
    return {
        "agent": "a",
        "field": field,
        "band": band,
        "cases": cases,
        "granted_on": "2026-03-10",
        "expires_on": "2026-03-20",
    }


def places(tree: Mapping[str, Value]) -> list[str]:
    return [violation.pointer for violation in violations(DocumentKind.WAIVER, tree)]


@pytest.mark.parametrize("field", NUMBERS)
def test_a_waiver_of_a_numeric_field_holds_numbers_on_both_sides(field: str) -> None:
    assert places(waiver(field, Decimal("1.4"), Decimal("1.6"), 2)) == []
    assert places(waiver(field, "exact", 1, SEQUENCE)) == ["/band", "/cases/1/measured"]


@pytest.mark.parametrize("level", TOOL_ORDER_LEVELS)
def test_a_waiver_of_the_tool_order_holds_a_level_and_digests(level: str) -> None:
    assert places(waiver("tool_order", level, SEQUENCE)) == []
    assert places(waiver("tool_order", level, SEQUENCE, 1)) == ["/cases/1/measured"]


@pytest.mark.parametrize("band", ["strict", "", 1, Decimal("1.4"), SEQUENCE])
def test_a_tool_order_is_never_held_to_what_is_no_level(band: Value) -> None:
    assert places(waiver("tool_order", band, SEQUENCE)) == ["/band"]


def test_the_levels_of_the_tool_order_are_those_a_band_may_ask_for() -> None:
    fields = SCHEMAS[DocumentKind.BAND]["properties"]["fields"]["properties"]  # type: ignore[index]  # plain JSON
    assert list(TOOL_ORDER_LEVELS) == fields["tool_order"]["x-order"]["chain"]
