"""Conversations in OpenAI's form: a list of messages, or an object that holds one."""

from collections.abc import Iterator
from typing import Any

import msgspec

from agentpolicy.base.source import Position
from agentpolicy.loading.importers.chat import Message, calls_of, final_answer
from agentpolicy.loading.importers.importer import Importer, Placed, each, fixture_named, run_named
from agentpolicy.loading.runs_json import typed, whole_json
from agentpolicy.runs.record import Count, RunRecord, Tokens

_ROLES = ("system", "developer", "user", "assistant", "tool")


class _Details(msgspec.Struct, frozen=True):
    cached_tokens: Count | None = None


class _Usage(msgspec.Struct, frozen=True):
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    prompt_tokens_details: _Details | None = None


class _Conversation(msgspec.Struct, frozen=True):
    messages: tuple[Message, ...]
    model: str | None = None
    usage: _Usage | None = None
    id: str | None = None


def read(path: str, data: bytes) -> Iterator[Placed]:
    """Read a file as one run, named by its content; the fixture is the file's own name.

    The form carries no cost and no times, and nothing says whether the answer is right.
    """
    at = Position(path, 1, 1)
    value = whole_json(path, data)
    held = {"messages": value} if isinstance(value, list) else value
    return each(at, [held], lambda one: _run(at, run_named(path, data), one))


def _run(at: Position, run_id: str, value: object) -> RunRecord:
    talk = typed(at, lambda: msgspec.convert(value, _Conversation))
    return RunRecord(
        run_id=run_id,
        fixture_id=fixture_named(at.path),
        tool_calls=calls_of(at, talk.messages),
        final_answer=final_answer(talk.messages),
        steps=sum(message.role == "assistant" for message in talk.messages),
        tokens=_tokens(talk.usage),
        requested_model=talk.model,
    )


def _tokens(usage: _Usage | None) -> Tokens | None:
    """Read the usage, in which the prompt's tokens hold the cached ones."""
    if usage is None or not (usage.prompt_tokens or usage.completion_tokens):
        return None  # zero of both is what a writer puts that did not measure
    details = usage.prompt_tokens_details
    cached = details.cached_tokens if details else None
    return Tokens(usage.prompt_tokens, usage.completion_tokens, cached, "inclusive")


def _recognises(value: object) -> bool:
    messages: Any = value.get("messages") if isinstance(value, dict) else value
    first = messages[0] if isinstance(messages, list) and messages else None
    return isinstance(first, dict) and first.get("role") in _ROLES and "content" in first


OPENAI = Importer("openai", "a conversation in OpenAI's form", _recognises, read)
