"""When two recorded values are the same."""

from decimal import Decimal
from typing import Any

import pytest
from agentpolicy.runs.evidence import Truth
from agentpolicy.runs.normalisation import (
    instant_text,
    normal_text,
    same_exactly,
    same_normalised,
)
from hypothesis import given
from hypothesis import strategies as st

ONE, TWO = "sha256:" + "1" * 64, "sha256:" + "2" * 64
KEYED = "hmac-sha256:" + "1" * 64
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([Decimal("0.5"), Decimal("1.0"), "a", "A ", "\u00e9", "e\u0301", ONE, TWO])
    | st.sampled_from(["2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    ),
    max_leaves=6,
)


def rank(answer: Truth) -> int:
    return {False: 0, None: 1, True: 2}[answer]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Urgent", "URGENT"),
        (" x ", "x"),
        ("\u00e9", "e\u0301"),
        ("stra\u00dfe", "STRASSE"),
        (["b", "a"], ["A", "b"]),
        (1, Decimal("1.00")),
        ("2026-01-01T00:00:00Z", "2026-01-01t01:30:00.000+01:30"),
        ("2025-12-31T23:59:59Z", "2025-12-31 18:59:59-05:00"),
        ({"a": ["x", {"b": "Y"}]}, {"a": [{"b": "y"}, "X"]}),
    ],
)
def test_what_differs_only_in_writing_is_normalised_away(one: Any, other: Any) -> None:  # noqa: ANN401 - JSON
    assert same_normalised(one, other) is True
    assert same_normalised(other, one) is True


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1", 1),
        (True, 1),
        (None, ""),
        ("a b", "ab"),
        (["a", "a"], ["a"]),
        ({"a": 1}, {"A": 1}),
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00+01:00"),
        ("2026-02-30T00:00:00Z", "2026-03-02T00:00:00Z"),
        ("A-1", "A-2"),
        ([1, 2], [1, 3]),
        ("x", ["x"]),
    ],
)
def test_what_differs_in_more_than_writing_stays_different(one: Any, other: Any) -> None:  # noqa: ANN401 - JSON
    assert same_normalised(one, other) is False


@given(VALUES, VALUES, st.sampled_from([Decimal(0), Decimal("0.5"), Decimal(1), Decimal(5)]))
def test_what_is_the_same_stays_so_under_looser_rules(
    one: object, other: object, tolerance: Decimal
) -> None:
    exact, normal = same_exactly(one, other), same_normalised(one, other)
    loose = same_normalised(one, other, tolerance)
    wider = same_normalised(one, other, tolerance + 1)
    assert rank(exact) <= rank(normal) <= rank(loose) <= rank(wider)


@given(VALUES, VALUES)
def test_sameness_has_no_direction(one: object, other: object) -> None:
    assert same_exactly(one, one) is True
    assert same_normalised(one, one) is True
    assert same_exactly(one, other) is same_exactly(other, one)
    assert same_normalised(one, other, Decimal(1)) is same_normalised(other, one, Decimal(1))


@pytest.mark.parametrize(
    ("one", "other", "tolerance", "expected"),
    [
        (10, 11, "1", True),
        (10, 11, "0.99", False),
        (Decimal("0.1"), Decimal("0.3"), "0.2", True),
        (10, "11", "5", False),
        (True, 2, "5", False),
        ([1, 5], [6, 2], "1", True),
        ([Decimal("0.5"), 1], [1, Decimal("1.5")], "0.5", True),
        ([{"n": 10}, {"n": 9}], [{"n": 9}, {"n": 11}], "1", True),
        ([1, 5], [6, 9], "1", False),
        (10**33, 10**33 + 1, "0", False),
    ],
)
def test_a_tolerance_is_an_absolute_difference_of_numbers(
    one: object, other: object, tolerance: str, expected: Truth
) -> None:
    assert same_normalised(one, other, Decimal(tolerance)) is expected


@pytest.mark.parametrize(
    ("one", "other", "exact", "normal"),
    [
        (ONE, ONE, True, True),
        (ONE, TWO, False, None),
        (ONE, KEYED, False, None),
        (ONE, "text", None, None),
        (5, ONE, None, None),
        ({"a": ONE, "b": 1}, {"a": ONE, "b": 1}, True, True),
        ({"a": ONE, "b": 1}, {"a": ONE, "b": 2}, False, False),
        ({"a": ONE, "b": 1}, {"a": "x", "b": 1}, None, None),
        ([ONE, "x"], ["X", ONE], None, True),
        ([ONE, "x"], [TWO, "x"], False, None),
    ],
)
def test_a_commitment_shows_whether_values_are_equal_and_no_more(
    one: object, other: object, exact: Truth, normal: Truth
) -> None:
    assert same_exactly(one, other) is exact
    assert same_normalised(one, other) is normal


@pytest.mark.parametrize(
    "text",
    ["2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01", "2026-01-01T00:00:00", "x"],
)
def test_what_is_no_instant_is_text(text: str) -> None:
    assert instant_text(text) is None
    assert normal_text(text) == f'"{text.lower()}"'
