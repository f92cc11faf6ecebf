"""One sample of an Inspect AI log becomes one run.

What a scorer did is not what the agent did: calls of a model made while scoring count neither as
steps nor as tokens, although the sample's own sums hold them.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from agentpolicy.base.source import Position
from agentpolicy.loading.importers.inspect_calls import InspectMessage, calls_of, resolved
from agentpolicy.loading.importers.inspect_events import Event, Own, Usage, events_of
from agentpolicy.loading.importers.measured import seconds
from agentpolicy.runs.record import (
    Count,
    Money,
    Outcome,
    RunRecord,
    Status,
    Tokens,
    at_least,
)


class _Dataset(msgspec.Struct, frozen=True):
    samples: Count | None = None
    sample_ids: tuple[int | str, ...] | None = None


class _Config(msgspec.Struct, frozen=True):
    epochs: Count | None = None
    limit: Any = None


class Evaluation(msgspec.Struct, frozen=True):
    """What the log says of all its samples."""

    task: str
    dataset: _Dataset = _Dataset()
    config: _Config = _Config()
    run_id: str = ""
    model: str | None = None
    model_generate_config: dict[str, Any] | None = None

    def run_named(self, fixture: str, epoch: int) -> str:
        """Name the run of one sample in one epoch."""
        return f"{self.run_id or self.task}/{fixture}/{epoch}"


class _Choice(msgspec.Struct, frozen=True):
    message: InspectMessage = InspectMessage()


class _Output(msgspec.Struct, frozen=True):
    choices: tuple[_Choice, ...] = ()


class _Score(msgspec.Struct, frozen=True):
    value: Any = None


class _Transcript(msgspec.Struct, frozen=True):
    events: tuple[Event, ...] = ()
    content: dict[str, str] = {}


class Sample(msgspec.Struct, frozen=True):
    """One sample, with what of it becomes evidence."""

    id: int | str
    epoch: Count = 1
    messages: tuple[InspectMessage, ...] = ()
    output: _Output = _Output()
    scores: dict[str, _Score] | None = None
    events: tuple[Event, ...] | None = None
    transcript: _Transcript | None = None
    """What logs held before there were events."""
    attachments: dict[str, str] = {}
    model_usage: dict[str, Usage] | None = None
    total_time: Any = None
    error: Any = None
    error_retries: tuple[Any, ...] | None = None
    limit: Any = None


def run_of(at: Position, evaluation: Evaluation, sample: Sample) -> RunRecord:
    """Read off a sample what it shows; see the module for what counts as the agent's own.

    Raises:
        InputError: an attachment that it refers to is not there.
    """
    fixture = str(sample.id)
    texts = {**sample.attachments, **(sample.transcript.content if sample.transcript else {})}
    found = sample.events or (sample.transcript.events if sample.transcript else ())
    own = events_of(found)
    retried = bool(sample.error_retries)
    whole = not retried and not own.cached
    complete = whole and _agrees(own, sample.model_usage)
    tokens, cost = (_tokens(own), _cost(own)) if complete else (None, None)
    latency = seconds(sample.total_time)
    return RunRecord(
        run_id=evaluation.run_named(fixture, sample.epoch),
        fixture_id=fixture,
        attempt=sample.epoch,
        outcome=_outcome(sample.scores or {}),
        tool_calls=calls_of(at, own.tools, sample.messages, texts),
        final_answer=resolved(at, _answer(sample), texts),
        status=_status(sample),
        steps=own.models or None,
        cost_usd=cost,
        latency_ms=latency if whole else None,
        tokens=tokens,
        at_least=at_least(
            None if cost else sum(_prices(own), Decimal(0)),
            None if tokens else sum(usage.least for usage in own.fresh),
            latency if retried else None,
        ),
        test_case_id=f"{evaluation.task}/{fixture}",
        available_tools_commitment=_commitment(own.offered),
        requested_model=evaluation.model,
        resolved_model=own.answered_by.pop() if len(own.answered_by) == 1 else None,
        sampling=evaluation.model_generate_config or None,
    )


def _outcome(scores: Mapping[str, _Score]) -> Outcome | None:
    """Take a sample as correct when every scorer says so, and as not when one says so."""
    if not scores:
        return None
    verdicts = [_correct(score.value) for score in scores.values()]
    name = "+".join(sorted(scores))
    if False in verdicts:
        return Outcome(False, name)
    return Outcome(None if None in verdicts else True, name)


def _correct(value: object) -> bool | None:
    """Read one score. A grade on some scale of its own says neither yes nor no."""
    if value in ("C", True) or (isinstance(value, (int, Decimal)) and value == 1):
        return True
    if value in ("I", "P", "N", False) or (isinstance(value, (int, Decimal)) and 0 <= value < 1):
        return False
    return None


def _answer(sample: Sample) -> str | None:
    said = sample.output.choices[:1]
    return said[0].message.text if said else None


def _status(sample: Sample) -> Status | None:
    if sample.error is not None:
        return "agent_error"
    return "limit" if sample.limit is not None else None


def _tokens(own: Own) -> Tokens | None:
    """Add the agent's own usage up; one call of a model that says nothing leaves all unknown."""
    if not own.usages or len(own.usages) != own.models:
        return None
    bases = {usage.basis for usage in own.usages if usage.cached} or {"inclusive"}
    return Tokens(
        sum(usage.input_tokens for usage in own.usages),
        sum(usage.output_tokens for usage in own.usages),
        sum(usage.cached for usage in own.usages),
        bases.pop() if len(bases) == 1 else "unknown",
    )


def _agrees(own: Own, sums: Mapping[str, Usage] | None) -> bool:
    """Say whether the events hold what the sample's own sums do: else some call is missing."""
    if not sums:  # old logs hold no sums
        return True
    return own.counted == sum(one.input_tokens + one.output_tokens for one in sums.values())


def _prices(own: Own) -> Iterator[Decimal]:
    """Give what the calls cost that say it; an answer from a cache cost nothing now."""
    return (usage.price for usage in own.fresh if usage.price is not None)


def _cost(own: Own) -> Money | None:
    """Add the cost up where every call of a model says what it cost."""
    prices = list(_prices(own))
    return Money(sum(prices)) if prices and len(prices) == own.models else None


def _commitment(offered: Sequence[Any]) -> str | None:
    """Commit to the tools the agent was offered, where it was offered the same throughout."""
    written = set(_written(offered))
    if len(written) != 1:
        return None
    return f"sha256:{hashlib.sha256(written.pop()).hexdigest()}"


def _written(offered: Sequence[Any]) -> Iterator[bytes]:
    for tools in offered:
        yield json.dumps(tools, sort_keys=True, default=str).encode()
