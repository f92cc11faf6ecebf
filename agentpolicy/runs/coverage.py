"""How much of what a verdict may read a set of runs really carries."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from msgspec import UNSET

from agentpolicy.runs.evidence import evidence_of
from agentpolicy.runs.record import RunRecord
from agentpolicy.runs.run_set import RunSet

NO_BASIS = "not said"


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a set of runs carries, counted."""

    runs: int
    fixtures: int
    statuses: Mapping[str, int]
    """Runs by how they ended."""
    correct: int
    """Runs known to be correct."""
    calls: int
    """Tool calls that are listed."""
    tokens: int
    """Tokens that are known."""
    cost_usd: Decimal
    """Cost that is known."""
    fields: Mapping[str, int]
    """How many runs carry each value, in the order people ask for them."""
    at_least: Mapping[str, int]
    """How many runs carry only a part of a measure."""
    bases: Mapping[str, int]
    """Of the runs with tokens, how many count cached ones in which way."""


def _correct(run: RunRecord) -> bool | None:
    return run.outcome.correct if run.outcome else None


def _tokens(run: RunRecord) -> int | None:
    return run.tokens.total if run.tokens else None


_READ: Mapping[str, Callable[[RunRecord], object]] = {
    "agent": lambda run: run.agent,
    "subject": lambda run: run.subject,
    "task_type": lambda run: run.task_type,
    "variant": lambda run: run.variant,
    "outcome.correct": _correct,
    "tool_calls": lambda run: run.tool_calls,
    "steps": lambda run: run.steps,
    "cost_usd": lambda run: run.cost_usd,
    "latency_ms": lambda run: run.latency_ms,
    "time_to_useful_ms": lambda run: run.time_to_useful_ms,
    "tokens": _tokens,
    "final_answer": lambda run: run.final_answer,
    "output": lambda run: None if run.output is UNSET else True,
    "refused": lambda run: run.refused,
    "test_case_id": lambda run: run.test_case_id,
    "prompt_template_version": lambda run: run.prompt_template_version,
    "available_tools_commitment": lambda run: run.available_tools_commitment,
    "requested_model": lambda run: run.requested_model,
    "resolved_model": lambda run: run.resolved_model,
}


def coverage_of(runs: RunSet) -> Coverage:
    """Count what the runs carry."""
    records = runs.records
    return Coverage(
        runs=len(records),
        fixtures=len({record.fixture_id for record in records}),
        statuses=dict(sorted(Counter(_status(record) for record in records).items())),
        correct=sum(_correct(record) is True for record in records),
        calls=sum(len(record.tool_calls or ()) for record in records),
        tokens=sum(_tokens(record) or 0 for record in records),
        cost_usd=sum((record.cost_usd or Decimal(0) for record in records), Decimal(0)),
        fields={
            name: sum(read(record) is not None for record in records)
            for name, read in _READ.items()
        },
        at_least=dict(sorted(Counter(_parts(records)).items())),
        bases=dict(
            sorted(Counter(one.tokens.basis or NO_BASIS for one in records if one.tokens).items())
        ),
    )


def _parts(records: Iterable[RunRecord]) -> Iterator[str]:
    """Name each measure of each run of which only a part is known."""
    for record in records:
        yield from evidence_of(record).at_least


def _status(record: RunRecord) -> str:
    if record.infra_error is not None:
        return "infra_error"
    return record.status or "completed"
