"""Chat messages, as most logs hold them: what was called, what answered, what was said last.

OpenAI's form puts calls beside the content and answers in messages of the role `tool`;
Anthropic's puts both into blocks of the content. Either may stand in one list.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import msgspec

from agentpolicy.base.source import Position
from agentpolicy.loading.importers.call_log import CallLog, arguments_of
from agentpolicy.loading.runs_json import refuse
from agentpolicy.runs.record import ToolCall


class Function(msgspec.Struct, frozen=True):
    """What is called, with its arguments as JSON text or as an object."""

    name: str
    arguments: str | dict[str, Any] = ""


class Call(msgspec.Struct, frozen=True):
    """One call beside a message."""

    function: Function
    id: str | None = None


class Block(msgspec.Struct, frozen=True):
    """One block of a message's content."""

    type: str = ""
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Any = None
    tool_use_id: str | None = None
    content: Any = None
    is_error: bool | None = None


class Message(msgspec.Struct, frozen=True):
    """One message of a conversation; what is not needed is passed over."""

    role: str = ""
    content: str | tuple[str | Block, ...] | None = None
    tool_calls: tuple[Call, ...] | None = None
    tool_call_id: str | None = None
    tool_call_ids: tuple[str, ...] | None = None


Answer: TypeAlias = tuple[str | None, Any, bool]
"""Which call is answered, with what, and whether that says it failed."""


def calls_of(at: Position, messages: Iterable[Message]) -> tuple[ToolCall, ...]:
    """Read the calls of a conversation in order, each with what answered it.

    Raises:
        InputError: a result answers no call: part of the conversation is missing.
    """
    log = CallLog()
    for message in messages:
        for call in _asked(message):
            log.asked(call)
        for call_id, result, failed in _answers(message):
            if not log.answered(call_id, result, "error" if failed else "ok"):
                refuse(at, f"a tool result answers no call: {call_id!r}")
    return log.calls


def text_of(message: Message) -> str | None:
    """Give what a message says to people; None where it says nothing."""
    if isinstance(message.content, str):
        return message.content or None
    said = [
        part if isinstance(part, str) else part.text or ""
        for part in message.content or ()
        if isinstance(part, str) or part.type == "text"
    ]
    return "\n".join(said) or None


def final_answer(messages: Sequence[Message]) -> str | None:
    """Take the last thing the agent said."""
    said = (text_of(one) for one in reversed(messages) if one.role == "assistant")
    return next((text for text in said if text is not None), None)


def _asked(message: Message) -> Iterator[ToolCall]:
    for call in message.tool_calls or ():
        arguments = call.function.arguments
        read = arguments_of(arguments) if isinstance(arguments, str) else arguments
        yield ToolCall(call.function.name, read, call_id=call.id)
    for block in _blocks(message):
        if block.type == "tool_use" and block.name:
            given = block.input if isinstance(block.input, (dict, str)) else None
            yield ToolCall(block.name, given, call_id=block.id)


def _answers(message: Message) -> Iterator[Answer]:
    if message.role == "tool":
        text = text_of(message) or ""
        for call_id in message.tool_call_ids or (message.tool_call_id,):
            yield call_id, text, False
    for block in _blocks(message):
        if block.type == "tool_result":
            yield block.tool_use_id, _result(block.content), bool(block.is_error)


def _result(content: object) -> object:
    """Give a block's content; a list of text blocks is the text."""
    if isinstance(content, list) and all(
        isinstance(part, dict) and part.get("type") == "text" for part in content
    ):
        return "\n".join(str(part.get("text", "")) for part in content)
    return content


def _blocks(message: Message) -> Iterator[Block]:
    if message.content is not None and not isinstance(message.content, str):
        yield from (part for part in message.content if isinstance(part, Block))
