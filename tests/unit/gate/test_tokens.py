"""Tokens, median over median."""

from decimal import Decimal

import pytest
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions import tokens
from tests.evidence import fields, fixture, run

PASS, FAIL, OPEN = Decision.PASS, Decision.FAIL, Decision.INCONCLUSIVE


def tokened(
    before: list[int | None], after: list[int | None], **sides: str
) -> dict[str, tuple[Decision, str | None]]:
    written = {"token_ratio": {side: Decimal(limit) for side, limit in sides.items()}}
    pair = fixture([run(tokens=count) for count in before], *[run(tokens=count) for count in after])
    return {
        finding.field: (finding.result, finding.measured)
        for finding in tokens.judge(fields(**written), pair)
    }


@pytest.mark.parametrize(
    ("before", "after", "highest", "lowest"),
    [
        ([100], [140], (PASS, "1.4"), (PASS, "1.4")),
        ([100], [141], (FAIL, "1.41"), (PASS, "1.41")),
        ([100], [70], (PASS, "0.7"), (PASS, "0.7")),
        ([100], [69], (PASS, "0.69"), (FAIL, "0.69")),
        ([3], [5], (FAIL, "1.6667"), (PASS, "1.6666")),
        ([3], [2], (PASS, "0.6667"), (FAIL, "0.6666")),
        ([100, 100, 1], [900, 100, 100], (PASS, "1"), (PASS, "1")),
        ([0], [5], (OPEN, None), (OPEN, None)),
        ([None], [5], (OPEN, None), (OPEN, None)),
        ([100], [None], (OPEN, None), (OPEN, None)),
        ([100, 100, 100], [100, 100, None], (PASS, "1"), (PASS, "1")),
        ([100, 100, 100], [999, 999, None], (FAIL, "9.99"), (PASS, "9.99")),
        ([100], [None, 999, 9999], (FAIL, None), (PASS, None)),
    ],
)
def test_tokens_compare_median_to_median_without_dividing(
    before: list[int | None],
    after: list[int | None],
    highest: tuple[Decision, str | None],
    lowest: tuple[Decision, str | None],
) -> None:
    found = tokened(before, after, min="0.7", max="1.4")
    assert found == {"token_ratio.max": highest, "token_ratio.min": lowest}


def test_only_the_sides_a_band_writes_are_judged() -> None:
    assert set(tokened([1], [1], max="1.4")) == {"token_ratio.max"}
    assert set(tokened([1], [1], min="0.7")) == {"token_ratio.min"}
