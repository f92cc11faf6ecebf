"""One small log of every format, as its writer would write it, for tests that garble them."""

import json
from collections.abc import Mapping
from typing import Any

_CALL = {"id": "c1", "function": {"name": "search", "arguments": '{"q": "x", "n": 1}'}}
_TALK = [
    {"role": "user", "content": "find it"},
    {"role": "assistant", "content": None, "tool_calls": [_CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "found"},
    {"role": "assistant", "content": "done"},
]
_USED = {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12, "total_cost": 0.25}
_SAMPLE = [
    {"role": "user", "content": "find it"},
    {"role": "assistant", "content": [{"type": "text", "text": "done"}],
     "tool_calls": [{"id": "1", "function": "search", "arguments": {"q": 1}}]},
    {"role": "tool", "content": "found", "tool_call_id": "1", "function": "search"},
]  # fmt: skip
_EVENTS = [
    {"event": "model", "output": {"model": "m-1", "usage": _USED}, "tools": [{"name": "search"}]},
    {"event": "tool", "id": "1", "function": "search", "arguments": {"q": 1}, "result": "ok"},
]
_SPAN = {
    "traceId": "t1", "spanId": "a", "name": "chat", "startTimeUnixNano": "1000000",
    "endTimeUnixNano": "3000000", "status": {"code": 0},
    "attributes": [
        {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
        {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "10"}},
        {"key": "gen_ai.usage.output_tokens", "value": {"intValue": "2"}},
        {"key": "gen_ai.usage.cost", "value": {"doubleValue": 0.25}},
    ],
}  # fmt: skip
_JAEGER = {
    "traceID": "t1", "spanID": "a", "operationName": "chat", "startTime": 1000, "duration": 2000,
    "references": [{"refType": "CHILD_OF", "spanID": "b", "traceID": "t1"}],
    "tags": [{"key": "gen_ai.usage.input_tokens", "type": "int64", "value": 10}],
}  # fmt: skip

WHOLE: Mapping[str, tuple[str, Any]] = {
    "manifest": ("manifest", {
        "run_id": "b", "instructions_ref": "a@1", "model": "m", "temperature": 0, "seed": 42,
        "fixtures": [{"task_id": "f", "tool_calls": [{"name": "a", "args": {"b": None}}],
                      "final_answer": "x", "refused": False}],
    }),
    "tau-bench": ("tau-bench", [
        {"task_id": 3, "trial": 0, "reward": 1.0, "traj": _TALK,
         "info": {"task": {"user_id": "u"}, "user_cost": 0.1}},
        {"task_id": 3, "trial": 1, "reward": 0.0, "traj": _TALK, "info": {}},
    ]),
    "swe-agent": ("swe-agent", {
        "trajectory": [{"action": "search x", "observation": "found"}],
        "history": _TALK,
        "info": {"exit_status": "submitted", "submission": "diff",
                 "model_stats": {"instance_cost": 0.02, "tokens_sent": 10, "tokens_received": 2,
                                 "api_calls": 2}},
    }),
    "inspect": ("inspect", {
        "status": "success",
        "eval": {"task": "refunds", "run_id": "R", "dataset": {"samples": 2, "sample_ids": [1, 2]},
                 "config": {"epochs": 1}, "model": "some/model",
                 "model_generate_config": {"temperature": 0.5}},
        "results": {"total_samples": 2},
        "samples": [{
            "id": 1, "epoch": 1, "messages": _SAMPLE, "events": _EVENTS, "total_time": 1.5,
            "scores": {"match": {"value": "C"}}, "attachments": {"ab": "long"},
            "output": {"choices": [{"message": {"role": "assistant", "content": "done"}}]},
        }],
    }),
    "inspect before there were events": ("inspect", {
        "eval": {"task": "refunds", "dataset": {}},
        "samples": [{"id": "s", "transcript": {"events": _EVENTS, "content": {"ab": "long"}}}],
    }),
    "tau2-bench": ("tau2-bench", {
        "info": {"git_commit": "0"}, "tasks": [], "timestamp": "t",
        "simulations": [{
            "id": "s1", "task_id": "3", "trial": 0, "duration": 12.5, "agent_cost": 0.1,
            "termination_reason": "user_stop",
            "reward_info": {"reward": 1.0, "reward_basis": ["DB"]},
            "messages": [
                {"role": "assistant", "content": "done", "tool_calls": [
                    {"id": "c1", "name": "search", "arguments": {"q": 1}, "requestor": "assistant"},
                ]},
                {"role": "tool", "id": "c1", "content": "found", "requestor": "assistant",
                 "error": False},
            ],
        }],
    }),
    "promptfoo": ("promptfoo", {
        "version": 3,
        "results": {"results": [{
            "testIdx": 0, "promptIdx": 0, "success": True, "failureReason": 0, "latencyMs": 900,
            "cost": 0.01, "promptId": "p", "provider": {"id": "openai:x"},
            "gradingResult": {"componentResults": [{"pass": True}]},
            "response": {"output": "done", "cached": False,
                         "tokenUsage": {"prompt": 10, "completion": 2, "total": 12}},
        }]},
    }),
    "otlp": ("otel", {"resourceSpans": [{"resource": {"attributes": []},
                                         "scopeSpans": [{"spans": [_SPAN]}]}]}),
    "jaeger": ("otel", {"data": [{"traceID": "t1", "spans": [_JAEGER]}]}),
    "spans": ("otel", {"spans": [{
        "trace_id": "t1", "span_id": "a", "parent_span_id": "", "name": "execute_tool search",
        "start_time_unix_nano": "1", "end_time_unix_nano": "5",
        "attributes": {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search",
                       "gen_ai.tool.call.arguments": '{"q": 1}'},
    }]}),
    "openai": ("openai", {
        "messages": _TALK, "model": "m",
        "usage": {"prompt_tokens": 10, "completion_tokens": 2,
                  "prompt_tokens_details": {"cached_tokens": 0}},
    }),
    "anthropic in one": ("anthropic", {"loglines": [
        {"type": "user", "message": {"role": "user", "content": "find it"},
         "timestamp": "2026-03-10T12:00:00Z"},
        {"type": "assistant", "timestamp": "2026-03-10T12:00:05Z", "message": {
            "role": "assistant", "id": "m1", "model": "m",
            "usage": {"input_tokens": 3, "output_tokens": 10},
            "content": [{"type": "text", "text": "done"}]}},
    ]}),
}  # fmt: skip
"""By a name: the format, and the one JSON value of the file."""

LINES: Mapping[str, tuple[str, list[Any]]] = {
    "jsonl": ("jsonl", [
        {"run_id": "r1", "fixture_id": "f1", "attempt": 1, "agent": "a", "subject": "s",
         "outcome": {"correct": True, "evaluator": "e"}, "steps": 4, "cost_usd": "0.30",
         "latency_ms": 12.5, "tokens": {"input": 10, "output": 2, "cached": 0},
         "tool_calls": [{"name": "search", "args": {"q": [1, "x"]}, "status": "ok",
                         "result": {"id": 7}, "call_id": "c1"},
                        {"name": "write", "args": {}, "depends_on": ["c1"]}],
         "output": {"a": 1}, "final_answer": "done", "scores": {"s": 0.5}},
        {"run_id": "r2", "fixture_id": "f1", "attempt": 2, "at_least": {"cost_usd": "0.10"}},
    ]),
    "anthropic": ("anthropic", [
        {"type": "user", "message": {"role": "user", "content": "find it"}, "uuid": "u",
         "timestamp": "2026-03-10T12:00:00Z"},
        {"type": "assistant", "uuid": "v", "timestamp": "2026-03-10T12:00:05Z", "message": {
            "role": "assistant", "id": "m1", "model": "m",
            "usage": {"input_tokens": 3, "output_tokens": 10, "cache_read_input_tokens": 5},
            "content": [{"type": "tool_use", "id": "t1", "name": "search", "input": {"q": 1}}]}},
        {"type": "user", "uuid": "w", "timestamp": "2026-03-10T12:00:06Z", "message": {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "found"}]}},
    ]),
    "agent-inspect": ("agent-inspect", [
        {"event": "run_started", "runId": "R", "timestamp": 100, "name": "refund",
         "metadata": {"fixture": "f", "cohort": "before", "promptVersion": "1", "model": "m"}},
        {"event": "step_started", "runId": "R", "timestamp": 110, "stepId": "m", "type": "llm",
         "metadata": {"tokens": {"input": 10, "output": 2}}},
        {"event": "step_started", "runId": "R", "timestamp": 120, "stepId": "t", "type": "tool",
         "name": "tool:search", "metadata": {"toolName": "search"}, "input": {"q": 1}},
        {"event": "step_completed", "runId": "R", "timestamp": 130, "stepId": "t",
         "status": "success", "output": {"id": 7}},
        {"event": "outcome_observed", "runId": "R", "timestamp": 140, "status": "passed"},
        {"event": "run_completed", "runId": "R", "timestamp": 150, "status": "success"},
    ]),
    "otlp in lines": ("otel", [
        {"resourceSpans": [{"scopeSpans": [{"spans": [_SPAN]}]}]},
        {"resourceSpans": [{"scopeSpans": [{"spans": [{**_SPAN, "traceId": "t2"}]}]}]},
    ]),
}  # fmt: skip
"""By a name: the format, and the JSON value of every line."""

LOGS: Mapping[str, tuple[str, list[Any]]] = {
    **{name: (form, [value]) for name, (form, value) in WHOLE.items()},
    **LINES,
}


def written(values: list[Any]) -> bytes:
    """Write a log: one value, or one a line."""
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)
