"""The search is strong enough: every bad reading that is put into the gate is found out.

A reading is found when some change that is classed tighter or neutral makes the gate that reads so
more willing; the honest gate, asked about the very same pair, is not.
"""

from collections.abc import Callable
from itertools import islice

import pytest
from tests.laws import bad_band_readings as of_bands
from tests.laws import bad_budget_readings as of_budgets
from tests.laws import bad_set_readings as of_sets
from tests.laws import scenes
from tests.laws.held import BAND, BUDGET, Question, climbs, held
from tests.laws.policy_pairs import OWNER_ONLY, class_of

Reading = Callable[[pytest.MonkeyPatch], None]
AT_MOST = 6_000
"""Pairs within which a reading must be found."""

_CALLS, _SHAPE = BAND.among("calls"), BAND.among("shape")
_ANSWERS, _ARGUMENTS = BAND.among("answers"), BAND.among("arguments")
_RULE, _TEXT = "band/argument-rule", "band/text-threshold"
_TWICE = scenes.answers("f", 2, scenes.NINE, scenes.EIGHT, scenes.SEVEN, None)
_TWO = scenes.answers("fg", 1, scenes.NINE, scenes.EIGHT, scenes.SEVEN)
_ROUTED = ("band/routing-full-gate-from", _TEXT, "band/grade-text")
READINGS: tuple[tuple[Reading, Question], ...] = (
    (of_budgets.ceilings_on_bucket_shares, BUDGET.among("steps", "cost")),
    (
        of_budgets.unsafe_actions_by_bucket,
        BUDGET.among("word", "effects").writing("budget/evaluators", "tools/effect"),
    ),
    (of_budgets.missing_leaves_the_denominator, BUDGET.among("steps", "tokens")),
    (of_budgets.inconclusive_beats_fail, BUDGET),
    (of_budgets.inconclusive_beats_fail, BAND),
    (of_budgets.a_foreign_word_is_no_word, BUDGET.among("word")),
    (
        of_budgets.unsafe_actions_by_bound_but_for_0,
        BUDGET.among("sure").writing("budget/decision", "budget/unsafe-rate-max"),
    ),
    (
        of_budgets.no_bound_where_it_cannot_hold,
        BUDGET.among("sure").writing("budget/decision", "budget/pass-rate-min"),
    ),
    (of_budgets.the_bound_in_place_of_the_value, BUDGET.among("sure")),
    (of_budgets.a_tool_is_classed_where_it_is_named, BUDGET.among("effects")),
    (of_bands.arguments_only_where_the_order_holds, _CALLS.writing("band/tool-order")),
    (of_bands.arguments_against_the_first_route_that_matches, _CALLS.writing("band/tool-order")),
    (of_bands.prerequisites_only_where_order_matters, _CALLS),
    (of_bands.prerequisites_only_of_reads, _CALLS),
    (of_bands.a_required_key_is_allowed, _SHAPE),
    (of_bands.an_absent_order_is_any, _CALLS),
    (of_bands.no_score_where_a_gate_does_not_hold, BAND.among("content")),
    (of_bands.exact_is_more_than_any_list, _SHAPE),
    (
        of_bands.similar_looks_at_the_raw_text,
        _ARGUMENTS.writing(_RULE, _RULE).within(scenes.TEXTS),
    ),
    (
        of_bands.similar_has_no_tolerance,
        _ARGUMENTS.writing(_RULE, "band/argument-tolerance").within(scenes.COUNTS),
    ),
    (
        of_bands.commitments_are_never_alike,
        _ARGUMENTS.writing(_RULE, _RULE, _RULE).within(scenes.HIDDEN),
    ),
    (of_sets.the_first_attempts_only, BAND.among("planned", "latency")),
    (
        of_sets.pairs_below_the_minimum_are_dropped,
        BAND.among("planned", "answers").writing("band/comparability-minimum", _TEXT),
    ),
    (of_sets.most_of_the_repeats, BAND.among("planned", "answers").writing("band/repeats", _TEXT)),
    (
        of_sets.max_open_at_the_gate,
        _ANSWERS.writing(_TEXT, "band/waiver-max-days", "band/waiver-max-open").within(_TWICE),
    ),
    (of_sets.a_waiver_needs_the_very_limit, _ANSWERS),
    (of_sets.a_covered_failure_hides_the_missing, _ANSWERS.writing(_TEXT).within(_TWICE)),
    (
        of_sets.unsteady_where_answers_differ_in_result,
        BAND.among("routing")
        .writing("band/routing-nondeterminism", *_ROUTED)
        .moving(_TEXT)
        .within(_TWICE),
    ),
    (
        of_sets.the_mean_shortfall,
        BAND.among("routing")
        .writing("band/routing-shortfall-weight", "band/routing-crossing-weight", *_ROUTED)
        .moving(_TEXT)
        .within(_TWO),
    ),
)


@pytest.mark.parametrize(
    ("reading", "question"),
    READINGS,
    ids=[f"{reading.__name__} of {question.name[-11:]}" for reading, question in READINGS],
)
def test_the_search_finds_each_bad_reading(
    reading: Reading,
    question: Question,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    with monkeypatch.context() as patch:
        reading(patch)
        search = enumerate(islice(held(question, seed=1), AT_MOST), start=1)
        number, found = next(((at, one) for at, one in search if one.climbs), (AT_MOST, None))
    assert found is not None, f"{reading.__name__} was not found in {AT_MOST} pairs"
    old, new = found.pair.old, found.pair.new
    honest = [question.judge(side, found.evidence) for side in (old, new)]
    assert class_of(old, new) not in OWNER_ONLY or not climbs(*honest), found
    counts = {"pairs until each was found": number}
    record_property("did", {"of": f"bad readings, all {len(READINGS)}", "counts": counts})
