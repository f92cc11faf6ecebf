"""How far apart answers and sequences are."""

from decimal import Decimal

import pytest
from agentpolicy.runs.commitments import text_digest
from agentpolicy.runs.deltas import likeness, recorded_score, sequence_distance, similarity


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


def test_a_commitment_scores_1_or_nothing() -> None:
    hidden = text_digest("yes")
    assert likeness(hidden, "yes") == likeness("yes", hidden) == 1
    assert likeness(hidden, "no") is None
    assert likeness("yes", "yes") == 1


@pytest.mark.parametrize(
    ("value", "score"),
    [
        (1, "1"),
        (Decimal("0.92"), "0.92"),
        (Decimal("0.91999999999999999999999999999999999"), "0.9199"),
        (True, None),
        ("0.9", None),
        (Decimal("1.01"), None),
        (Decimal("-0.1"), None),
        (None, None),
    ],
)
def test_a_recorded_score_is_a_number_from_0_to_1(value: object, score: str | None) -> None:
    assert recorded_score(value) == (None if score is None else Decimal(score))


def test_a_sequence_is_as_far_as_its_insertions_and_deletions() -> None:
    assert sequence_distance(["a", "b"], ["b", "a"]) == 2
    assert sequence_distance([], ["a"]) == 1
