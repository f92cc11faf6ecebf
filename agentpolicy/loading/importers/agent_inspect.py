"""AgentInspect traces: a run's events as JSON lines, one or more runs a file.

What a run measured itself (`durationMs`) is not used: fixtures of the format carry durations that
their own timestamps contradict. Times are told by the timestamps, in milliseconds.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from agentpolicy.base.errors import InputError
from agentpolicy.base.source import Position
from agentpolicy.loading.importers.importer import Importer, Placed, checked
from agentpolicy.loading.runs_json import json_at, refuse, typed
from agentpolicy.runs.record import (
    Count,
    Duration,
    Outcome,
    RunRecord,
    Status,
    Tokens,
    ToolCall,
    at_least,
)

_SIDES = ("input", "output")
_ENDED: Mapping[str, Status] = {
    "success": "completed", "error": "agent_error", "cancelled": "cancelled",
}  # fmt: skip


class _Event(msgspec.Struct, frozen=True, rename="camel"):
    event: str
    run_id: str
    timestamp: Count
    step_id: str | None = None
    parent_id: str | None = None
    name: str | None = None
    type: str | None = None
    status: str | None = None
    metadata: dict[str, Any] = {}
    input: Any = None
    output: Any = None


def read(path: str, data: bytes) -> Iterator[Placed]:
    """Read every run of a file; one without its end is put aside."""
    runs: dict[str, list[_Event]] = {}
    places: dict[str, Position] = {}
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        at = Position(path, number, 1)
        try:
            event = _event(at, line)
        except InputError as error:
            yield at, error.problems[0]
            continue
        runs.setdefault(event.run_id, []).append(event)
        places.setdefault(event.run_id, at)
    for run_id, events in runs.items():
        try:
            at = places[run_id]
            yield at, checked(at, _run(at, run_id, events))
        except InputError as error:
            yield places[run_id], error.problems[0]


def _event(at: Position, line: bytes) -> _Event:
    value = json_at(at, line)
    return typed(at, lambda: msgspec.convert(value, _Event))


def _run(at: Position, run_id: str, events: Sequence[_Event]) -> RunRecord:
    begun = next((one for one in events if one.event == "run_started"), None)
    ended = next((one for one in events if one.event == "run_completed"), None)
    if begun is None or ended is None:
        missing = "begins" if begun is None else "ends"
        refuse(at, f"nothing says where run {run_id!r} {missing}", "give the whole trace")
    steps = [one for one in events if one.event == "step_started"]
    said = {**begun.metadata}
    tokens = _tokens(steps)
    return RunRecord(
        run_id=run_id,
        fixture_id=str(said.get("fixture") or begun.name or run_id),
        outcome=_outcome(events),
        tool_calls=tuple(_calls(steps, events)),
        status=_ENDED.get(ended.status or ""),
        steps=sum(one.type == "llm" for one in steps) or None,
        latency_ms=Duration(ended.timestamp - begun.timestamp)
        if ended.timestamp >= begun.timestamp
        else None,
        tokens=tokens,
        at_least=None if tokens else at_least(tokens=sum(map(_used, _models(steps)))),
        cohort_id=_text(said.get("cohort")),
        prompt_template_version=_text(said.get("promptVersion")),
        requested_model=_text(said.get("model")),
    )


def _calls(steps: Sequence[_Event], events: Sequence[_Event]) -> Iterator[ToolCall]:
    """Give the steps that are tools, each with how it ended."""
    ends = {one.step_id: one for one in events if one.event == "step_completed"}
    for step in steps:
        if step.type != "tool":
            continue
        end = ends.get(step.step_id)
        status = None if end is None else "ok" if end.status == "success" else end.status
        yield ToolCall(
            str(step.metadata.get("toolName") or step.name or "unnamed"),
            step.input if isinstance(step.input, (dict, str)) else None,
            status=status,
            result=msgspec.UNSET if end is None or end.output is None else end.output,
            call_id=step.step_id,
        )


def _outcome(events: Sequence[_Event]) -> Outcome | None:
    """Take a run as correct when everything that was expected of it was observed."""
    seen = [one.status for one in events if one.event == "outcome_observed"]
    if not seen:
        return None
    if any(status == "failed" for status in seen):
        return Outcome(False, "outcome_observed")
    return Outcome(True if set(seen) == {"passed"} else None, "outcome_observed")


def _tokens(steps: Sequence[_Event]) -> Tokens | None:
    """Add the tokens of the calls of a model up; one that says nothing leaves all unknown."""
    counts = [tuple(_side(one, name) for name in _SIDES) for one in _models(steps)]
    given, said = ([count[side] for count in counts] for side in range(len(_SIDES)))
    if None in given or None in said:
        return None
    total = Tokens(sum(one or 0 for one in given), sum(one or 0 for one in said))
    return total if total.total else None


def _models(steps: Sequence[_Event]) -> list[_Event]:
    return [one for one in steps if one.type == "llm"]


def _side(step: _Event, name: str) -> int | None:
    """Read one count of tokens; what is no count is not known."""
    count = step.metadata.get("tokens")
    number = count.get(name) if isinstance(count, dict) else None
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        return None
    return number


def _used(step: _Event) -> int:
    """Count what one call of a model used for sure."""
    return sum(_side(step, name) or 0 for name in _SIDES)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _recognises(value: object) -> bool:
    return isinstance(value, dict) and {"event", "runId", "timestamp"} <= value.keys()


AGENT_INSPECT = Importer("agent-inspect", "an AgentInspect trace", _recognises, read, in_lines=True)
