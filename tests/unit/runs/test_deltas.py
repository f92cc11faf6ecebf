"""How far apart answers and sequences are."""

from decimal import Decimal

import pytest
from agentpolicy.runs.deltas import similarity


@pytest.mark.parametrize(
    ("one", "other", "score"),
    [
        ("", "", "1"),
        ("a", "", "0"),
        ("same", "same", "1"),
        ("abc", "abd", "0.6666"),
        ("\u00e9", "e\u0301", "0"),
        ("x" * 92 + "a" * 8, "x" * 92 + "b" * 8, "0.92"),
        ("x" * 99_999 + "a", "x" * 99_999 + "b", "0.9999"),
    ],
)
def test_a_score_is_cut_to_four_decimals(one: str, other: str, score: str) -> None:
    assert similarity(one, other) == similarity(other, one) == Decimal(score)
