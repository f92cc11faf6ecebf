"""tau2-bench: the simulated user's calls and costs are not the agent's."""

import json
from typing import Any

import pytest
from agentpolicy.base.errors import InputError
from agentpolicy.loading.runs import read_runs
from agentpolicy.runs.record import RunRecord


def simulation(*messages: dict[str, Any], **fields: object) -> dict[str, Any]:
    return {
        "id": "s1", "task_id": "40", "trial": 0, "termination_reason": "user_stop",
        "messages": messages, **fields,
    }  # fmt: skip


def only(*messages: dict[str, Any], **fields: object) -> RunRecord:
    value = simulation(*messages, **fields)
    (record,) = read_runs([("s.json", json.dumps(value).encode())]).records
    return record


def call(name: str, requestor: str, identity: str = "1") -> dict[str, Any]:
    return {
        "role": requestor,
        "tool_calls": [{"id": identity, "name": name, "arguments": {}, "requestor": requestor}],
    }


def result(requestor: str, identity: str = "1", **fields: object) -> dict[str, Any]:
    return {"role": "tool", "id": identity, "content": "x", "requestor": requestor, **fields}


def test_only_the_agents_own_calls_count() -> None:
    record = only(
        call("check_status", "user"), result("user"), call("refund", "assistant"),
        result("assistant", error=True),
    )  # fmt: skip
    assert [(one.name, one.status) for one in record.tool_calls or ()] == [("refund", "error")]


def test_results_that_stand_together_are_each_given_to_their_call() -> None:
    both = {"role": "tool", "tool_messages": [result("assistant", "2"), result("assistant", "1")]}
    record = only(call("a", "assistant", "1"), call("b", "assistant", "2"), both)
    assert [one.status for one in record.tool_calls or ()] == ["ok", "ok"]


def test_only_the_agents_own_cost_counts_and_zero_is_not_measured() -> None:
    assert only(user_cost=0.5).cost_usd is None
    assert only(agent_cost=0.0).cost_usd is None
    assert str(only(agent_cost=0.25, user_cost=0.5).cost_usd) == "0.25"


def test_correct_names_the_basis_of_its_reward() -> None:
    outcome = only(reward_info={"reward": 1.0, "reward_basis": ["DB", "COMMUNICATE"]}).outcome
    assert outcome is not None
    assert outcome.correct is True
    assert outcome.evaluator == "tau2-bench reward (DB+COMMUNICATE)"
    assert only().outcome is None


@pytest.mark.parametrize(
    ("reason", "status"),
    [("user_stop", None), ("max_steps", "limit"), ("infrastructure_error", "infra_error")],
)
def test_how_it_ended_is_what_the_log_says(reason: str, status: str | None) -> None:
    assert only(termination_reason=reason).status == status


def test_a_results_file_holds_its_simulations() -> None:
    both = [simulation(id="a", trial=0), simulation(id="b", trial=1)]
    whole = {"timestamp": "t", "info": {}, "tasks": [], "simulations": both}
    records = read_runs([("r.json", json.dumps(whole).encode())]).records
    assert [(one.run_id, one.attempt) for one in records] == [("a", 1), ("b", 2)]


def test_a_garbled_simulation_is_put_aside_and_the_others_are_read() -> None:
    both = [simulation(id="a"), {"id": "b", "task_id": None}]
    whole = {"timestamp": "t", "info": {}, "tasks": [], "simulations": both}
    runs = read_runs([("r.json", json.dumps(whole).encode())])
    assert [one.run_id for one in runs.records] == ["a"]
    assert len(runs.unreadable) == 1


def test_speech_without_text_still_lists_the_calls_of_its_ticks() -> None:
    tick = {
        "agent_chunk": {"role": "assistant", "content": "done"},
        "agent_tool_calls": [{"id": "1", "name": "refund", "arguments": {}}],
        "agent_tool_results": [result("assistant")],
        "user_tool_calls": [{"id": "2", "name": "check"}],
    }
    record = only(messages=None, ticks=[tick])
    assert [one.name for one in record.tool_calls or ()] == ["refund"]
    assert record.final_answer == "done"


def test_a_result_without_its_call_says_that_something_is_missing() -> None:
    with pytest.raises(InputError, match="answers no call"):
        only(result("assistant"))
