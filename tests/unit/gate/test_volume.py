"""The same run at several volumes, on the numbers that its source prints."""

from decimal import Decimal
from fractions import Fraction

from agentpolicy.gate.catalogue import catalogue_of
from agentpolicy.gate.partition import run_rules
from agentpolicy.gate.volume import Figures, Traffic, at_volume, figures_of, most_served
from agentpolicy.runs.record import Tokens
from tests.evidence import budget, calls, run

FORTY_CALLS = Figures(1, Fraction("2.10"), Fraction(54000), Fraction(56))


def test_the_forty_call_run_at_a_hundred_thousand_a_day_is_as_printed() -> None:
    found = at_volume(FORTY_CALLS, Traffic(), 100_000)
    assert found.cost_usd_per_day == 210_000
    assert found.input_tokens_per_day == 5_400_000_000
    assert round(found.runs_per_second, 2) == Fraction("3.47")
    assert found.in_flight_at_peak == Fraction(1750, 3)
    assert round(found.in_flight_at_peak, 2) == Fraction("583.33")


def test_the_peak_is_what_meets_the_rate_limit() -> None:
    limited = Traffic(tokens_per_minute=33_750_000)
    assert at_volume(FORTY_CALLS, limited, 100_000).within_rate_limit is True
    assert at_volume(FORTY_CALLS, limited, 100_001).within_rate_limit is False
    assert most_served(FORTY_CALLS, limited) == 100_000
    assert at_volume(FORTY_CALLS, Traffic(), 1).within_rate_limit is None


def test_a_calendar_day_and_no_peak_are_a_person_s_choice() -> None:
    flat = Traffic(hours=Decimal(24), peak_factor=Decimal(1))
    assert at_volume(FORTY_CALLS, flat, 86_400).in_flight_at_peak == 56


def test_what_no_run_shows_stays_unknown_at_every_volume() -> None:
    found = at_volume(Figures(1), Traffic(tokens_per_minute=1), 1000)
    assert found.cost_usd_per_day is None
    assert found.within_rate_limit is None
    assert found.in_flight_at_peak is None
    assert most_served(Figures(1), Traffic(tokens_per_minute=1)) is None


def test_a_run_that_lacks_a_value_is_counted_and_never_taken_as_nothing() -> None:
    runs = [
        run("a", cost_usd="0.10", latency_ms=1000, tokens=Tokens(10, 5, 0)),
        run("b", cost_usd="0.30", tokens=Tokens(10, 5, 20, "exclusive")),
        run("c"),
    ]
    found = figures_of(runs, None)
    assert found.cost_usd == Fraction("0.20")
    assert found.input_tokens == 20
    assert found.latency_s == 1
    assert found.lacking == {"cost_usd": 1, "input_tokens": 1, "latency_ms": 2, "tool_calls": 3}
    assert found.undeclared is None


def test_an_undeclared_effect_is_the_column_that_does_not_move() -> None:
    rules = run_rules(budget(allowed=["calendar.create_event"]), catalogue_of(None))
    stray = run("a", tool_calls=calls("calendar.create_event", "drive.write", "drive.write"))
    found = figures_of([stray, run("b", tool_calls=())], rules)
    assert found.undeclared == {"drive.write": 1}
    assert figures_of([run("b", tool_calls=())], rules).undeclared == {}
