"""Traces: wrappers that repeat usage, old and new names, and every wrapping of spans."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from agentpolicy.base.errors import InputError
from agentpolicy.loading.runs import read_runs
from agentpolicy.runs.record import AtLeast, Money, RunRecord, Tokens

NEW = {"gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 20}
OLD = {"gen_ai.usage.prompt_tokens": 100, "gen_ai.usage.completion_tokens": 20}


def span(identity: str, parent: str = "", begun: int = 0, **fields: object) -> dict[str, Any]:
    return {
        "trace_id": "t1", "span_id": identity, "parent_span_id": parent, "name": identity,
        "start_time_unix_nano": str(begun * 1_000_000),
        "end_time_unix_nano": str((begun + 5) * 1_000_000),
        "attributes": {}, **fields,
    }  # fmt: skip


def model(
    identity: str,
    parent: str = "",
    begun: int = 0,
    used: Mapping[str, object] = NEW,
    named: Mapping[str, object] | None = None,
) -> dict[str, Any]:
    attributes = {"gen_ai.operation.name": "chat", **used, **(named or {})}
    return span(identity, parent, begun, attributes=attributes)


def tool(identity: str, begun: int = 0, status: object = None, **named: object) -> dict[str, Any]:
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": identity, **named}
    return span(identity, begun=begun, attributes=attributes, status=status or {})


def only(*spans: dict[str, Any]) -> RunRecord:
    (record,) = read_runs([("t.json", json.dumps({"spans": spans}).encode())]).records
    return record


def tokens(*spans: dict[str, Any]) -> Tokens:
    found = only(*spans).tokens
    assert found is not None
    return found


def test_usage_that_a_wrapper_repeats_counts_once() -> None:
    wrapped = (model("call_llm"), span("between", "call_llm"), model("chat", "between"))
    assert tokens(*wrapped).total == 120
    assert only(*wrapped).steps == 1


def test_one_response_that_two_spans_report_counts_once() -> None:
    named = {"gen_ai.response.id": "r1"}
    assert tokens(model("a", named=named), model("b", named=named)).total == 120


@pytest.mark.parametrize("used", [NEW, OLD])
def test_old_names_are_the_same_measurements(used: dict[str, int]) -> None:
    assert tokens(model("a", used=used)).total == 120


@pytest.mark.parametrize(
    ("more", "total"),
    [
        ({"gen_ai.usage.cache_read_input_tokens": 90, "llm.usage.total_tokens": 120}, 120),
        ({"gen_ai.usage.cache_read_input_tokens": 90, "llm.usage.total_tokens": 210}, 210),
        ({"gen_ai.usage.cache_read_input_tokens": 90, "llm.usage.total_tokens": 7}, None),
        ({"gen_ai.usage.cache_read_input_tokens": 90}, None),
        ({"gen_ai.usage.cache_read_input_tokens": 0}, 120),
    ],
)
def test_whether_old_names_count_cached_tokens_twice_is_told_by_the_sum(
    more: dict[str, int], total: int | None
) -> None:
    assert tokens(model("a", used=OLD | more)).total == total


def test_the_conventions_say_that_input_holds_the_cached_ones() -> None:
    assert tokens(model("a", used=NEW | {"gen_ai.usage.cache_read.input_tokens": 90})).total == 120


def test_one_call_of_a_model_without_usage_leaves_the_tokens_unknown() -> None:
    partly = only(model("a"), model("b", used={"gen_ai.usage.input_tokens": 7}))
    assert (partly.tokens, partly.at_least) == (None, AtLeast(tokens=127))


def test_a_cost_that_one_call_lacks_is_no_sum() -> None:
    priced = {"gen_ai.usage.cost": 0.25}
    assert str(only(model("a", named=priced), model("b", named=priced)).cost_usd) == "0.50"
    partly = only(model("a", named=priced), model("b"))
    assert (partly.cost_usd, partly.at_least) == (None, AtLeast(Money("0.25")))
    assert only(model("a", named={"gen_ai.usage.cost": 0})).cost_usd is None


def test_calls_stand_in_the_order_they_began_in() -> None:
    failed = {"code": "ERROR"}
    record = only(
        tool("second", 9, failed),
        tool("first", 3, **{"gen_ai.tool.call.arguments": '{"a": 1}'}),
    )
    assert [(call.name, call.status, call.args) for call in record.tool_calls or ()] == [
        ("first", "ok", {"a": 1}),
        ("second", "error", None),
    ]


def test_the_agents_own_span_is_the_latency() -> None:
    agent = span("agent", "request", 2, attributes={"gen_ai.operation.name": "invoke_agent"})
    child = span("child", "agent", 4, attributes={"gen_ai.operation.name": "invoke_agent"})
    late = span("request", begun=100)
    assert only(agent, child, late).latency_ms == 5
    assert only(model("a", begun=2), model("b", begun=4)).latency_ms == 7


def test_the_last_answer_is_read_from_either_form() -> None:
    parts = [{"role": "assistant", "parts": [{"type": "text", "content": "done"}]}]
    assert (
        only(model("a", named={"gen_ai.output.messages": json.dumps(parts)})).final_answer == "done"
    )
    assert only(model("a", named={"gen_ai.completion.0.content": "done"})).final_answer == "done"


def test_a_trace_without_an_agent_is_no_run() -> None:
    data = json.dumps({"spans": [model("a"), span("x", trace_id="http")]}).encode()
    assert [record.run_id for record in read_runs([("t.json", data)]).records] == ["t1"]


def otlp(attributes: Mapping[str, object] = NEW) -> dict[str, Any]:
    pairs = [
        {"key": name, "value": {"intValue": str(value)} if isinstance(value, int) else value}
        for name, value in attributes.items()
    ]
    return {
        "traceId": "t1", "spanId": "a", "name": "chat", "startTimeUnixNano": "1000000",
        "endTimeUnixNano": 3000000, "attributes": pairs,
    }  # fmt: skip


WRAPPED = [
    {"resourceSpans": [{"scopeSpans": [{"spans": [otlp()]}]}]},
    {"batches": [{"instrumentationLibrarySpans": [{"spans": [otlp()]}]}]},
    {
        "data": [{"traceID": "t1", "spans": [{
            "traceID": "t1", "spanID": "a", "operationName": "chat", "startTime": 1000,
            "duration": 2000, "references": [],
            "tags": [{"key": name, "type": "int64", "value": value} for name, value in NEW.items()],
        }]}],
    },
]  # fmt: skip


@pytest.mark.parametrize("value", WRAPPED, ids=["otlp", "tempo", "jaeger"])
def test_every_wrapping_holds_the_same_run(value: dict[str, Any]) -> None:
    (record,) = read_runs([("t.json", json.dumps(value).encode())]).records
    assert record.tokens is not None
    assert record.tokens.total == 120
    assert record.latency_ms == 2


def test_traces_may_stand_one_a_line_and_a_garbled_line_is_told() -> None:
    whole = json.dumps(WRAPPED[0])
    other = whole.replace("t1", "t2")
    runs = read_runs([("t.jsonl", f"{whole}\n{other}\n{{broken}}\n".encode())])
    assert [record.run_id for record in runs.records] == ["t1", "t2"]
    assert str(runs.unreadable[0]).startswith("t.jsonl:3:")


@pytest.mark.parametrize("broken", [{"spanId": ""}, {"startTimeUnixNano": "soon"}])
def test_a_span_that_is_none_is_refused(broken: dict[str, Any]) -> None:
    value = {"resourceSpans": [{"scopeSpans": [{"spans": [otlp() | broken]}]}]}
    with pytest.raises(InputError):
        read_runs([("t.json", json.dumps(value).encode())])
