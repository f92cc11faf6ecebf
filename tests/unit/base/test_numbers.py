"""Exact numbers have one spelling in, and one out."""

from decimal import Decimal

import pytest
from agentpolicy.base.numbers import exact, multiple, plain
from hypothesis import given
from hypothesis import strategies as st

DECIMALS = st.decimals(
    allow_nan=False, allow_infinity=False, min_value=-(10**15), max_value=10**15, places=9
)


@given(DECIMALS)
def test_a_number_survives_its_plain_spelling(value: Decimal) -> None:
    assert exact(plain(value)) == value


@pytest.mark.parametrize(
    "text",
    ["", "1e3", ".5", "5.", "010", "+1", "1_000", "0x10", "nan", "inf", "1 ", "\u0661", "--1"],
)
def test_any_other_spelling_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a plain decimal number"):
        exact(text)


def test_more_digits_than_a_decimal128_holds_are_refused() -> None:
    assert exact("1." + "3" * 33)
    with pytest.raises(ValueError, match="more than 34 digits"):
        exact("1." + "3" * 34)


@pytest.mark.parametrize(("text", "value"), [("1.5x", "1.5"), ("3x", "3"), ("0.70x", "0.7")])
def test_a_multiple_is_its_number(text: str, value: str) -> None:
    assert multiple(text) == Decimal(value)


@pytest.mark.parametrize("text", ["1.5", "x", "-1x", "1.5X", "1.5 x", "01x"])
def test_a_multiple_needs_its_x(text: str) -> None:
    with pytest.raises(ValueError, match="is not a multiple such as"):
        multiple(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [("0.90", "0.9"), ("100", "100"), ("-0.0", "0"), ("1E+3", "1000"), ("12.500", "12.5")],
)
def test_equal_numbers_are_written_alike(value: str, text: str) -> None:
    assert plain(Decimal(value)) == text
