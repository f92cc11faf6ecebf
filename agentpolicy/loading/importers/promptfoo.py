"""promptfoo results: a row for each test, prompt and repetition.

Rows come in any order, so that they are joined by their indices and never by their place.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from agentpolicy.base.source import Position
from agentpolicy.loading.importers.call_log import arguments_of
from agentpolicy.loading.importers.importer import Importer, Placed, each, run_named
from agentpolicy.loading.importers.measured import dollars, milliseconds
from agentpolicy.loading.runs_json import refuse, typed, whole_json
from agentpolicy.runs.record import Count, Outcome, RunRecord, Tokens, ToolCall

_ASSERTION, _ERROR = 1, 2


class _Usage(msgspec.Struct, frozen=True):
    prompt: Count = 0
    completion: Count = 0
    cached: Count = 0


class _Response(msgspec.Struct, frozen=True):
    output: Any = None
    cached: bool | None = None
    token_usage: _Usage | None = msgspec.field(name="tokenUsage", default=None)


class _Grading(msgspec.Struct, frozen=True, rename="camel"):
    component_results: tuple[Any, ...] | None = None


class _Provider(msgspec.Struct, frozen=True):
    id: str | None = None


class _Row(msgspec.Struct, frozen=True, rename="camel"):
    test_idx: Count
    prompt_idx: Count = 0
    success: bool | None = None
    failure_reason: int | None = None
    error: str | None = None
    latency_ms: Any = None
    cost: Any = None
    response: _Response | None = None
    token_usage: _Usage | None = None
    grading_result: _Grading | None = None
    provider: _Provider | str | None = None
    prompt_id: str | None = None


def read(path: str, data: bytes) -> Iterator[Placed]:
    """Read every row as one run; rows of one test and prompt are its attempts, in their order."""
    at = Position(path, 1, 1)
    value = whole_json(path, data)
    held = value.get("results") if isinstance(value, dict) else None
    rows = held.get("results") if isinstance(held, dict) else held
    if not isinstance(rows, list):
        refuse(at, "the results hold no list of rows", "promptfoo eval --output results.json")
    name, seen = run_named(path, data), Counter[str]()
    return each(at, rows, lambda row: _run(at, name, seen, row))


def _run(at: Position, name: str, seen: Counter[str], value: object) -> RunRecord:
    row = typed(at, lambda: msgspec.convert(value, _Row))
    fixture = f"{row.test_idx}.{row.prompt_idx}"
    seen[fixture] += 1
    cached = bool(row.response and row.response.cached)
    output = row.response.output if row.response else None
    return RunRecord(
        run_id=f"{name}/{fixture}/{seen[fixture]}",
        fixture_id=fixture,
        attempt=seen[fixture],
        outcome=_outcome(row),
        tool_calls=_calls(output),
        final_answer=output if isinstance(output, str) else None,
        output=output if isinstance(output, (dict, list)) else msgspec.UNSET,
        cost_usd=None if cached else dollars(at, row.cost),
        latency_ms=None if cached else milliseconds(row.latency_ms),
        tokens=None if cached else _tokens(row),
        infra_error=(row.error or "the provider failed") if _failed(row) else None,
        prompt_template_version=row.prompt_id,
        requested_model=row.provider.id if isinstance(row.provider, _Provider) else row.provider,
    )


def _failed(row: _Row) -> bool:
    """Say whether the provider failed, rather than an assertion."""
    return row.failure_reason == _ERROR


def _outcome(row: _Row) -> Outcome | None:
    """Take a row as correct when its assertions held; without one, nothing was asked."""
    grading = row.grading_result
    if row.failure_reason == _ASSERTION:
        return Outcome(False, "promptfoo assertions")
    if row.success is None or grading is None or not grading.component_results:
        return None
    return Outcome(row.success, "promptfoo assertions")


def _calls(output: object) -> tuple[ToolCall, ...] | None:
    """Read the calls that the model answered with; any other answer lists none."""
    if not isinstance(output, list) or not output:
        return None
    calls = []
    for one in output:
        function = one.get("function") if isinstance(one, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            return None
        given = function.get("arguments")
        arguments = arguments_of(given) if isinstance(given, str) else given
        kept = arguments if isinstance(arguments, (dict, str)) else None
        call_id = one.get("id")
        calls.append(
            ToolCall(function["name"], kept, call_id=call_id if isinstance(call_id, str) else None)
        )
    return tuple(calls)


def _tokens(row: _Row) -> Tokens | None:
    """Read the usage; zero is what a provider that does not count reports."""
    usage = row.token_usage or (row.response.token_usage if row.response else None)
    if usage is None or not usage.prompt + usage.completion:
        return None
    return Tokens(usage.prompt, usage.completion)


def _recognises(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    held = value.get("results")
    rows = held.get("results") if isinstance(held, dict) else held
    first = rows[0] if isinstance(rows, list) and rows else None
    return isinstance(first, dict) and {"testIdx", "success"} <= first.keys()


PROMPTFOO = Importer("promptfoo", "promptfoo results", _recognises, read)
