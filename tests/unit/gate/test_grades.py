"""What only warns shows and routes, but decides nothing."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
from agentpolicy.base.instant import parse_instant
from agentpolicy.documents.models.band import Grades
from agentpolicy.gate.band import BandResult, judge_band
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.verdict import Route
from agentpolicy.runs.record import ToolCall
from tests.evidence import calls, run, run_set, whole_band

AT = parse_instant("2026-03-10T12:00:00Z")
PASS, FAIL, OPEN = Decision.PASS, Decision.FAIL, Decision.INCONCLUSIVE
RULES: Mapping[str, Any] = {
    "text_similarity": {"threshold": Decimal(1)},
    "facts": "equal",
    "latency_ms_p50": {"fail": "1.5x"},
    "latency_ms_p95": "1.5x",
    "token_ratio": {"min": Decimal("0.7"), "max": Decimal("1.4")},
    "tool_calls_ratio": Decimal("1.5"),
}
ONE = (ToolCall("look", {"id": 1}, "ok"),)
CHANGED: Mapping[str, Mapping[str, Any]] = {
    "text_similarity": {"final_answer": "yes, 1"},
    "facts": {"final_answer": "yes 2"},
    "arguments": {"tool_calls": (ToolCall("look", {"id": 2}, "ok"),)},
    "latency_ms_p50": {"latency_ms": 20},
    "latency_ms_p95": {"latency_ms": 20},
    "token_ratio": {"tokens": 20},
    "tool_calls_ratio": {"tool_calls": ONE * 2},
}
UNKNOWN: Mapping[str, Mapping[str, Any]] = {
    "text_similarity": {"final_answer": None},
    "facts": {"final_answer": None},
    "arguments": {"tool_calls": (ToolCall("look", None, "ok"),)},
    "latency_ms_p50": {"latency_ms": None},
    "latency_ms_p95": {"latency_ms": None},
    "token_ratio": {"tokens": None},
}


def judged(field: str, grade: str | None, changed: Mapping[str, Any]) -> BandResult:
    shown: dict[str, Any] = {
        "final_answer": "yes 1",
        "latency_ms": 10,
        "tokens": 10,
        "tool_calls": ONE,
    }
    written = {field: RULES[field]} if field in RULES else {}
    order = "any" if field != "tool_calls_ratio" else "exact"
    policy = whole_band({"grades": {field: grade}} if grade else {}, tool_order=order, **written)
    before = run_set(run(side="b", **shown))
    return judge_band(policy, None, before, run_set(run(**{**shown, **changed})), "a", (), (), AT)


@pytest.mark.parametrize("field", [field for field in CHANGED if field != "tool_calls_ratio"])
def test_a_warned_crossing_passes_but_is_listed_and_reviewed(field: str) -> None:
    for grade, decision in ((None, FAIL), ("fail", FAIL), ("warn", PASS)):
        result = judged(field, grade, CHANGED[field])
        assert (result.decision, result.route) == (decision, Route.FAST_REVIEW)
        assert {finding.dimension for finding in result.crossings} == {field}
        assert {finding.warned for finding in result.crossings} == {grade == "warn"}


def test_a_warned_ratio_of_calls_leaves_the_sequence_to_fail() -> None:
    result = judged("tool_calls_ratio", "warn", CHANGED["tool_calls_ratio"])
    assert result.decision is FAIL
    assert {finding.field: finding.warned for finding in result.crossings} == {
        "tool_order": False,
        "tool_calls_ratio": True,
    }


@pytest.mark.parametrize("field", UNKNOWN)
def test_a_warned_unknown_decides_nothing_but_is_no_no_op(field: str) -> None:
    assert judged(field, "fail", UNKNOWN[field]).decision is OPEN
    warned = judged(field, "warn", UNKNOWN[field])
    assert (warned.decision, warned.route) == (PASS, Route.FAST_REVIEW)


def test_every_field_with_a_grade_is_tried_here() -> None:
    assert set(Grades.model_fields) == set(CHANGED)


def test_a_warned_crossing_hides_no_other() -> None:
    similarity = RULES["text_similarity"]
    policy = whole_band({"grades": {"text_similarity": "warn"}}, text_similarity=similarity)
    before = run_set(run(side="b", final_answer="a", tool_calls=()))
    after = run_set(run(final_answer="b", tool_calls=calls("extra")))
    assert judge_band(policy, None, before, after, "a", (), (), AT).decision is FAIL
