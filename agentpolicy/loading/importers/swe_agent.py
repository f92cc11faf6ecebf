"""SWE-agent trajectories: one attempt a file. A replay measured nothing, and says zero."""

from collections.abc import Iterator
from typing import Any

import msgspec

from agentpolicy.base.source import Position
from agentpolicy.loading.importers.chat import Message, calls_of, final_answer
from agentpolicy.loading.importers.importer import Importer, Placed, each, fixture_named, run_named
from agentpolicy.loading.importers.measured import dollars
from agentpolicy.loading.runs_json import typed, whole_json
from agentpolicy.runs.record import Count, RunRecord, Status, Tokens, ToolCall

_LIMITS = ("exit_cost", "exit_context", "exit_total_execution_time", "exit_command_timeout")
_ERRORS = ("exit_error", "exit_api", "exit_environment_error")


class _Stats(msgspec.Struct, frozen=True):
    instance_cost: Any = None
    total_cost: Any = None
    tokens_sent: Count | None = None
    tokens_received: Count | None = None
    api_calls: Count | None = None


class _Info(msgspec.Struct, frozen=True):
    exit_status: str | None = None
    submission: str | None = None
    model_stats: _Stats = _Stats()


class _Step(msgspec.Struct, frozen=True):
    action: str = ""
    observation: str | None = None


class _Trajectory(msgspec.Struct, frozen=True):
    trajectory: tuple[_Step, ...] | None = None
    history: tuple[Message, ...] = ()
    info: _Info = _Info()


def read(path: str, data: bytes) -> Iterator[Placed]:
    """Read a file as one run, named by its content; the fixture is the file's own name.

    A submission is not yet correct: whether it resolves the issue is judged elsewhere.
    """
    at = Position(path, 1, 1)
    return each(at, [whole_json(path, data)], lambda value: _run(at, run_named(path, data), value))


def _run(at: Position, run_id: str, value: object) -> RunRecord:
    attempt = typed(at, lambda: msgspec.convert(value, _Trajectory))
    stats = attempt.info.model_stats
    measured = bool(stats.tokens_sent or stats.tokens_received)
    return RunRecord(
        run_id=run_id,
        fixture_id=fixture_named(at.path),
        tool_calls=_calls(at, attempt),
        final_answer=attempt.info.submission or final_answer(attempt.history),
        status=_status(attempt.info.exit_status),
        steps=stats.api_calls or None,
        cost_usd=dollars(
            at, stats.total_cost if stats.instance_cost is None else stats.instance_cost
        ),
        tokens=Tokens(stats.tokens_sent, stats.tokens_received) if measured else None,
    )


def _calls(at: Position, attempt: _Trajectory) -> tuple[ToolCall, ...] | None:
    """Read the calls, and after them the commands that ended the run, which no message holds.

    None where commands alone are listed: which of them calls which tool is not said.
    """
    calls = calls_of(at, attempt.history)
    if not attempt.trajectory:
        return calls
    if not calls:
        return None
    last = [step for step in attempt.trajectory[len(calls) :] if step.action.strip()]
    return (
        *calls,
        *(
            ToolCall(step.action.split()[0], step.action, status="ok", result=step.observation)
            for step in last
        ),
    )


def _status(exit_status: str | None) -> Status | None:
    """Read how the attempt ended; `submitted (exit_cost)` met a limit, and handed in after it."""
    words = exit_status or ""
    if any(limit in words for limit in _LIMITS):
        return "limit"
    if any(error in words for error in _ERRORS):
        return "infra_error"
    return "completed" if words.startswith("submitted") else None


def _recognises(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    history = value.get("history")
    first = history[0] if isinstance(history, list) and history else None
    return "trajectory" in value or (isinstance(first, dict) and "message_type" in first)


SWE_AGENT = Importer("swe-agent", "a SWE-agent trajectory", _recognises, read)
