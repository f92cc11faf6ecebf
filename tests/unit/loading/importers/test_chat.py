"""Conversations and sessions: which result answers which call, and what stays missing."""

import json
from typing import Any

import pytest
from agentpolicy.base.errors import InputError
from agentpolicy.loading.runs import read_runs
from agentpolicy.runs.record import AtLeast, RunRecord


def only(name: str, data: bytes) -> RunRecord:
    runs = read_runs([(name, data)])
    (record,) = runs.records
    assert not runs.unreadable
    return record


def openai(*messages: dict[str, Any], **more: object) -> RunRecord:
    return only("t/refund.json", json.dumps({"messages": messages, **more}).encode())


def session(*messages: dict[str, Any], stamps: tuple[str, ...] = ()) -> RunRecord:
    lines = [
        {"type": message["role"], "uuid": str(number), "message": message}
        | ({"timestamp": stamps[number]} if stamps else {})
        for number, message in enumerate(messages)
    ]
    return only("t/s.jsonl", b"\n".join(json.dumps(line).encode() for line in lines))


def asked(identity: str, name: str, arguments: str = "{}") -> dict[str, Any]:
    call = {"id": identity, "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def answered(identity: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "content": text, "tool_call_id": identity}


def used(identity: str, name: str, **said: object) -> dict[str, Any]:
    block = {"type": "tool_use", "id": identity, "name": name, "input": {"a": 1}}
    return {"role": "assistant", "content": [block], **said}


def result(identity: str, content: object, **more: object) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": identity, "content": content, **more}
    return {"role": "user", "content": [block]}


USER = {"role": "user", "content": "do it"}
DONE = {"role": "assistant", "content": [{"type": "text", "text": "done"}]}


def test_an_id_that_repeats_answers_the_nearest_earlier_call() -> None:
    record = openai(
        USER, asked("1", "search"), answered("1", "a"), asked("1", "write"), answered("1", "b")
    )
    assert [(call.name, call.result) for call in record.tool_calls or ()] == [
        ("search", "a"),
        ("write", "b"),
    ]


def test_a_run_is_named_by_its_content_wherever_the_file_lies() -> None:
    data = json.dumps({"messages": [USER, DONE]}).encode()
    here, there = only("a/refund.json", data), only("b/refund.json", data)
    assert here.run_id == there.run_id
    assert here.fixture_id == "refund"
    assert only("a/refund.json", data + b" ").run_id != here.run_id


def test_arguments_that_are_no_object_stay_the_text_they_are() -> None:
    record = openai(USER, asked("1", "search", "{broken"), answered("1", "x"))
    assert [call.args for call in record.tool_calls or ()] == ["{broken"]


def test_usage_of_zero_is_not_measured() -> None:
    assert openai(USER, DONE, usage={"prompt_tokens": 0, "completion_tokens": 0}).tokens is None
    usage = {
        "prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4},
    }  # fmt: skip
    tokens = openai(USER, DONE, usage=usage).tokens
    assert tokens is not None
    assert tokens.total == 11


def test_a_conversation_says_neither_cost_nor_time_nor_outcome() -> None:
    record = openai(USER, DONE)
    assert (record.cost_usd, record.latency_ms, record.outcome, record.tokens) == (None,) * 4
    assert record.final_answer == "done"


@pytest.mark.parametrize(
    "messages", [(USER, answered("1", "x")), (USER, asked("1", "a"), answered("2", "x"))]
)
def test_a_result_without_its_call_says_that_something_is_missing(
    messages: tuple[dict[str, Any], ...],
) -> None:
    with pytest.raises(InputError, match="answers no call"):
        openai(*messages)


def test_blocks_are_calls_and_their_results() -> None:
    record = session(
        USER,
        used("1", "Write"),
        result("1", [{"type": "text", "text": "written"}]),
        used("2", "Bash"),
        result("2", "no", is_error=True),
        DONE,
    )
    assert [(call.name, call.status, call.result) for call in record.tool_calls or ()] == [
        ("Write", "ok", "written"),
        ("Bash", "error", "no"),
    ]
    assert record.final_answer == "done"
    assert record.steps == 3


def test_a_message_in_several_parts_counts_its_usage_once() -> None:
    usage = {
        "input_tokens": 3, "output_tokens": 10, "cache_read_input_tokens": 5758,
        "cache_creation_input_tokens": 6174,
    }  # fmt: skip
    said = {"id": "m1", "model": "some-model", "usage": usage}
    record = session(USER, used("1", "Write", **said), {**DONE, **said}, result("1", "x"))
    assert record.tokens is not None
    assert (record.tokens.input, record.tokens.cached) == (3, 11932)
    assert record.tokens.total == 3 + 11932 + 10
    assert record.steps == 1
    assert record.resolved_model == "some-model"


def test_one_message_without_usage_leaves_the_tokens_unknown() -> None:
    usage = {"input_tokens": 3, "output_tokens": 10}
    partly = session(USER, {**DONE, "usage": usage}, DONE)
    assert (partly.tokens, partly.at_least) == (None, AtLeast(tokens=13))


def test_latency_runs_from_the_one_question_to_the_last_answer() -> None:
    stamps = ("2026-01-01T10:00:00.000Z", "2026-01-01T10:00:01.250Z")
    assert session(USER, DONE, stamps=stamps).latency_ms == 1250


def test_between_two_questions_the_session_waited_for_a_person() -> None:
    stamps = tuple(f"2026-01-01T10:00:0{second}.000Z" for second in range(4))
    assert session(USER, DONE, USER, DONE, stamps=stamps).latency_ms is None


def test_a_session_that_was_cut_off_is_no_evidence() -> None:
    lines = [json.dumps({"type": "user", "uuid": "1", "message": USER}), '{"type": "assist']
    with pytest.raises(InputError) as error:
        read_runs([("s.jsonl", "\n".join(lines).encode())])
    assert str(error.value.problems[0]).startswith("s.jsonl:2:")
