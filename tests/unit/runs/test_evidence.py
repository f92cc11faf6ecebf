from decimal import Decimal
from itertools import product

import pytest
from agentpolicy.runs.evidence import (
    Bounds,
    Tally,
    Truth,
    all_of,
    any_of,
    evidence_of,
    nearest_rank,
    negation,
)
from hypothesis import given
from hypothesis import strategies as st
from tests.evidence import calls, run

three_valued = st.lists(st.sampled_from([True, False, None]), max_size=6)
rates = st.integers(0, 1000).map(lambda n: Decimal(n) / 1000)


@given(three_valued)
def test_what_is_said_of_unknown_values_holds_however_they_turn_out(
    values: list[Truth],
) -> None:
    choices = [(value,) if value is not None else (True, False) for value in values]
    worlds = list(product(*choices))
    for combine, oracle in ((any_of, any), (all_of, all)):
        answers = {oracle(world) for world in worlds}
        assert combine(values) == (answers.pop() if len(answers) == 1 else None)


@given(three_valued.filter(bool), rates)
def test_a_share_passes_only_at_the_worst_and_fails_only_at_the_best(
    values: list[Truth], limit: Decimal
) -> None:
    known, runs = values.count(True), len(values)
    possible = range(known, known + values.count(None) + 1)
    below = {count <= limit * runs for count in possible}
    above = {count >= limit * runs for count in possible}
    tally = Tally.of(values)
    assert tally.at_most(limit) == (below.pop() if len(below) == 1 else None)
    assert tally.at_least(limit) == (above.pop() if len(above) == 1 else None)


def test_a_share_is_compared_by_whole_numbers() -> None:
    third = Tally(1, 0, 3)
    almost = Decimal("0.3333333333333333333333333333333333")
    assert third.at_most(almost) is False
    assert third.at_least(almost) is True


@pytest.mark.parametrize(
    ("runs", "rank"), [(1, 1), (2, 2), (5, 5), (19, 19), (20, 19), (21, 20), (100, 95)]
)
def test_the_95th_percentile_is_the_nearest_rank(runs: int, rank: int) -> None:
    values: list[Decimal | None] = [Decimal(n) for n in range(runs, 0, -1)]
    assert nearest_rank(values, 95).known == rank


@pytest.mark.parametrize(("cheap", "expected"), [(94, 2), (95, 1)])
def test_ties_are_one_value(cheap: int, expected: int) -> None:
    values = [Decimal(1 if n < cheap else 2) for n in range(100)]
    assert nearest_rank(values, 95).known == expected


@given(st.lists(st.integers(0, 5) | st.none(), min_size=1, max_size=8), st.sampled_from([50, 95]))
def test_a_percentile_lies_between_its_ends_however_unknown_values_turn_out(
    numbers: list[int | None], percent: int
) -> None:
    values = [None if number is None else Decimal(number) for number in numbers]
    bounds = nearest_rank(values, percent)
    for extreme in (Decimal(-1), Decimal(6)):
        filled = [extreme if value is None else value for value in values]
        found = nearest_rank(filled, percent).known
        assert found is not None
        assert bounds.low is None or bounds.low <= found
        assert bounds.high is None or found <= bounds.high


def test_unknown_costs_neither_prove_nor_disprove() -> None:
    values: list[Decimal | None] = [Decimal(1), None]
    assert nearest_rank(values, 95) == Bounds(Decimal(1), None)
    assert nearest_rank(values, 95).at_most(Decimal(5)) is None
    assert nearest_rank(values, 95).at_most(Decimal("0.5")) is False


def test_claimed_steps_never_undercut_the_calls_listed() -> None:
    assert evidence_of(run(steps=1, tool_calls=calls(*"abcd"))).steps == 4
    assert evidence_of(run(steps=9, tool_calls=calls("a"))).steps == 9
    assert evidence_of(run(tool_calls=())).steps == 0
    assert evidence_of(run(steps=3)).steps == 3
    assert evidence_of(run()).steps is None


def test_a_run_that_an_outage_ended_shows_nothing() -> None:
    shown = evidence_of(
        run(correct=True, tool_calls=calls("a"), cost_usd="1", status="infra_error")
    )
    assert (shown.correct, shown.calls, shown.steps, shown.cost_usd) == (None,) * 4


@pytest.mark.parametrize("value", [True, False, None])
def test_negating_twice_changes_nothing(value: Truth) -> None:
    assert negation(negation(value)) is value
