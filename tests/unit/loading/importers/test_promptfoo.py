"""promptfoo: rows joined by their indices; errors, caches and zeros that measured nothing."""

import json
from typing import Any

import pytest
from agentpolicy.base.errors import InputError
from agentpolicy.loading.runs import read_runs
from agentpolicy.runs.record import RunRecord

GRADED = {"pass": True, "componentResults": [{"pass": True}]}


def row(**fields: object) -> dict[str, Any]:
    return {
        "testIdx": 0, "promptIdx": 0, "success": True, "failureReason": 0, "latencyMs": 120,
        "cost": 0.002, "gradingResult": GRADED, "provider": {"id": "openai:m"},
        "tokenUsage": {"prompt": 10, "completion": 5, "cached": 0, "total": 15, "numRequests": 1},
        "response": {"output": "hello"}, **fields,
    }  # fmt: skip


def read(*rows: dict[str, Any]) -> tuple[RunRecord, ...]:
    whole = {"evalId": "e", "results": {"version": 3, "results": rows}}
    return read_runs([("r.json", json.dumps(whole).encode())]).records


def only(**fields: object) -> RunRecord:
    (record,) = read(row(**fields))
    return record


def correct(**fields: object) -> bool | None:
    outcome = only(**fields).outcome
    return outcome.correct if outcome else None


def test_a_row_is_a_run_with_its_measurements() -> None:
    record = only()
    assert (str(record.cost_usd), str(record.latency_ms)) == ("0.002", "120")
    assert record.final_answer == "hello"
    assert record.tokens is not None
    assert record.tokens.total == 15
    assert record.requested_model == "openai:m"


def test_rows_are_joined_by_their_indices_never_by_their_place() -> None:
    records = read(row(testIdx=1), row(testIdx=0), row(testIdx=1), row(testIdx=1, promptIdx=1))
    assert [(one.fixture_id, one.attempt) for one in records] == [
        ("1.0", 1), ("0.0", 1), ("1.0", 2), ("1.1", 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, True),
        ({"success": False, "failureReason": 1}, False),
        ({"gradingResult": None}, None),
        ({"gradingResult": {"pass": True, "componentResults": []}}, None),
    ],
    ids=str,
)
def test_without_an_assertion_nothing_was_asked(
    fields: dict[str, Any], expected: bool | None
) -> None:
    assert correct(**fields) is expected


def test_a_provider_that_failed_is_an_outage_not_a_wrong_answer() -> None:
    record = only(success=False, failureReason=2, error="429", gradingResult=None, response=None)
    assert not record.finished
    assert record.infra_error == "429"


def test_a_cached_answer_measures_nothing() -> None:
    record = only(response={"output": "hello", "cached": True})
    assert (record.latency_ms, record.cost_usd, record.tokens) == (None, None, None)
    assert record.final_answer == "hello"


def test_zero_is_what_a_provider_says_that_does_not_measure() -> None:
    record = only(cost=0, latencyMs=0, tokenUsage={"prompt": 0, "completion": 0})
    assert (record.latency_ms, record.cost_usd, record.tokens) == (None, None, None)


def test_calls_that_the_model_answered_with_are_its_calls() -> None:
    output = [{"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}]
    (call,) = only(response={"output": output}).tool_calls or ()
    assert (call.name, call.args) == ("f", {"a": 1})
    assert only().tool_calls is None


def test_an_older_file_holds_its_rows_directly() -> None:
    whole = {"results": [row(), row(testIdx=1)]}
    assert len(read_runs([("r.json", json.dumps(whole).encode())]).records) == 2


def test_a_cost_that_is_no_amount_is_refused() -> None:
    with pytest.raises(InputError, match="no amount of money"):
        only(cost=-1)
