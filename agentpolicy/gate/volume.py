"""What the same run costs at another scale: money, tokens, runs in flight, and what never scales.

An expected cost is small when it is rare enough. An undeclared effect has no price, so no volume
makes it acceptable: it is the one column that is the same in every row.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from agentpolicy.gate.knee import mean
from agentpolicy.gate.partition import RunRules
from agentpolicy.runs.evidence import evidence_of
from agentpolicy.runs.record import RunRecord

_MINUTES, _SECONDS = 60, 3600


@dataclass(frozen=True, slots=True)
class Figures:
    """What one run uses, on average over those that show it; None where none does."""

    runs: int
    cost_usd: Fraction | None = None
    input_tokens: Fraction | None = None
    latency_s: Fraction | None = None
    lacking: Mapping[str, int] = field(default_factory=dict)
    """How many runs do not show a value."""
    undeclared: Mapping[str, int] | None = None
    """In how many runs each tool was an undeclared effect; None where no budget declares any."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """When the tasks of a day arrive, and how many tokens a minute the provider serves."""

    hours: Decimal = Decimal(8)
    """Over how many hours they are spread: a working day, not a calendar day."""
    peak_factor: Decimal = Decimal(3)
    """How many times the average the busiest moment is."""
    tokens_per_minute: int | None = None

    def peak_share(self, seconds: int) -> Fraction:
        """Give the share of a day's tasks that arrive in so many seconds at peak."""
        return Fraction(self.peak_factor) * seconds / (Fraction(self.hours) * _SECONDS)


@dataclass(frozen=True, slots=True)
class AtVolume:
    """The run at one daily volume; None where what it follows from is not known."""

    per_day: int
    cost_usd_per_day: Fraction | None
    input_tokens_per_day: Fraction | None
    tokens_per_minute_at_peak: Fraction | None
    within_rate_limit: bool | None
    runs_per_second: Fraction
    """On average over the hours in which they arrive."""
    in_flight_at_peak: Fraction | None


def at_volume(figures: Figures, traffic: Traffic, per_day: int) -> AtVolume:
    """Multiply one run out to a day and to its busiest moment."""
    tokens = _times(figures.input_tokens, Fraction(per_day))
    peak = _times(tokens, traffic.peak_share(_MINUTES))
    limit = traffic.tokens_per_minute
    arriving = per_day * traffic.peak_share(1)
    return AtVolume(
        per_day=per_day,
        cost_usd_per_day=_times(figures.cost_usd, Fraction(per_day)),
        input_tokens_per_day=tokens,
        tokens_per_minute_at_peak=peak,
        within_rate_limit=None if peak is None or limit is None else peak <= limit,
        runs_per_second=arriving / Fraction(traffic.peak_factor),
        in_flight_at_peak=_times(figures.latency_s, arriving),
    )


def most_served(figures: Figures, traffic: Traffic) -> int | None:
    """Give the most tasks a day whose peak the rate limit still serves; None where none binds."""
    if traffic.tokens_per_minute is None or not figures.input_tokens:
        return None
    return int(traffic.tokens_per_minute / (figures.input_tokens * traffic.peak_share(_MINUTES)))


def figures_of(runs: Sequence[RunRecord], rules: RunRules | None) -> Figures:
    """Average what some runs show; a value that a run lacks is counted, never taken as 0."""
    shown = [evidence_of(run) for run in runs]
    tokens = [_input_tokens(run) for run in runs]
    columns: Mapping[str, Sequence[Decimal | None]] = {
        "cost_usd": [run.cost_usd for run in shown],
        "input_tokens": tokens,
        "latency_ms": [run.latency_ms for run in shown],
        "tool_calls": [None if run.calls is None else Decimal(len(run.calls)) for run in shown],
    }
    known = {
        name: [value for value in values if value is not None] for name, values in columns.items()
    }
    latency = mean(known["latency_ms"])
    lacking = {name: len(runs) - len(values) for name, values in known.items()}
    return Figures(
        runs=len(runs),
        cost_usd=mean(known["cost_usd"]),
        input_tokens=mean(known["input_tokens"]),
        latency_s=None if latency is None else latency / 1000,
        lacking={name: count for name, count in lacking.items() if count},
        undeclared=None if rules is None else _undeclared(runs, rules),
    )


def _input_tokens(run: RunRecord) -> Decimal | None:
    """Count what a rate limit counts: everything sent, cached or not."""
    sent = run.tokens.sent if run.finished and run.tokens else None
    return None if sent is None else Decimal(sent)


def _undeclared(runs: Sequence[RunRecord], rules: RunRules) -> Mapping[str, int]:
    """Count for each tool the runs in which it was an effect that the budget does not allow."""
    found: Counter[str] = Counter()
    for run in runs:
        found.update({name for name in _called(run) if rules.undeclared(name)})
    return dict(sorted(found.items()))


def _called(run: RunRecord) -> set[str]:
    return {call.name for call in run.tool_calls or ()}


def _times(value: Fraction | None, factor: Fraction) -> Fraction | None:
    return None if value is None else value * factor
