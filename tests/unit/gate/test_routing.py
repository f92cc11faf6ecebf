"""The risk score only adds up, and the route follows it."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from agentpolicy.base.instant import parse_instant
from agentpolicy.base.numbers import plain
from agentpolicy.gate.band import BandResult, judge_band
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.routing import Route
from agentpolicy.runs.record import RunRecord
from tests.evidence import baseline, calls, run, run_set, whole_band

NO_OP, FAST, FULL = Route.NO_OP, Route.FAST_REVIEW, Route.FULL_GATE
AT = parse_instant("2026-03-10T12:00:00Z")
LONG = "x" * 100
"""A reference answer; one that ends in n other letters scores 1 - n / 100."""


def scored(lost: int | None) -> str | None:
    return None if lost is None else "x" * (100 - lost) + "y" * lost


def routed(
    routing: dict[str, Any],
    *fixtures: tuple[str, Sequence[int | None]],
    grades: dict[str, str] | None = None,
    references: int = 1,
    threshold: str = "0.9",
) -> BandResult:
    """Judge answers that lost so many letters, by the criticality of their fixture."""
    parts: dict[str, Any] = {"routing": {name: _exact(one) for name, one in routing.items()}}
    policy = whole_band(
        parts | ({"grades": grades} if grades else {}),
        text_similarity={"threshold": Decimal(threshold)},
    )
    before: list[RunRecord] = []
    after: list[RunRecord] = []
    planned: list[dict[str, Any]] = []
    for number, (criticality, lost) in enumerate(fixtures):
        name = f"f{number}"
        planned.append({"id": name, "criticality": criticality})
        before += [
            run(name, one, "b", final_answer=LONG, tool_calls=()) for one in range(references)
        ]
        after += [
            run(name, one, "c", final_answer=scored(letters), tool_calls=())
            for one, letters in enumerate(lost)
        ]
    sets = run_set(*before), run_set(*after)
    return judge_band(policy, None, *sets, "a", (), (), AT, baseline(sets[0], *planned))


def score(result: BandResult) -> str:
    return plain(result.risk.score)


def _exact(value: object) -> object:
    if isinstance(value, dict):
        return {name: _exact(one) for name, one in value.items()}
    return Decimal(str(value))


def test_nothing_crossed_is_a_no_op_whatever_the_base() -> None:
    result = routed({"base": 5, "full_gate_from": 1}, ("normal", [0]))
    assert (result.route, score(result)) == (NO_OP, "0")


def test_every_crossed_fixture_adds_its_weight_times_its_criticality() -> None:
    rules = {"base": 2, "crossing_weight": 3, "criticality": {"high": 10, "low": 0.5}}
    found = routed(rules, ("high", [20]), ("low", [20]), ("unnamed", [20]), ("high", [0]))
    assert found.risk.score == Decimal("36.5")
    assert found.risk.crossed == ("f0", "f1", "f2")


def test_repeats_of_one_crossing_count_once() -> None:
    one, three = (routed({}, ("normal", [20] * count)) for count in (1, 3))
    assert one.risk.score == three.risk.score == 1


def test_shortfall_is_a_sum_of_the_worst_and_a_missing_score_counts_as_0() -> None:
    rules = {"crossing_weight": 0, "shortfall_weight": 100}
    assert routed(rules, ("normal", [20, 30])).risk.score == 20
    assert routed(rules, ("normal", [20]), ("normal", [15])).risk.score == 15
    assert routed(rules, ("normal", [20, None])).risk.score == 90
    assert routed(rules, ("normal", [0])).risk.score == 0


def test_an_answer_above_its_threshold_makes_up_for_nothing() -> None:
    rules = {"crossing_weight": 0, "shortfall_weight": 100}
    similarity = {"threshold": Decimal("0.5")}
    policy = whole_band({"routing": _exact(rules)}, text_similarity=similarity)
    before = run_set(run(side="b", final_answer=LONG, tool_calls=()))
    after = run_set(run(final_answer=LONG, tool_calls=calls("a")))
    assert judge_band(policy, None, before, after, "a", (), (), AT).risk.score == 0


def test_a_limit_on_the_whole_set_counts_once() -> None:
    policy = whole_band(
        {"routing": {"crossing_weight": Decimal(7), "criticality": {"normal": Decimal(9)}}},
        latency_ms_p95=("2x"),
    )
    before = run_set(run(side="b", latency_ms=1, tool_calls=()))
    after = run_set(run(latency_ms=3, tool_calls=()))
    result = judge_band(policy, None, before, after, "a", (), (), AT)
    assert (score(result), result.risk.crossed_sets) == ("7", ("latency_ms_p95",))
    assert (result.crossings[0].fixture_id, result.route) == (None, FAST)


@pytest.mark.parametrize(("start", "route"), [(1, FULL), (2, FAST), (None, FAST)])
def test_a_score_that_reaches_the_full_gate_goes_there(start: int | None, route: Route) -> None:
    rules = {} if start is None else {"full_gate_from": start}
    assert routed(rules, ("normal", [20])).route is route


def test_a_critical_crossing_is_the_full_gate_whatever_the_weights() -> None:
    rules = {"crossing_weight": 0, "criticality": {"critical": 0}, "full_gate_from": 1000}
    assert routed(rules, ("critical", [20]), ("normal", [0])).route is FULL
    assert routed(rules, ("critical", [0]), ("normal", [20])).route is FAST


def test_any_crossing_is_reviewed_though_it_weighs_nothing() -> None:
    rules = {"crossing_weight": 0, "fast_review_from": 100}
    assert routed(rules, ("normal", [20])).route is FAST


def test_a_warned_crossing_is_reviewed_too() -> None:
    warned = routed({}, ("normal", [20]), grades={"text_similarity": "warn"})
    assert (warned.decision, warned.route) == (Decision.PASS, FAST)
    critical = routed({}, ("critical", [20]), grades={"text_similarity": "warn"})
    assert (critical.decision, critical.route) == (Decision.PASS, FULL)


def test_what_could_not_be_judged_is_no_no_op_though_it_only_warns() -> None:
    result = routed({}, ("normal", [None]), grades={"text_similarity": "warn"})
    assert (result.decision, result.route, result.crossings) == (Decision.PASS, FAST, ())


def test_what_is_inconclusive_has_no_route() -> None:
    assert routed({"base": 100}, ("normal", [None])).route is None


def test_a_failure_is_routed_though_something_else_is_open() -> None:
    result = routed({}, ("normal", [20]), ("normal", [None]))
    assert (result.decision, result.route) == (Decision.FAIL, FAST)


def test_repeats_that_differ_beyond_the_noise_floor_add_the_penalty_once() -> None:
    rules = {"nondeterminism_penalty": 4}
    steady, unsteady = routed(rules, ("normal", [0, 0])), routed(rules, ("normal", [0, 5]))
    assert (score(steady), steady.route) == ("0", NO_OP)
    assert (unsteady.decision, score(unsteady), unsteady.route) == (Decision.PASS, "4", FAST)
    twice = routed(rules, ("normal", [0, 5]), ("normal", [0, 5]))
    assert twice.risk.score == 4


def test_a_penalty_below_the_review_threshold_is_still_a_no_op() -> None:
    rules = {"nondeterminism_penalty": 4, "fast_review_from": 5}
    assert routed(rules, ("normal", [0, 5])).route is NO_OP
    assert routed(rules | {"fast_review_from": 4}, ("normal", [0, 5])).route is FAST


def test_the_penalty_stays_when_every_attempt_crosses() -> None:
    """R1: a stricter threshold, under which all attempts cross, makes nothing look steady."""
    rules = {"nondeterminism_penalty": 10, "full_gate_from": 11}
    for threshold in ("0.9", "0.99"):
        result = routed(rules, ("normal", [5, 20]), threshold=threshold)
        assert (score(result), result.route) == ("11", FULL)


def test_sums_are_exact() -> None:
    rules = {"base": "0.1000000000000000000000000000000001", "crossing_weight": "0.2"}
    assert str(routed(rules, ("normal", [20])).risk.score) == "0.3000000000000000000000000000000001"


def test_a_warned_limit_on_the_whole_set_is_reviewed_though_it_weighs_little() -> None:
    policy = whole_band(
        {"routing": {"fast_review_from": Decimal(9)}, "grades": {"latency_ms_p95": "warn"}},
        latency_ms_p95="2x",
    )
    before = run_set(run(side="b", latency_ms=1, tool_calls=()))
    after = run_set(run(latency_ms=3, tool_calls=()))
    result = judge_band(policy, None, before, after, "a", (), (), AT)
    assert (result.decision, result.route) == (Decision.PASS, FAST)
