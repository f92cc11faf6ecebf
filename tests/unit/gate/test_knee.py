"""The knee of a cap study, on the numbers that its source prints."""

from fractions import Fraction

import pytest
from agentpolicy.gate.catalogue import catalogue_of
from agentpolicy.gate.knee import CapRow, knee_of, row_of
from agentpolicy.gate.partition import run_rules
from agentpolicy.runs.evidence import SHOWS_NOTHING, evidence_of
from tests.evidence import budget, run

STUDY = (
    (8, "0.840", "0.21"),
    (12, "0.913", "0.28"),
    (18, "0.931", "0.36"),
    (25, "0.936", "0.47"),
    (40, "0.938", "0.72"),
)
SETTLED = (
    (8, 12, "0.292", "0.07", True),
    (12, 18, "0.072", "0.08", False),
    (18, 25, "0.020", "0.11", False),
    (25, 40, "0.008", "0.25", False),
)


def rows(*written: tuple[int, str, str]) -> list[CapRow]:
    return [CapRow(cap, Fraction(rate), Fraction(cost)) for cap, rate, cost in written]


def test_one_rule_settles_every_row_of_the_printed_table() -> None:
    knee = knee_of(rows(*STUDY), Fraction(4))
    assert [
        (step.low.cap, step.high.cap, step.gain_value_usd, step.added_cost_usd, step.raise_cap)
        for step in knee.transitions
    ] == [
        (low, high, Fraction(gain), Fraction(added), pays)
        for low, high, gain, added, pays in SETTLED
    ]
    assert knee.cap == 12
    assert not knee.later


@pytest.mark.parametrize(
    ("value", "pays"), [("4.44", False), ("4.45", True), ("4", False), ("5", True)]
)
def test_a_hair_decides_and_no_float_is_asked(value: str, pays: bool) -> None:
    (step,) = knee_of(rows(*STUDY[1:3]), Fraction(value)).transitions
    assert step.raise_cap is pays
    assert step.break_even_usd == Fraction(40, 9)


def test_a_gain_that_only_equals_its_cost_does_not_pay() -> None:
    tie = rows((1, "0.1", "0.1"), (2, "0.2", "0.2"))
    assert float("0.2") - float("0.1") == 0.1
    assert knee_of(tie, Fraction(1)).cap == 1
    assert knee_of(tie, Fraction("1.0000000000000000000001")).cap == 2


def test_the_order_of_the_rows_says_nothing() -> None:
    assert knee_of(rows(*reversed(STUDY)), Fraction(4)) == knee_of(rows(*STUDY), Fraction(4))


def test_a_leap_that_pays_beyond_a_step_that_does_not_is_told() -> None:
    bumpy = rows((1, "0.5", "0.1"), (2, "0.5", "0.2"), (3, "0.9", "0.3"))
    knee = knee_of(bumpy, Fraction(4))
    assert knee.cap == 1
    assert [(leap.low.cap, leap.high.cap) for leap in knee.later] == [(1, 3)]


def test_what_a_run_does_not_show_leaves_its_transition_open() -> None:
    paid = [evidence_of(run(f"f{n}", correct=True, cost_usd="0.30")) for n in range(2)]
    lower = row_of(5, paid, None)
    assert (lower.pass_rate, lower.mean_cost_usd) == (Fraction(1), Fraction("0.30"))
    assert row_of(9, [*paid, evidence_of(run("g", correct=True))], None).mean_cost_usd is None
    unread = row_of(9, [*paid, SHOWS_NOTHING], None)
    assert unread.pass_rate is None
    knee = knee_of([lower, unread], Fraction(4))
    assert knee.transitions[0].raise_cap is None
    assert knee.cap is None


def test_a_row_counts_amber_by_the_budget_and_success_by_the_end_state() -> None:
    rules = run_rules(budget({"steps": {"soft": 2, "hard": 3}}), catalogue_of(None))
    runs = [
        evidence_of(run(f"f{steps}", steps=steps, correct=True, cost_usd="1", tool_calls=()))
        for steps in (1, 2, 3, 4)
    ]
    row = row_of(4, runs, rules)
    assert (row.pass_rate, row.amber_rate, row.runs) == (Fraction(1), Fraction(1, 2), 4)
