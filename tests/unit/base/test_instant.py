"""Instants are whole seconds of UTC; a day ends where the next one begins."""

from datetime import date

import pytest
from agentpolicy.base.instant import (
    DAY,
    Instant,
    day_of,
    end_of,
    format_instant,
    parse_date,
    parse_instant,
    start_of,
)
from hypothesis import given
from hypothesis import strategies as st


@given(st.integers(0, 253402300799))
def test_an_instant_survives_its_spelling(seconds: int) -> None:
    assert parse_instant(format_instant(Instant(seconds))) == seconds


@given(st.dates(date(1970, 1, 1), date(9999, 12, 30)))
def test_a_day_holds_its_first_second_and_not_its_end(day: date) -> None:
    assert day_of(start_of(day)) == day
    assert day_of(Instant(end_of(day) - 1)) == day
    assert day_of(end_of(day)) > day
    assert end_of(day) - start_of(day) == DAY


@pytest.mark.parametrize(
    "text", ["2026-2-3", "2026-02-30", "20260203", "2026-02-03T00:00:00+01:00", "now", ""]
)
def test_another_spelling_or_no_real_day_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_instant(text)
    with pytest.raises(ValueError, match=r".+"):
        parse_date(text)


@pytest.mark.parametrize("text", ["2026-13-01", "2026-02-30", "0000-01-01", "2026-02-03T25:00:00Z"])
def test_what_does_not_exist_is_named_as_it_was_written(text: str) -> None:
    with pytest.raises(ValueError, match=text):
        parse_instant(text)
    with pytest.raises(ValueError, match=text):
        parse_date(text)


def test_the_last_day_of_the_calendar_ends() -> None:
    assert end_of(date(9999, 12, 31)) - start_of(date(9999, 12, 31)) == DAY
