"""Agent sessions of content blocks: Claude Code's JSON lines, or the same lines in one object.

Usage counts the tokens read from and written to the cache beside the input, never inside it. A
message that was written in several parts repeats its usage with each.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

import msgspec

from agentpolicy.base.errors import InputError
from agentpolicy.base.source import Position
from agentpolicy.loading.importers.chat import Block, Message, calls_of, final_answer
from agentpolicy.loading.importers.importer import Importer, Placed, each, fixture_named, run_named
from agentpolicy.loading.runs_json import json_lines, refuse, typed, whole_json
from agentpolicy.runs.record import Count, Duration, RunRecord, Tokens, at_least

_SPOKEN = ("user", "assistant")


class _Usage(msgspec.Struct, frozen=True):
    input_tokens: Count = 0
    output_tokens: Count = 0
    cache_read_input_tokens: Count = 0
    cache_creation_input_tokens: Count = 0

    @property
    def all(self) -> int:
        """Every token that the message took."""
        cached = self.cache_read_input_tokens + self.cache_creation_input_tokens
        return self.input_tokens + self.output_tokens + cached


class _Said(Message, frozen=True):
    id: str | None = None
    model: str | None = None
    usage: _Usage | None = None


class _Line(msgspec.Struct, frozen=True):
    type: str = ""
    message: _Said | None = None
    timestamp: str | None = None


def read(path: str, data: bytes) -> Iterator[Placed]:
    """Read a session as one run, named by its content; the fixture is the file's own name.

    A session with one line that cannot be read is put aside whole: nobody knows what it called.
    """
    at = Position(path, 1, 1)
    try:
        lines = _lines(path, data)
    except InputError as error:
        yield at, error.problems[0]
        return
    yield from each(at, [lines], lambda values: _run(at, run_named(path, data), values))


def _lines(path: str, data: bytes) -> Sequence[Any]:
    first, _, rest = data.strip().partition(b"\n")
    if not first.endswith(b"}") or not rest.strip():
        value = whole_json(path, data)
        held = value.get("loglines") if isinstance(value, dict) else None
        return held if isinstance(held, list) else [value]
    return [value for _, value in json_lines(path, data)]


def _run(at: Position, run_id: str, values: Sequence[object]) -> RunRecord:
    lines = [_line(at, value) for value in values]
    spoken = [line for line in lines if line.type in _SPOKEN and line.message is not None]
    said = [line.message for line in spoken if line.message is not None]
    if not said:
        refuse(at, "the session holds no message", "give a session that was begun")
    own = [message for message in said if message.role == "assistant"]
    models = {message.model for message in own if message.model}
    tokens = _tokens(own)
    return RunRecord(
        run_id=run_id,
        fixture_id=fixture_named(at.path),
        tool_calls=calls_of(at, said),
        final_answer=final_answer(said),
        steps=len({message.id or number for number, message in enumerate(own)}),
        latency_ms=_latency(at, spoken),
        tokens=tokens,
        at_least=None if tokens else at_least(tokens=_least(own)),
        resolved_model=models.pop() if len(models) == 1 else None,
    )


def _line(at: Position, value: object) -> _Line:
    return typed(at, lambda: msgspec.convert(value, _Line))


def _tokens(messages: Sequence[_Said]) -> Tokens | None:
    """Add the usage of every message up, each once; a message without any leaves all unknown."""
    usages: dict[str | int, _Usage] = {}
    for number, message in enumerate(messages):
        if message.usage is None:
            return None
        usages[message.id or number] = message.usage
    if not any(one.input_tokens or one.output_tokens for one in usages.values()):
        return None
    cached = sum(
        one.cache_read_input_tokens + one.cache_creation_input_tokens for one in usages.values()
    )
    return Tokens(
        sum(one.input_tokens for one in usages.values()),
        sum(one.output_tokens for one in usages.values()),
        cached,
        "exclusive",
    )


def _least(messages: Sequence[_Said]) -> int:
    """Add up what those messages used that say it."""
    used = {one.id or place: one.usage for place, one in enumerate(messages) if one.usage}
    return sum(usage.all for usage in used.values())


def _latency(at: Position, lines: Sequence[_Line]) -> Duration | None:
    """Measure from a person's question to the last answer.

    Only where there is one question: between two of them the session waited for the person.
    """
    asked = [line for line in lines if _is_question(line)]
    stamps = [line.timestamp for line in (*asked, *lines[-1:])]
    if len(asked) != 1 or lines[0] is not asked[0] or None in stamps:
        return None
    begun, ended = (_instant(at, str(stamp)) for stamp in stamps)
    span = (ended - begun).total_seconds()
    return Duration(Decimal(str(span)) * 1000) if span >= 0 else None


def _is_question(line: _Line) -> bool:
    """Say whether a person wrote the line, rather than a tool that answered."""
    message = line.message
    if message is None or message.role != "user":
        return False
    content = message.content
    if content is None or isinstance(content, str):
        return True
    return not any(isinstance(part, Block) and part.type == "tool_result" for part in content)


def _instant(at: Position, text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        refuse(at, f"the timestamp {text!r} is no instant")


def _recognises(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    if "loglines" in value:
        return True
    return value.get("type") in (*_SPOKEN, "summary", "system", "file-history-snapshot") and (
        "message" in value or "sessionId" in value or "leafUuid" in value or "uuid" in value
    )


ANTHROPIC = Importer(
    "anthropic", "an agent session of content blocks", _recognises, read, in_lines=True
)
