"""tau-bench result files: a JSON list of trials, each with its reward and its messages.

The files carry no cost of the agent (`user_cost` is the simulated user's), no times and no
tokens: those stay missing. Trials count from 0, attempts from 1.
"""

import json
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from agentpolicy.base.source import Position
from agentpolicy.loading.runs_json import refuse, typed, whole_json
from agentpolicy.runs.record import Count, Outcome, RunRecord, ToolCall, exact_number

EVALUATOR = "tau-bench reward"
_TOLERANCE = Decimal("0.000001")
_REACT_RESULT = "API output:"


class _Function(msgspec.Struct, frozen=True):
    name: str
    arguments: str


class _Call(msgspec.Struct, frozen=True):
    id: str
    function: _Function


class _Message(msgspec.Struct, frozen=True):
    role: str
    content: str | None = None
    tool_calls: tuple[_Call, ...] | None = None
    tool_call_id: str | None = None


class _Trial(msgspec.Struct, frozen=True):
    task_id: Count | str
    trial: Count
    traj: tuple[_Message, ...]
    reward: Any = None
    info: dict[str, Any] | None = None


def read_tau_bench(path: str, data: bytes) -> Iterator[tuple[Position, RunRecord]]:
    """Read every trial as one run; a trial that ended in an exception is an infra error.

    Raises:
        InputError: the file is not a list of trials, or a result answers no call.
    """
    at = Position(path, 1, 1)
    value = whole_json(path, data)
    for trial in typed(at, lambda: msgspec.convert(value, tuple[_Trial, ...])):
        run_id = f"{trial.task_id}-{trial.trial}"
        error = (trial.info or {}).get("error")
        yield (
            at,
            RunRecord(
                run_id=run_id,
                fixture_id=str(trial.task_id),
                attempt=trial.trial + 1,
                outcome=Outcome(_is_correct(at, run_id, trial.reward), EVALUATOR),
                tool_calls=_calls(at, run_id, trial.traj),
                final_answer=_final_answer(trial.traj),
                infra_error=None if error is None else str(error),
            ),
        )


def _is_correct(at: Position, run_id: str, reward: object) -> bool | None:
    """Take a reward of 1, within a millionth, as correct; a missing reward as unknown."""
    if reward is None:
        return None
    if isinstance(reward, bool) or not isinstance(reward, (int, Decimal)):
        refuse(at, f"the reward {reward!r} of run {run_id} is not a number")
    return -_TOLERANCE <= Decimal(reward) - 1 <= _TOLERANCE


def _calls(at: Position, run_id: str, messages: Sequence[_Message]) -> tuple[ToolCall, ...] | None:
    """Pair each tool result with the nearest earlier unanswered call of its id.

    Ids repeat within a run, often for another tool, so a lookup by id alone mixes results up.
    None when the agent wrote its calls as prose, which this format then does not list.
    """
    calls: list[ToolCall] = []
    unanswered: dict[str, list[int]] = {}
    for message in messages:
        for call in message.tool_calls or ():
            unanswered.setdefault(call.id, []).append(len(calls))
            calls.append(ToolCall(call.function.name, _arguments(call), call_id=call.id))
        if message.role != "tool":
            continue
        waiting = unanswered.get(message.tool_call_id or "")
        if not waiting:
            refuse(at, f"in run {run_id} a tool result answers no call: {message.tool_call_id!r}")
        place = waiting.pop()
        text = message.content or ""
        calls[place] = msgspec.structs.replace(
            calls[place], status="error" if text.startswith("Error") else "ok", result=text
        )
    prose = any((message.content or "").startswith(_REACT_RESULT) for message in messages)
    return None if prose and not calls else tuple(calls)


def _arguments(call: _Call) -> dict[str, Any] | str:
    """Read the arguments' JSON text; text that is no object stays the text it is."""
    try:
        value = json.loads(call.function.arguments, parse_float=exact_number)
    except ValueError:
        return call.function.arguments
    return value if isinstance(value, dict) else call.function.arguments


def _final_answer(messages: Sequence[_Message]) -> str | None:
    """Take the last thing the agent said."""
    said = [message.content for message in messages if message.role == "assistant"]
    return next((text for text in reversed(said) if text is not None), None)
