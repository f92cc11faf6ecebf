"""The tool calls of an Inspect AI sample, from its events or from its messages."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from agentpolicy.base.source import Position
from agentpolicy.loading.importers.call_log import CallLog
from agentpolicy.loading.importers.inspect_events import Event
from agentpolicy.loading.runs_json import refuse
from agentpolicy.runs.record import ToolCall

_REFERENCES = ("attachment://", "tc://")


class InspectCall(msgspec.Struct, frozen=True):
    """A call beside a message."""

    function: str
    id: str | None = None
    arguments: Any = None


class InspectMessage(msgspec.Struct, frozen=True):
    """One message; content is text, or blocks of which some are text."""

    role: str = ""
    content: str | tuple[Any, ...] | None = None
    tool_calls: tuple[InspectCall, ...] | None = None
    tool_call_id: str | None = None
    function: str | None = None
    error: Any = None

    @property
    def text(self) -> str | None:
        """What it says to people."""
        if self.content is None or isinstance(self.content, str):
            return self.content
        blocks = (one for one in self.content if isinstance(one, dict))
        said = [str(one.get("text", "")) for one in blocks if one.get("type") == "text"]
        return "\n".join(said) if said else None


def calls_of(
    at: Position,
    events: Sequence[Event],
    messages: Sequence[InspectMessage],
    texts: Mapping[str, str],
) -> tuple[ToolCall, ...]:
    """Read the calls off the events, which hold those of child agents too; else off the messages.

    Raises:
        InputError: an attachment that a call refers to is not there.
    """
    if events:
        return tuple(_of_event(at, event, texts) for event in events)
    log = CallLog()
    for message in messages:
        for call in message.tool_calls or ():
            arguments = resolved(at, call.arguments, texts)
            log.asked(ToolCall(call.function, _arguments(arguments), call_id=call.id))
        if message.role == "tool":
            _answer(log, message, resolved(at, message.text, texts))
    return log.calls


def _answer(log: CallLog, message: InspectMessage, result: object) -> None:
    """Give an answer to its call; one whose call was cut away still names what was called."""
    status = "ok" if message.error is None else "error"
    if not log.answered(message.tool_call_id, result, status):
        name = message.function or "unnamed"
        log.asked(ToolCall(name, status=status, result=result))


def _of_event(at: Position, event: Event, texts: Mapping[str, str]) -> ToolCall:
    failed = event.error is not None or bool(event.failed)
    return ToolCall(
        event.function or "unnamed",
        _arguments(resolved(at, event.arguments, texts)),
        status="error" if failed else "ok",
        result=resolved(at, event.result, texts),
        call_id=event.id,
    )


def _arguments(value: object) -> dict[str, Any] | str | None:
    return value if isinstance(value, (dict, str)) else None


def resolved(at: Position, value: Any, texts: Mapping[str, str]) -> Any:  # noqa: ANN401 - JSON
    """Put the text of each attachment in the place of the reference to it.

    Raises:
        InputError: the log does not hold the attachment.
    """
    if isinstance(value, dict):
        return {key: resolved(at, one, texts) for key, one in value.items()}
    if isinstance(value, list):
        return [resolved(at, one, texts) for one in value]
    if isinstance(value, str):
        for start in _REFERENCES:
            if value.startswith(start):
                name = value.removeprefix(start)
                if name not in texts:
                    refuse(at, f"the log does not hold {value!r}", "write the log anew")
                return texts[name]
    return value
