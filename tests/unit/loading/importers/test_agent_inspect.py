"""AgentInspect traces: runs of one file, times by timestamps, outcomes by expectations."""

import json
from typing import Any

import pytest
from agentpolicy.base.errors import InputError
from agentpolicy.loading.runs import read_runs
from agentpolicy.runs.record import AtLeast, RunRecord
from agentpolicy.runs.run_set import RunSet


def event(kind: str, at: int, run: str = "r1", **fields: object) -> dict[str, Any]:
    return {"event": kind, "runId": run, "timestamp": at, **fields}


BEGUN = event("run_started", 100, name="refund", metadata={"promptVersion": "v2"})
ENDED = event("run_completed", 150, status="success", durationMs=9999)


def read(*events: object) -> RunSet:
    lines = [one if isinstance(one, str) else json.dumps(one) for one in events]
    return read_runs([("t.jsonl", "\n".join(lines).encode())])


def only(*events: object) -> RunRecord:
    (record,) = read(*events).records
    return record


def tool(step: str, at: int, **fields: object) -> dict[str, Any]:
    return event("step_started", at) | {"stepId": step, "type": "tool", "name": "wrapper", **fields}


def test_time_is_told_by_timestamps_not_by_what_the_run_claims() -> None:
    assert only(BEGUN, ENDED).latency_ms == 50


def test_a_tool_is_named_by_its_own_name_not_by_its_wrapper() -> None:
    record = only(
        BEGUN,
        tool("s1", 110, metadata={"toolName": "lookup"}),
        event("step_completed", 120, stepId="s1", status="success"),
        tool("s2", 130),
        event("step_completed", 140, stepId="s2", status="error"),
        ENDED,
    )
    assert [(call.name, call.status) for call in record.tool_calls or ()] == [
        ("lookup", "ok"),
        ("wrapper", "error"),
    ]


@pytest.mark.parametrize(
    ("seen", "correct"),
    [(["passed"], True), (["passed", "failed"], False), (["passed", "unclear"], None)],
)
def test_a_run_is_correct_when_all_that_was_expected_was_observed(
    seen: list[str], correct: bool | None
) -> None:
    observed = [event("outcome_observed", 120, status=status) for status in seen]
    outcome = only(BEGUN, *observed, ENDED).outcome
    assert outcome is not None
    assert outcome.correct is correct


def test_a_model_call_without_tokens_leaves_them_unknown() -> None:
    model = event("step_started", 110, stepId="m", type="llm", name="answer")
    counted = {**model, "metadata": {"tokens": {"input": 100, "output": 40}}}
    tokens = only(BEGUN, counted, ENDED).tokens
    assert tokens is not None
    assert tokens.total == 140
    partly = only(BEGUN, counted, model, ENDED)
    assert (partly.tokens, partly.at_least) == (None, AtLeast(tokens=140))


def test_a_run_without_its_end_is_put_aside_and_the_others_are_read() -> None:
    other = [{**one, "runId": "r2"} for one in (BEGUN, ENDED)]
    runs = read(BEGUN, *other)
    assert [record.run_id for record in runs.records] == ["r2"]
    (problem,) = runs.unreadable
    assert "nothing says where run 'r1' ends" in str(problem)


def test_a_garbled_event_is_told_with_its_line() -> None:
    runs = read(BEGUN, ENDED, '{"event": ')
    assert str(runs.unreadable[0]).startswith("t.jsonl:3:")


def test_a_trace_of_no_whole_run_is_refused() -> None:
    with pytest.raises(InputError, match="begins"):
        read(ENDED)
