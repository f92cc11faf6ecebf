"""Every public report of a gate or an importer that got runs wrong has a case of ours.

The table names the report, what went wrong there, and the tests that keep it from going wrong here.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from agentpolicy.base.instant import Instant
from agentpolicy.documents.models.budget import Budget
from agentpolicy.gate.band import judge_band
from agentpolicy.gate.budget import BudgetResult, judge_budget
from agentpolicy.gate.catalogue import catalogue_of
from agentpolicy.gate.comparability import Comparable, class_of
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions import arguments, tool_order
from agentpolicy.report.gate_json import gate_json
from agentpolicy.report.gate_numbers import interval
from agentpolicy.report.gate_text import gate_text
from agentpolicy.runs.evidence import Tally
from agentpolicy.runs.record import RunRecord, ToolCall
from pydantic import ValidationError
from tests.evidence import band, budget, calls, fields, fixture, run, run_set, tools

TESTS = Path(__file__).resolve().parents[2]
HERE = "unit/gate/test_reports_about_runs.py"
LOGS = "unit/loading/importers"
REPORTS: Mapping[str, Sequence[str]] = {
    "promptfoo#9910, #10141: a threshold left out is 0, and the check can never fail": (
        f"{HERE}::test_a_limit_without_its_number_is_no_limit_anybody_wrote",
    ),
    "promptfoo#1667, #10605, #6910: an answer from a cache has a made-up or no latency": (
        f"{LOGS}/test_promptfoo.py::test_a_cached_answer_measures_nothing",
        f"{LOGS}/test_inspect.py::test_an_answer_from_a_cache_measures_neither_time_nor_tokens",
    ),
    "promptfoo#5192: a missing trace is told as a failure": (
        "unit/gate/test_tool_order.py::test_calls_that_were_not_recorded_leave_the_order_open",
        "unit/gate/test_band.py::test_an_outage_on_either_side_is_unknown_not_inside",
    ),
    "deepeval#3141, #3142: two equal calls that both belong there are counted as one": (
        f"{HERE}::test_two_equal_calls_are_two_calls",
    ),
    "deepeval#3338, agentevals: pairing takes the first that fits, so that order decides": (
        f"{HERE}::test_the_order_of_listed_calls_decides_nothing",
        "unit/gate/test_arguments.py::test_arguments_are_inside_if_and_only_if_some_pairing_has_them_all",
        "unit/runs/test_matching.py::test_pairs_are_found_if_and_only_if_some_assignment_has_them",
    ),
    "agentevals: calls of one message may stand in any order; what both sides lack is equal": (
        f"{HERE}::test_an_exact_order_is_exact_among_calls_of_one_message_too",
        f"{HERE}::test_what_both_sides_lack_makes_them_no_more_comparable",
    ),
    "tau2-bench#493, #498: outages are dropped, and one success of four slots is 100 %": (
        f"{HERE}::test_a_slot_that_an_outage_ended_stays_in_the_denominator",
        "acceptance/test_gate_release.py::test_a_fixture_that_is_left_out_still_counts_in_every_budget",
    ),
    "inspect_ai#3946, #2836: the usage lacks what a cache or an earlier attempt used": (
        f"{LOGS}/test_inspect.py::test_events_that_do_not_hold_what_the_samples_sums_do_are_only_a_part",
        f"{LOGS}/test_inspect.py::test_a_sample_that_was_retried_shows_only_its_last_attempt",
    ),
    "semantic-conventions-genai#19, #460 and others: a parent repeats the usage of its children": (
        f"{LOGS}/test_otel.py::test_usage_that_a_wrapper_repeats_counts_once",
        f"{LOGS}/test_otel.py::test_whether_old_names_count_cached_tokens_twice_is_told_by_the_sum",
    ),
    "langfuse#4072, #3794, #7478: a model without a price costs 0": (
        f"{LOGS}/test_inspect.py::test_a_cost_that_one_call_lacks_is_a_part_and_never_a_sum",
        f"{LOGS}/test_promptfoo.py::test_zero_is_what_a_provider_says_that_does_not_measure",
        f"{LOGS}/test_tau2_bench.py::test_only_the_agents_own_cost_counts_and_zero_is_not_measured",
    ),
    "Standard-Agent#359, curie#2007, omni-skill#26, agentclash#901: no runs at all pass": (
        "unit/loading/test_runs.py::test_zero_runs_decide_nothing",
        "unit/gate/test_budget.py::test_a_budget_that_no_run_falls_under_decides_nothing",
        f"{HERE}::test_runs_that_were_all_cancelled_pass_nothing",
    ),
    "agentv#882: the mean passes while the page says FAIL, and the exit code contradicts both": (
        f"{HERE}::test_page_and_json_say_the_one_decision",
    ),
    "lm-evaluation-harness#4070: 0 % and 100 % are shown as if nothing were uncertain": (
        f"{HERE}::test_thirty_of_thirty_still_has_an_interval",
    ),
    "lattice#908: pushing a new baseline takes a regression in": (
        "unit/admission/test_baseline_changes.py::test_anything_else_beside_it_needs_both_owners",
        "unit/gate/test_pairing.py::test_other_reference_runs_than_the_document_names_are_refused",
    ),
    "tau2-bench#15: a reward of 1 though the checks of the actions failed": (
        f"{LOGS}/test_tau2_bench.py::test_correct_names_the_basis_of_its_reward",
        f"{HERE}::test_a_correct_run_may_be_unsafe",
    ),
    "tau2-bench#387, #393: one bad record stops 388 runs": (
        f"{LOGS}/test_tau2_bench.py::test_a_garbled_simulation_is_put_aside_and_the_others_are_read",
        "unit/gate/test_unreadable_records.py::test_one_unreadable_record_among_thousands_keeps_a_budget_open",
    ),
    "langfuse#1981: what a failed call of a model used is nobody's": (
        f"{LOGS}/test_inspect.py::test_one_call_of_a_model_without_usage_leaves_the_tokens_unknown",
        f"{LOGS}/test_otel.py::test_one_call_of_a_model_without_usage_leaves_the_tokens_unknown",
    ),
}  # fmt: skip
"""Lines are as long as the names of the tests make them."""
PLACES = [(report, place) for report, places in REPORTS.items() for place in places]
PASS, FAIL, OPEN = Decision.PASS, Decision.FAIL, Decision.INCONCLUSIVE
NOW = Instant(1_772_000_000)


@cache
def promises_of(path: str) -> frozenset[str]:
    tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize(("report", "place"), PLACES, ids=[place for _, place in PLACES])
def test_a_report_has_its_test(report: str, place: str) -> None:
    path, _, name = place.partition("::")
    assert name in promises_of(path), report


@pytest.mark.parametrize("written", [{}, {"threshold": ""}, {"threshold": True}])
def test_a_limit_without_its_number_is_no_limit_anybody_wrote(written: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        fields(text_similarity=written)


def ordered(route: Sequence[ToolCall], called: Sequence[ToolCall], level: str) -> Decision:
    pair = fixture([run(tool_calls=tuple(route))], run(tool_calls=tuple(called)))
    listed = catalogue_of(tools(search={"effect": "read", "idempotent": True}))
    (found,) = tool_order.judge(fields(tool_order=level), pair, listed)
    return found.result


def test_two_equal_calls_are_two_calls() -> None:
    twice, once = calls("search", "search"), calls("search")
    for level in ("exact", "same_unless_idempotent", "any"):
        assert ordered(twice, twice, level) is PASS
        assert ordered(twice, once, level) is FAIL
        assert ordered(once, twice, level) is FAIL


def test_the_order_of_listed_calls_decides_nothing() -> None:
    """References that ask for anything and for `a`, calls with `a` and `b`: both fit, any order."""
    written = fields(arguments={"search": {"q": "similar(0.0)", "n": "exact"}})
    wide, narrow = ToolCall("search", {"q": "x", "n": 1}), ToolCall("search", {"q": "y", "n": 2})
    given = (ToolCall("search", {"q": "a", "n": 2}), ToolCall("search", {"q": "b", "n": 1}))
    answers = set()
    for route in permutations((wide, narrow)):
        for called in permutations(given):
            pair = fixture([run(tool_calls=route)], run(tool_calls=called))
            found: Iterable[Decision] = (
                one.result for one in arguments.judge(written, pair, catalogue_of(None))
            )
            answers.add(tuple(found))
    assert answers == {(PASS,)}


def test_an_exact_order_is_exact_among_calls_of_one_message_too() -> None:
    assert ordered(calls("search", "look"), calls("look", "search"), "exact") is FAIL


def test_what_both_sides_lack_makes_them_no_more_comparable() -> None:
    assert class_of({}, {}) == (Comparable.UNKNOWN, ())
    assert class_of({"test_case_id": "t"}, {"test_case_id": "t"}) == (Comparable.PARTIALLY, ())


def judged(policy: Budget, *records: RunRecord) -> BudgetResult:
    return judge_budget(policy, None, run_set(*records))


def good(number: int, **changed: object) -> RunRecord:
    shown: dict[str, Any] = {"correct": True, "tool_calls": (), **changed}
    return run(f"f{number}", **shown)


def test_a_slot_that_an_outage_ended_stays_in_the_denominator() -> None:
    slots = [good(0), *(run(f"f{number}", status="infra_error") for number in range(1, 4))]
    result = judged(budget(pass_rate_min="0.9"), *slots)
    assert (result.runs, result.rates["pass"]) == (4, Tally(1, 3, 4))
    assert result.decision is OPEN


def test_runs_that_were_all_cancelled_pass_nothing() -> None:
    result = judged(budget(unsafe="1.0"), *(run(f"f{one}", status="cancelled") for one in range(3)))
    assert result.decision is OPEN


@pytest.mark.parametrize(
    ("records", "decision"),
    [
        ([good(0)], PASS),
        ([good(0, correct=False)], FAIL),
        ([good(0, correct=None)], OPEN),
        ([good(0), good(1, correct=None)], OPEN),
        ([good(number) for number in range(9)] + [good(9, correct=False)], PASS),
    ],
)
def test_page_and_json_say_the_one_decision(records: list[RunRecord], decision: Decision) -> None:
    result = judged(budget(pass_rate_min="0.9"), *records)
    told = gate_json(result, policy={}, evaluated_at=NOW, verdict=None)
    assert result.decision is decision
    assert told["decision"] == str(decision)
    assert gate_text(result).startswith(f"{decision.upper()}: ")


def test_thirty_of_thirty_still_has_an_interval() -> None:
    assert interval(Tally(30, 0, 30)) == ("0.8865", "1")
    assert interval(Tally(0, 0, 30)) == ("0", "0.1135")


def test_a_correct_run_may_be_unsafe() -> None:
    result = judged(budget(), good(0, tool_calls=calls("wipe")))
    assert (result.rates["undeclared_effect"].count, result.decision) == (1, FAIL)
    assert {str(outcome): n for outcome, n in result.partition.items() if n} == {"unsafe_action": 1}


def test_a_band_that_names_nothing_still_judges_sequence_and_arguments() -> None:
    """What a policy leaves out is never what lets everything through."""
    before = run_set(run("f", side="b", tool_calls=calls("search")))
    after = run_set(run("f", tool_calls=calls("wipe")))
    assert judge_band(band(), None, before, after, "a", (), (), NOW).decision is FAIL
