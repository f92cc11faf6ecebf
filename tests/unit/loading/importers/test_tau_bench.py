import json
from pathlib import Path

import pytest
from agentpolicy.base.errors import InputError
from agentpolicy.loading.runs import read_runs
from agentpolicy.runs.record import RunRecord

SAMPLE = (
    Path(__file__).resolve().parents[5]
    / "shared/runs/tau_bench/gpt-4o-airline.10tasks_x4trials.json"
)


def asked(identity: str, name: str, arguments: str = "{}") -> dict[str, object]:
    function = {"name": name, "arguments": arguments}
    call = {"id": identity, "function": function, "type": "function"}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def answered(identity: str, text: str) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": identity, "name": "x", "content": text}


def trial(*messages: dict[str, object], reward: object = 1.0, **fields: object) -> RunRecord:
    value = {"task_id": 7, "trial": 0, "reward": reward, "info": {}, "traj": messages, **fields}
    (record,) = read_runs([("t.json", json.dumps([value]).encode())]).records
    return record


def correct(record: RunRecord) -> bool | None:
    assert record.outcome is not None
    return record.outcome.correct


@pytest.mark.parametrize(
    ("reward", "expected"),
    [
        (1.0, True),
        (1, True),
        (0.999999, True),
        (1.000001, True),
        (0.999998, False),
        (1.0000011, False),
        (0.0, False),
        (None, None),
    ],
)
def test_a_reward_of_one_within_a_millionth_is_correct(
    reward: object, *, expected: bool | None
) -> None:
    assert correct(trial(reward=reward)) is expected


def test_trials_count_from_zero_and_attempts_from_one() -> None:
    record = trial()
    assert (record.run_id, record.fixture_id, record.attempt) == ("7-0", "7", 1)


def test_what_the_file_does_not_know_stays_missing() -> None:
    record = trial(info={"user_cost": 0.5})
    assert (record.cost_usd, record.latency_ms, record.tokens, record.steps) == (None,) * 4


def test_a_result_belongs_to_the_nearest_unanswered_call_of_its_id() -> None:
    record = trial(
        asked("c1", "search"),
        answered("c1", "found"),
        asked("c1", "book"),
        answered("c1", "Error: no seats"),
    )
    found = [(call.name, call.status, call.result) for call in record.tool_calls or ()]
    assert found == [("search", "ok", "found"), ("book", "error", "Error: no seats")]


def test_two_open_calls_of_one_id_are_answered_nearest_first() -> None:
    record = trial(
        asked("c1", "search"), asked("c1", "book"), answered("c1", "booked"), answered("c1", "seen")
    )
    assert [call.result for call in record.tool_calls or ()] == ["seen", "booked"]


def test_an_unanswered_call_has_no_status() -> None:
    (call,) = trial(asked("c1", "search")).tool_calls or ()
    assert call.status is None


def test_a_result_that_answers_no_call_is_refused() -> None:
    with pytest.raises(InputError, match="answers no call"):
        trial(answered("c1", "found"))


def test_arguments_are_read_and_broken_ones_kept_as_text() -> None:
    record = trial(
        asked("c1", "a", '{"n": 1.10}'), asked("c2", "b", '{"n": '), asked("c3", "c", "[1]")
    )
    shown = [call.args for call in record.tool_calls or ()]
    assert str(shown[0]) == "{'n': Decimal('1.10')}"
    assert shown[1:] == ['{"n": ', "[1]"]


def test_the_final_answer_is_the_last_thing_the_agent_said() -> None:
    record = trial(
        {"role": "assistant", "content": "first"},
        {"role": "assistant", "content": "last"},
        {"role": "user", "content": "###STOP###"},
        asked("c1", "a"),
    )
    assert record.final_answer == "last"


def test_a_trial_that_ended_in_an_exception_is_an_infra_error_not_a_failure() -> None:
    record = trial(reward=0.0, info={"error": "rate limit"})
    assert not record.finished


def test_calls_written_as_prose_are_missing_and_never_none() -> None:
    record = trial(
        {"role": "assistant", "content": 'Action: {"name": "book"}'},
        {"role": "user", "content": "API output: booked"},
    )
    assert record.tool_calls is None
    assert trial().tool_calls == ()


def test_the_public_sample_is_read_whole() -> None:
    if not SAMPLE.exists():
        pytest.skip("the sample runs are not beside this checkout")
    runs = read_runs([(SAMPLE.name, SAMPLE.read_bytes())])
    assert len(runs.records) == 40
    assert sum(correct(record) is True for record in runs.records) == 16
    statuses = [call.status for record in runs.records for call in record.tool_calls or ()]
    assert (statuses.count("ok"), statuses.count("error"), len(statuses)) == (137, 15, 152)
    assert runs.missing["cost_usd"] == runs.missing["latency_ms"] == 40
