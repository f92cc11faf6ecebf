"""tau2-bench simulations: a results file that holds them, or a file for each beside it.

The simulated user calls tools too, and is paid too: neither is the agent's. A reward of 1 says
that the reward's own basis was met, which need not hold every check.
"""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

import msgspec

from agentpolicy.base.source import Position
from agentpolicy.loading.importers.call_log import CallLog
from agentpolicy.loading.importers.importer import Importer, Placed, each
from agentpolicy.loading.importers.measured import dollars, seconds
from agentpolicy.loading.runs_json import refuse, typed, whole_json
from agentpolicy.runs.record import Count, Outcome, RunRecord, Status, ToolCall

_TOLERANCE = Decimal("0.000001")
_ENDED: dict[str, Status] = {
    "max_steps": "limit", "timeout": "limit", "context_window_exceeded": "limit",
    "too_many_errors": "agent_error", "agent_error": "agent_error", "user_error": "infra_error",
    "infrastructure_error": "infra_error", "unexpected_error": "infra_error",
}  # fmt: skip


class _Call(msgspec.Struct, frozen=True):
    name: str
    id: str | None = None
    arguments: dict[str, Any] | None = None
    requestor: str = "assistant"


class _Message(msgspec.Struct, frozen=True):
    role: str = ""
    content: str | None = None
    tool_calls: tuple[_Call, ...] | None = None
    id: str | None = None
    requestor: str = "assistant"
    error: bool | None = None
    tool_messages: tuple["_Message", ...] | None = None


class _Tick(msgspec.Struct, frozen=True):
    agent_chunk: _Message | None = None
    agent_tool_calls: tuple[_Call, ...] = ()
    agent_tool_results: tuple[_Message, ...] = ()


class _Reward(msgspec.Struct, frozen=True):
    reward: Any = None
    reward_basis: tuple[str, ...] | None = None


class _Simulation(msgspec.Struct, frozen=True):
    id: str
    task_id: Count | str
    trial: Count | None = None
    duration: Any = None
    termination_reason: str | None = None
    agent_cost: Any = None
    reward_info: _Reward | None = None
    messages: tuple[_Message, ...] | None = None
    ticks: tuple[_Tick, ...] | None = None


def read(path: str, data: bytes) -> Iterator[Placed]:
    """Read every simulation of a file as one run; a results file may hold none itself."""
    at = Position(path, 1, 1)
    value = whole_json(path, data)
    held = value.get("simulations") if isinstance(value, dict) and "info" in value else [value]
    if not isinstance(held or [], list):
        refuse(at, "the simulations are no list", "write the results anew")
    return each(at, held or (), lambda one: _run(at, one))


def _run(at: Position, value: object) -> RunRecord:
    run = typed(at, lambda: msgspec.convert(value, _Simulation))
    spoken = tuple(tick.agent_chunk for tick in run.ticks or () if tick.agent_chunk)
    return RunRecord(
        run_id=run.id,
        fixture_id=str(run.task_id),
        attempt=(run.trial or 0) + 1,
        outcome=_outcome(at, run.reward_info),
        tool_calls=_calls(at, run),
        final_answer=_answer(run.messages or spoken),
        status=_ENDED.get(run.termination_reason or ""),
        steps=sum(one.role == "assistant" for one in run.messages or ()) or None,
        cost_usd=dollars(at, run.agent_cost),
        latency_ms=seconds(run.duration),
    )


def _outcome(at: Position, info: _Reward | None) -> Outcome | None:
    """Take a reward of 1, within a millionth, as correct; without a reward nothing is known."""
    if info is None or info.reward is None:
        return None
    reward = info.reward
    if isinstance(reward, bool) or not isinstance(reward, (int, Decimal)):
        refuse(at, f"the reward {reward!r} is not a number", "write the results anew")
    basis = f" ({'+'.join(info.reward_basis)})" if info.reward_basis else ""
    return Outcome(-_TOLERANCE <= Decimal(reward) - 1 <= _TOLERANCE, f"tau2-bench reward{basis}")


def _calls(at: Position, run: _Simulation) -> tuple[ToolCall, ...] | None:
    """Read the agent's own calls; None where the simulation holds nothing of what happened."""
    if run.messages is None and run.ticks is None:
        return None
    log = CallLog()
    for message in run.messages or ():
        _ask(log, message.tool_calls or ())
        answers = message.tool_messages or ((message,) if message.role == "tool" else ())
        _answer_all(at, log, answers)
    for tick in run.ticks or ():
        _ask(log, tick.agent_tool_calls)
        _answer_all(at, log, tick.agent_tool_results)
    return log.calls


def _ask(log: CallLog, calls: Iterable[_Call]) -> None:
    for call in calls:
        if call.requestor == "assistant":
            log.asked(ToolCall(call.name, call.arguments, call_id=call.id))


def _answer_all(at: Position, log: CallLog, answers: Iterable[_Message]) -> None:
    for one in answers:
        if one.requestor != "assistant":
            continue
        if not log.answered(one.id, one.content or "", "error" if one.error else "ok"):
            refuse(at, f"a tool result answers no call: {one.id!r}", "write the results anew")


def _answer(messages: tuple[_Message, ...]) -> str | None:
    said = (one.content for one in reversed(messages) if one.role == "assistant")
    return next((text for text in said if text), None)


def _recognises(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    whole = {"info", "tasks", "timestamp"} <= value.keys()
    return whole or {"id", "task_id", "termination_reason"} <= value.keys()


TAU2_BENCH = Importer("tau2-bench", "tau2-bench simulations", _recognises, read)
