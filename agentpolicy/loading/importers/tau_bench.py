"""tau-bench result files: a JSON list of trials, each with its reward and its messages.

The files carry no cost of the agent (`user_cost` is the simulated user's), no times and no
tokens: those stay missing. Trials count from 0, attempts from 1.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from agentpolicy.base.source import Position
from agentpolicy.loading.importers.call_log import CallLog, arguments_of
from agentpolicy.loading.importers.importer import Importer, Placed, each
from agentpolicy.loading.runs_json import refuse, typed, whole_json
from agentpolicy.runs.record import Count, Outcome, RunRecord, ToolCall

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


def read(path: str, data: bytes) -> Iterator[Placed]:
    """Read every trial as one run; a trial that ended in an exception is an infra error.

    Raises:
        InputError: the file is not a list.
    """
    at = Position(path, 1, 1)
    trials = whole_json(path, data)
    if not isinstance(trials, list):
        refuse(at, "a tau-bench file is a list of trials")
    return each(at, trials, lambda value: _run(at, value))


def _run(at: Position, value: object) -> RunRecord:
    trial = typed(at, lambda: msgspec.convert(value, _Trial))
    run_id = f"{trial.task_id}-{trial.trial}"
    error = (trial.info or {}).get("error")
    return RunRecord(
        run_id=run_id,
        fixture_id=str(trial.task_id),
        attempt=trial.trial + 1,
        outcome=Outcome(_is_correct(at, run_id, trial.reward), EVALUATOR),
        tool_calls=_calls(at, run_id, trial.traj),
        final_answer=_final_answer(trial.traj),
        infra_error=None if error is None else str(error),
    )


def _is_correct(at: Position, run_id: str, reward: object) -> bool | None:
    """Take a reward of 1, within a millionth, as correct; a missing reward as unknown."""
    if reward is None:
        return None
    if isinstance(reward, bool) or not isinstance(reward, (int, Decimal)):
        refuse(at, f"the reward {reward!r} of run {run_id} is not a number")
    return -_TOLERANCE <= Decimal(reward) - 1 <= _TOLERANCE


def _calls(at: Position, run_id: str, messages: Sequence[_Message]) -> tuple[ToolCall, ...] | None:
    """Read the calls and what answered them.

    None when the agent wrote its calls as prose, which this format then does not list.
    """
    log = CallLog()
    for message in messages:
        for call in message.tool_calls or ():
            arguments = arguments_of(call.function.arguments)
            log.asked(ToolCall(call.function.name, arguments, call_id=call.id))
        if message.role != "tool":
            continue
        text = message.content or ""
        status = "error" if text.startswith("Error") else "ok"
        if not log.answered(message.tool_call_id, text, status):
            refuse(at, f"in run {run_id} a tool result answers no call: {message.tool_call_id!r}")
    prose = any((message.content or "").startswith(_REACT_RESULT) for message in messages)
    return None if prose and not log else log.calls


def _final_answer(messages: Sequence[_Message]) -> str | None:
    """Take the last thing the agent said."""
    said = [message.content for message in messages if message.role == "assistant"]
    return next((text for text in reversed(said) if text is not None), None)


def _recognises(value: object) -> bool:
    if value == []:
        return True
    first = value[0] if isinstance(value, list) else None
    return isinstance(first, dict) and {"task_id", "trial", "traj"} <= first.keys()


TAU_BENCH = Importer("tau-bench", "tau-bench trials", _recognises, read)
