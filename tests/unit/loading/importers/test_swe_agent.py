"""SWE-agent trajectories: calls, the command that ended them, and zeros that measured nothing."""

import json

import pytest
from agentpolicy.base.errors import InputError
from agentpolicy.loading.runs import read_runs
from agentpolicy.runs.record import RunRecord

CALL = {"id": "1", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
HISTORY = [
    {"role": "user", "content": "fix it", "message_type": "observation"},
    {"role": "assistant", "content": "", "tool_calls": [CALL], "message_type": "action"},
    {"role": "tool", "content": "a.py", "tool_call_ids": ["1"], "message_type": "observation"},
]
STEPS = [
    {"action": "ls", "observation": "a.py"},
    {"action": "submit", "observation": "diff"},
]


def attempt(**fields: object) -> RunRecord:
    value = {"history": HISTORY, "trajectory": STEPS, **fields}
    (record,) = read_runs([("t/case-1.traj", json.dumps(value).encode())]).records
    return record


def ended(status: str | None, **stats: object) -> RunRecord:
    return attempt(info={"exit_status": status, "model_stats": stats})


def test_the_command_that_ended_the_run_is_a_call_too() -> None:
    named = [(call.name, call.result) for call in attempt().tool_calls or ()]
    assert named == [("bash", "a.py"), ("submit", "diff")]


def test_commands_alone_do_not_say_which_tools_were_called() -> None:
    assert attempt(history=HISTORY[:1]).tool_calls is None


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("submitted", "completed"),
        ("submitted (exit_cost)", "limit"),
        ("exit_context", "limit"),
        ("exit_error", "infra_error"),
        (None, None),
    ],
)
def test_how_it_ended_is_what_the_log_says(status: str | None, expected: str | None) -> None:
    assert ended(status).status == expected


def test_zero_cost_and_tokens_of_a_replay_are_not_measured() -> None:
    record = ended("submitted", instance_cost=0, tokens_sent=0, tokens_received=0, api_calls=13)
    assert (record.cost_usd, record.tokens) == (None, None)
    assert record.steps == 13


def test_an_old_log_calls_its_cost_total() -> None:
    assert str(ended("submitted", total_cost=0.25).cost_usd) == "0.25"


@pytest.mark.parametrize("cost", [-1, True, "0.2"])
def test_a_cost_that_is_no_amount_is_refused(cost: object) -> None:
    with pytest.raises(InputError, match="no amount of money"):
        ended("submitted", instance_cost=cost)


def test_a_submission_is_not_yet_correct() -> None:
    record = attempt(info={"exit_status": "submitted", "submission": "diff"})
    assert record.outcome is None
    assert record.final_answer == "diff"
