"""Limits from the runs that passed."""

from decimal import Decimal

from agentpolicy.gate.catalogue import catalogue_of
from agentpolicy.gate.partition import run_rules
from agentpolicy.gate.run_quantiles import Measured, RunQuantiles, quantiles_of
from agentpolicy.runs.evidence import evidence_of
from agentpolicy.runs.record import RunRecord
from tests.evidence import budget, calls, run


def found(*records: RunRecord, allowed: list[str] | None = None) -> RunQuantiles:
    rules = None
    if allowed is not None:
        rules = run_rules(budget({"steps": {"soft": 1, "hard": 2}}, allowed), catalogue_of(None))
    return quantiles_of({one.run_id: [evidence_of(one)] for one in records}, rules)


def measured(quantiles: RunQuantiles, name: str) -> Measured:
    return next(one for one in quantiles.measures if one.name == name)


def test_soft_is_the_p75_and_hard_the_p95_by_nearest_rank() -> None:
    runs = [run(f"f{n}", correct=True, steps=n, latency_ms=n * 1000) for n in range(1, 21)]
    steps = measured(found(*runs), "steps")
    assert (steps.soft, steps.hard, steps.known, steps.lacking) == (Decimal(15), Decimal(19), 20, 0)
    assert measured(found(*runs), "latency_s").hard == 19


def test_only_runs_that_passed_are_looked_at() -> None:
    runs = [run(f"f{n}", correct=True, steps=5) for n in range(3)]
    stray = [run("w", correct=False, steps=90), run("u", steps=91), run("x", status="cancelled")]
    quantiles = found(*runs, *stray)
    assert (quantiles.runs, quantiles.passed, quantiles.unknown) == (6, 3, 2)
    assert measured(quantiles, "steps").hard == 5


def test_an_undeclared_effect_is_no_pass_and_the_present_limits_play_no_part() -> None:
    runs = [
        run("a", correct=True, tool_calls=calls("reply"), steps=30),
        run("b", correct=True, tool_calls=calls("reply", "wipe"), steps=40),
    ]
    quantiles = found(*runs, allowed=["reply"])
    assert quantiles.passed == 1
    assert measured(quantiles, "steps").hard == 30
    assert found(*runs).passed == 2


def test_runs_that_lack_a_value_are_counted_and_never_taken_as_zero() -> None:
    cost = measured(
        found(run("a", correct=True, cost_usd="0.40"), run("b", correct=True)), "cost_usd"
    )
    assert (cost.soft, cost.known, cost.lacking) == (Decimal("0.40"), 1, 1)
    tokens = measured(found(run("a", correct=True)), "tokens")
    assert (tokens.soft, tokens.known, tokens.lacking, tokens.parted) == (None, 0, 1, False)


def test_equal_percentiles_leave_no_room_for_a_soft_limit() -> None:
    steps = measured(found(*(run(f"f{n}", correct=True, steps=6) for n in range(9))), "steps")
    assert not steps.parted


def test_repeats_of_a_fixture_are_not_more_fixtures() -> None:
    attempts = [evidence_of(run("f", n, correct=True)) for n in range(3)]
    quantiles = quantiles_of({"f": attempts}, None)
    assert (quantiles.passed, quantiles.fixtures) == (3, 1)
