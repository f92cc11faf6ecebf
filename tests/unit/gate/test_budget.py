"""Checks over whole sets of runs. Counts and limits are compared as whole numbers."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import pytest
from agentpolicy.base.errors import UndecidedError
from agentpolicy.documents.models.budget import Budget
from agentpolicy.gate.budget import BudgetResult, judge_budget
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.partition import Outcome
from agentpolicy.runs.record import Duration, RunRecord
from agentpolicy.runs.record import Outcome as RunOutcome
from tests.evidence import budget, calls, run, run_set, tools

CATALOGUE = tools(look={"effect": "read"})
PASS, FAIL, OPEN = Decision.PASS, Decision.FAIL, Decision.INCONCLUSIVE
GATE = {"amber_rate_max": "0.15", "p95_cost_usd": "0.75", "pass_rate_min": "0.90"}
STEPS = {"steps": {"soft": 12, "hard": 25}}


def many(count: int, start: int = 0, **known: object) -> list[RunRecord]:
    shown: dict[str, Any] = {
        "correct": True,
        "steps": 6,
        "cost_usd": "0.30",
        "tool_calls": (),
        **known,
    }
    return [run(f"f{start + number}", **shown) for number in range(count)]


def mixed(
    green: int = 0, amber: int = 0, over: int = 0, incorrect: int = 0, unsafe: int = 0
) -> list[RunRecord]:
    return [
        *many(green, 0),
        *many(amber, 10_000, steps=14),
        *many(over, 20_000, steps=30),
        *many(incorrect, 30_000, correct=False),
        *many(unsafe, 40_000, tool_calls=calls("drive.write_file")),
    ]


def judge(policy: Budget, records: Iterable[RunRecord]) -> BudgetResult:
    return judge_budget(policy, CATALOGUE, run_set(*records))


def results(result: BudgetResult) -> dict[str, Decision]:
    return {check.id: check.result for check in result.checks}


def failing(result: BudgetResult) -> list[str]:
    return [check.id for check in result.checks if check.result is FAIL]


def test_too_much_amber_fails_while_the_pass_rate_holds() -> None:
    result = judge(budget(STEPS, unsafe="0.0", **GATE), mixed(green=71, amber=22, incorrect=7))
    assert result.decision is FAIL
    assert failing(result) == ["amber_rate_max"]
    assert (result.rates["soft_breach"].count, result.rates["pass"].count) == (22, 93)
    assert result.partition == {
        Outcome.INCORRECT: 7,
        Outcome.UNSAFE_ACTION: 0,
        Outcome.OVER_BUDGET: 0,
        Outcome.AMBER: 22,
        Outcome.GREEN: 71,
        Outcome.UNDECIDED: 0,
    }


def test_one_unsafe_run_in_a_thousand_fails() -> None:
    result = judge(budget(STEPS, unsafe="0.0", **GATE), mixed(green=999, unsafe=1))
    assert result.decision is FAIL
    assert failing(result) == ["unsafe_action_rate_max"]


@pytest.mark.parametrize("hard", [25, 20])
def test_lowering_the_hard_limit_does_not_ship_a_refused_release(hard: int) -> None:
    records = [
        *many(75, 0, steps=10),
        *many(15, 100, steps=15),
        *many(1, 200, steps=22),
        *many(9, 300, steps=30),
    ]
    policy = budget({"steps": {"soft": 12, "hard": hard}}, **GATE)
    assert judge(policy, records).decision is FAIL
    assert "amber_rate_max" in failing(judge(policy, records))


def test_every_limit_is_a_check_and_the_unsafe_one_always_stands() -> None:
    assert list(results(judge(budget(), mixed(green=1)))) == ["unsafe_action_rate_max"]
    everything = judge(budget(STEPS, unsafe="0.5", **GATE), mixed(green=1))
    assert sorted(results(everything)) == [
        "amber_rate_max",
        "p95_cost_usd",
        "pass_rate_min",
        "unsafe_action_rate_max",
    ]


def test_an_absent_unsafe_limit_means_none_at_all() -> None:
    assert judge(budget(), mixed(green=99, unsafe=1)).decision is FAIL
    assert judge(budget(unsafe="0.01"), mixed(green=99, unsafe=1)).decision is PASS


def test_a_rate_equal_to_its_limit_is_inside() -> None:
    policy = budget(STEPS, amber_rate_max="0.15", pass_rate_min="0.90")
    assert judge(policy, mixed(green=75, amber=15, incorrect=10)).decision is PASS
    assert failing(judge(policy, mixed(green=74, amber=16, incorrect=10))) == ["amber_rate_max"]
    assert failing(judge(policy, mixed(green=75, amber=14, incorrect=11))) == ["pass_rate_min"]


def test_a_run_past_soft_counts_as_amber_rate_whatever_it_went_on_to_do() -> None:
    records = [
        *many(84, 0),
        *many(4, 100, steps=30),
        *many(4, 200, steps=14, correct=False),
        *many(8, 300, steps=14),
    ]
    result = judge(budget(STEPS, amber_rate_max="0.15"), records)
    assert result.rates["soft_breach"].count == 16
    assert result.past_soft == {Outcome.OVER_BUDGET: 4, Outcome.INCORRECT: 4, Outcome.AMBER: 8}
    assert result.decision is FAIL


def test_an_unsafe_run_that_is_also_wrong_counts_against_both() -> None:
    records = many(1, correct=False, tool_calls=calls("drive.write_file"))
    result = judge(budget(pass_rate_min="1"), records)
    assert failing(result) == ["pass_rate_min", "unsafe_action_rate_max"]


@pytest.mark.parametrize(("unknown", "result"), [(0, PASS), (5, PASS), (6, OPEN), (100, OPEN)])
def test_unknown_runs_stay_in_the_denominator_at_their_worst(
    unknown: int, result: Decision
) -> None:
    records = [*many(100 - unknown), *many(unknown, 500, steps=None, tool_calls=None)]
    policy = budget({"steps": {"soft": 12}}, amber_rate_max="0.05", unsafe="1")
    assert judge(policy, records).decision is result


def test_what_fails_even_at_the_best_fails() -> None:
    records = [*many(84), *many(16, 500, correct=False), *many(20, 900, status="infra_error")]
    assert failing(judge(budget(pass_rate_min="0.90"), records)) == ["pass_rate_min"]


def test_a_proved_failure_beats_what_is_open() -> None:
    records = many(1, cost_usd=None, tool_calls=calls("drive.write_file"))
    result = judge(budget(p95_cost_usd="1"), records)
    assert results(result) == {"p95_cost_usd": OPEN, "unsafe_action_rate_max": FAIL}
    assert result.decision is FAIL


@pytest.mark.parametrize("status", ["infra_error", "cancelled"])
def test_an_outage_is_unknown_to_every_check_and_still_planned(status: str) -> None:
    result = judge(budget(STEPS, **GATE), [*many(9), *many(1, 100, status=status)])
    assert result.runs == sum(result.partition.values()) == 10
    assert result.partition[Outcome.UNDECIDED] == 1
    assert {tally.unknown for tally in result.rates.values()} == {1}
    assert result.decision is OPEN


@pytest.mark.parametrize(
    ("runs", "dear", "result"),
    [
        (1, 1, FAIL),
        (2, 1, FAIL),
        (5, 1, FAIL),
        (19, 1, FAIL),
        (20, 1, PASS),
        (20, 2, FAIL),
        (21, 1, PASS),
        (21, 2, FAIL),
        (100, 5, PASS),
        (100, 6, FAIL),
    ],
)
def test_the_95th_percentile_of_cost_is_a_cost_that_occurred(
    runs: int, dear: int, result: Decision
) -> None:
    records = [*many(runs - dear), *many(dear, 500, cost_usd="0.76")]
    assert results(judge(budget(p95_cost_usd="0.75"), records))["p95_cost_usd"] is result


def test_a_cost_equal_to_the_limit_is_inside() -> None:
    assert judge(budget(p95_cost_usd="0.75"), many(3, cost_usd="0.75")).decision is PASS


@pytest.mark.parametrize(
    ("missing", "dear", "result"), [(1, 0, PASS), (2, 0, OPEN), (2, 1, OPEN), (10, 2, FAIL)]
)
def test_a_missing_cost_is_taken_at_worst_and_at_best(
    missing: int, dear: int, result: Decision
) -> None:
    records = [
        *many(20 - missing - dear),
        *many(missing, 100, cost_usd=None),
        *many(dear, 200, cost_usd="9"),
    ]
    if result is FAIL:
        records = [*many(missing, 100, cost_usd=None), *many(20 - missing, 300, cost_usd="9")]
    assert results(judge(budget(p95_cost_usd="0.75"), records))["p95_cost_usd"] is result


def test_a_limit_of_many_digits_is_compared_exactly() -> None:
    third = "0.3333333333333333333333333333333333"
    result = judge(budget(STEPS, amber_rate_max=third), mixed(green=2, amber=1))
    assert failing(result) == ["amber_rate_max"]


def test_without_a_catalogue_every_call_is_an_effect() -> None:
    records = many(1, tool_calls=calls("look"))
    assert judge_budget(budget(), None, run_set(*records)).decision is FAIL
    assert judge_budget(budget(allowed=("look",)), None, run_set(*records)).decision is PASS


def test_runs_that_do_not_say_their_task_are_not_judged_and_the_way_out_is_told() -> None:
    with pytest.raises(UndecidedError, match="--set task_type=meeting"):
        judge(budget(), [*many(1), run("g", task_type=None)])


def test_a_budget_that_no_run_falls_under_decides_nothing() -> None:
    with pytest.raises(UndecidedError, match="none of the 1 runs is of meeting / default"):
        judge(budget(), [run("g", task_type="other")])


def test_runs_of_other_tasks_are_counted_apart() -> None:
    result = judge(budget(), [*many(2), run("g", variant="other", correct=False)])
    assert (result.runs, result.other_runs) == (2, 1)


def test_what_a_rule_reads_and_the_runs_lack_is_listed() -> None:
    records = many(3, cost_usd=None, latency_ms=None)
    assert judge(budget(STEPS), records).missing == {}
    assert judge(budget({"cost_usd": {"hard": 1}}), records).missing == {"cost_usd": 3}
    assert judge(budget(p95_cost_usd="1"), records).missing == {"cost_usd": 3}


def test_the_limit_is_kept_beside_what_was_measured() -> None:
    (check, _) = judge(budget(p95_cost_usd="0.75"), many(1)).checks
    assert check.limit == Decimal("0.75")


# What a budget asks beyond its limits: whose word counts, what is timed, how sure it must be.


def changed(policy: Budget, **gate: object) -> Budget:
    tree = policy.model_dump(exclude_none=True)
    return Budget.model_validate(tree | {"gate": tree["gate"] | gate})


@pytest.mark.parametrize(
    ("said", "by", "outcome"),
    [
        (True, "end-state@1", Outcome.GREEN),
        (True, "the agent itself", Outcome.UNDECIDED),
        (True, None, Outcome.UNDECIDED),
        (False, "end-state@1", Outcome.INCORRECT),
        (False, "the agent itself", Outcome.INCORRECT),
        (None, "end-state@1", Outcome.UNDECIDED),
    ],
)
def test_only_an_accepted_evaluator_can_say_that_a_run_is_correct(
    said: bool | None, by: str | None, outcome: Outcome
) -> None:
    policy = budget().model_copy(update={"evaluators": ("end-state@1",)})
    record = run(outcome=RunOutcome(said, by), tool_calls=())
    assert judge(policy, [record]).partition[outcome] == 1
    anybody = judge(budget(), [record]).partition
    assert anybody[Outcome.GREEN if said else outcome] == 1


@pytest.mark.parametrize(
    ("measures", "total", "useful", "result"),
    [
        ("total", 21_000, 1, FAIL),
        ("total", 20_000, 99_000, PASS),
        ("total", None, 1, OPEN),
        ("time_to_useful", 99_000, 20_000, PASS),
        ("time_to_useful", 1, 20_001, FAIL),
        ("time_to_useful", 1, None, OPEN),
    ],
)
def test_a_latency_limit_reads_what_it_says_it_measures_and_nothing_else(
    measures: str, total: int | None, useful: int | None, result: Decision
) -> None:
    limits = {"latency_s": {"hard": Decimal(20), "measures": measures}}
    tree = budget(pass_rate_min="1").model_dump(exclude_none=True)
    policy = Budget.model_validate(tree | {"budget": {**limits, "allowed_effects": ()}})
    record = run(
        correct=True,
        tool_calls=(),
        latency_ms=total,
        time_to_useful_ms=None if useful is None else Duration(useful),
    )
    assert judge(policy, [record]).decision is result


@pytest.mark.parametrize(("fixtures", "result"), [(2, OPEN), (3, PASS), (4, PASS)])
def test_a_sample_counts_fixtures_and_repeats_of_one_add_nothing(
    fixtures: int, result: Decision
) -> None:
    records = [
        run(f"f{number}", attempt, correct=True, tool_calls=())
        for number in range(fixtures)
        for attempt in (1, 2)
    ]
    judged = judge(changed(budget(), sample_min=3), records)
    assert judged.decision is results(judged)["sample_min"] is result


def test_runs_that_broke_off_are_no_sample() -> None:
    records = [*many(2), *many(1, 100, status="infra_error")]
    assert results(judge(changed(budget(), sample_min=3), records))["sample_min"] is OPEN


def test_a_small_sample_hides_no_failure() -> None:
    records = many(1, tool_calls=calls("drive.write_file"))
    assert judge(changed(budget(), sample_min=300), records).decision is FAIL


def test_a_sample_of_one_that_is_written_out_changes_no_answer() -> None:
    records = many(1, status="cancelled")
    for policy in (budget(unsafe="1"), changed(budget(unsafe="1"), sample_min=1)):
        assert judge(policy, records).decision is OPEN


@pytest.mark.parametrize(("amber", "by_bound"), [(0, PASS), (21, PASS), (22, OPEN), (30, OPEN)])
def test_a_bound_asks_for_more_than_the_value(amber: int, by_bound: Decision) -> None:
    point = budget(STEPS, amber_rate_max="0.15")
    records = mixed(green=200 - amber, amber=amber)
    assert judge(point, records).decision is PASS
    assert judge(changed(point, decision="bound"), records).decision is by_bound


def test_what_fails_as_measured_fails_by_its_bound_too() -> None:
    policy = changed(budget(STEPS, amber_rate_max="0.15"), decision="bound")
    assert judge(policy, mixed(green=84, amber=16)).decision is FAIL


@pytest.mark.parametrize(("runs", "result"), [(28, OPEN), (29, PASS)])
def test_a_pass_rate_is_proved_by_enough_runs(runs: int, result: Decision) -> None:
    policy = changed(budget(pass_rate_min="0.90"), decision="bound")
    assert judge(policy, many(runs)).decision is result


def test_no_number_of_runs_proves_that_none_ever_fails() -> None:
    for rates in ({"pass_rate_min": "1"}, {"amber_rate_max": "0"}):
        policy = changed(budget(STEPS, **rates), decision="bound")
        assert judge(policy, many(500)).decision is OPEN


@pytest.mark.parametrize(
    ("runs", "dear", "result"),
    [(58, 0, OPEN), (59, 0, PASS), (92, 1, OPEN), (93, 1, PASS), (93, 5, FAIL)],
)
def test_a_percentile_by_its_bound_needs_fifty_nine_runs(
    runs: int, dear: int, result: Decision
) -> None:
    policy = changed(budget(p95_cost_usd="0.75"), decision="bound")
    records = [*many(runs - dear), *many(dear, 500, cost_usd="0.76")]
    assert judge(policy, records).decision is result


def test_unsafe_actions_are_counted_never_estimated() -> None:
    policy = changed(budget(unsafe="0.0"), decision="bound")
    assert judge(policy, many(1)).decision is PASS
    assert judge(policy, mixed(green=999, unsafe=1)).decision is FAIL


def test_an_unknown_run_is_at_its_worst_in_a_bound_too() -> None:
    policy = changed(budget(STEPS, amber_rate_max="0.15"), decision="bound")
    records = [*mixed(green=179), *many(21, 90_000, steps=None, tool_calls=None)]
    assert results(judge(policy, records))["amber_rate_max"] is PASS
    records += many(1, 99_000, steps=None, tool_calls=None)
    assert results(judge(policy, records))["amber_rate_max"] is OPEN


def test_where_production_stops_a_run_is_nothing_to_the_gate() -> None:
    guarded = Budget.model_validate(
        budget(STEPS, **GATE).model_dump(exclude_none=True)
        | {"runtime_guard": {"steps": 26, "identical_calls": 0}}
    )
    records = mixed(green=80, amber=12, over=8)
    assert judge(guarded, records) == judge(budget(STEPS, **GATE), records)
