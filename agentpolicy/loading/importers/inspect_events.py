"""The events of an Inspect AI sample: what the agent did, apart from what its scorers did."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import msgspec

from agentpolicy.loading.importers.measured import positive
from agentpolicy.runs.record import Count

_SCORING = {"scorer", "scorers"}


class Usage(msgspec.Struct, frozen=True):
    """What one call of a model used."""

    input_tokens: Count = 0
    output_tokens: Count = 0
    total_tokens: Count = 0
    input_tokens_cache_read: Count | None = None
    input_tokens_cache_write: Count | None = None
    total_cost: Any = None

    @property
    def price(self) -> Decimal | None:
        """What the call cost; zero is what stands there where nobody knows the price."""
        return positive(self.total_cost)

    @property
    def cached(self) -> int:
        """The tokens that were read from or written to a cache."""
        return (self.input_tokens_cache_read or 0) + (self.input_tokens_cache_write or 0)

    @property
    def basis(self) -> str:
        """Whether the input holds the cached ones, which only the sum can tell."""
        spoken = self.input_tokens + self.output_tokens
        if self.total_tokens == spoken:
            return "inclusive"
        return "exclusive" if self.total_tokens == spoken + self.cached else "unknown"

    @property
    def least(self) -> int:
        """The fewest tokens the call used, whatever the sum of the log means."""
        beside = self.cached if self.basis == "exclusive" else 0
        return self.input_tokens + self.output_tokens + beside


class _Output(msgspec.Struct, frozen=True):
    model: str | None = None
    usage: Usage | None = None


class Event(msgspec.Struct, frozen=True):
    """One event; what is not needed is passed over."""

    event: str = ""
    type: str | None = None
    action: str | None = None
    id: str | None = None
    span_id: str | None = None
    parent_id: str | None = None
    function: str | None = None
    arguments: Any = None
    result: Any = None
    error: Any = None
    failed: bool | None = None
    tools: Any = None
    output: Any = None
    cache: str | None = None
    events: tuple[Any, ...] = ()
    """What happened inside a call of a tool, in logs from before there were spans."""


@dataclass(slots=True)
class Own:
    """What the agent itself did."""

    tools: list[Event] = field(default_factory=list)
    models: int = 0
    """Calls of a model."""
    usages: list[Usage] = field(default_factory=list)
    """Of those that say what they used."""
    fresh: list[Usage] = field(default_factory=list)
    """Of these, the ones that a model answered now, rather than a cache."""
    counted: int = 0
    """Tokens of every call in the events, a scorer's too, as the sums of a sample hold them."""
    answered_by: set[str] = field(default_factory=set)
    offered: list[Any] = field(default_factory=list)
    """The tools each call of a model could choose from."""
    cached: bool = False
    """Whether an answer came from a cache, so that what was used was not."""


def events_of(events: Sequence[Event]) -> Own:
    """Part the agent's own events from those inside a scorer's step or span."""
    own = Own()
    scoring: set[str | None] = set()
    inside = 0
    for event in _flat(events):
        own.counted += _spoken(event)
        if event.event == "step" and event.type in _SCORING:
            inside += 1 if event.action == "begin" else -1
        elif event.event == "span_begin" and (
            event.type in _SCORING or (event.parent_id is not None and event.parent_id in scoring)
        ):
            scoring.add(event.id)
        elif not inside and (event.span_id is None or event.span_id not in scoring):
            _note(own, event)
    return own


def _spoken(event: Event) -> int:
    """Count the tokens in and out of a call of a model."""
    if event.event != "model":
        return 0
    usage = msgspec.convert(event.output or {}, _Output).usage
    return usage.input_tokens + usage.output_tokens if usage else 0


def _flat(events: Sequence[Event]) -> Iterator[Event]:
    for event in events:
        yield event
        yield from _flat([msgspec.convert(one, Event) for one in event.events])


def _note(own: Own, event: Event) -> None:
    if event.event == "tool" and event.function:
        own.tools.append(event)
    elif event.event == "model":
        output = msgspec.convert(event.output or {}, _Output)
        own.models += 1
        own.offered.append(event.tools or [])
        own.cached = own.cached or event.cache == "read"
        if output.usage is not None:
            own.usages.append(output.usage)
            if event.cache != "read":
                own.fresh.append(output.usage)
        if output.model:
            own.answered_by.add(output.model)
