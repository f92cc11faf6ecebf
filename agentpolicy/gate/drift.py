"""Which sessions are unlike the agent's usual ones: flags for people, never part of a decision.

The usual is what all completed baseline sessions show together. A distance is counted in sample
standard deviations and compared as whole numbers, without roots and without rounding.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from agentpolicy.base.numbers import plain
from agentpolicy.documents.models.band import Drift
from agentpolicy.gate.finding import Note, outward
from agentpolicy.runs.record import RunRecord

Z_MAX, JACCARD_MIN, WARMUP_SESSIONS = Decimal(3), Decimal("0.5"), 10
"""What stands where the band does not say (tolerance band source)."""
_LEAST = 2
"""One session alone has no spread."""


def _tokens(side: str) -> Callable[[RunRecord], Fraction | None]:
    def read(run: RunRecord) -> Fraction | None:
        value = getattr(run.tokens, side) if run.tokens else None
        return None if value is None else Fraction(value)

    return read


_METRICS: Mapping[str, Callable[[RunRecord], Fraction | None]] = {
    "input tokens": _tokens("input"),
    "output tokens": _tokens("output"),
    "milliseconds": lambda run: None if run.latency_ms is None else Fraction(run.latency_ms),
    "tool calls": lambda run: None if run.tool_calls is None else Fraction(len(run.tool_calls)),
}


def notes(
    drift: Drift | None, baseline: Sequence[RunRecord], candidate: Sequence[RunRecord]
) -> Iterator[Note]:
    """Flag each completed candidate session that is far from the usual.

    What fewer sessions show than the warm-up asks for is said once, and flags nothing.
    """
    if drift is None:
        return
    usual = [run for run in baseline if run.finished]
    tried = sorted(
        (run for run in candidate if run.finished), key=lambda run: (run.fixture_id, run.attempt)
    )
    needed = max(drift.warmup_sessions or WARMUP_SESSIONS, _LEAST)
    z_max = Z_MAX if drift.z_max is None else drift.z_max
    for name, read in _METRICS.items():
        known = [value for value in map(read, usual) if value is not None]
        if len(known) < needed:
            yield _too_few(name, len(known), needed)
            continue
        for run in tried:
            value = read(run)
            if value is not None:
                yield from _far(run, name, value, known, z_max)
    yield from _other_tools(drift, usual, tried, needed)


def _far(
    run: RunRecord, name: str, value: Fraction, known: Sequence[Fraction], z_max: Decimal
) -> Iterator[Note]:
    """Flag a value more than `z_max` standard deviations from the mean, by its square."""
    mean = sum(known, Fraction()) / len(known)
    squares = sum(((one - mean) ** 2 for one in known), Fraction())
    distance = (value - mean) ** 2 * (len(known) - 1)
    if not squares:
        if distance:
            why = f"{_of(run)}: {_text(value)} {name}, where every usual one has {_text(mean)}"
            yield Note("drift.z_max", "no spread", plain(z_max), why)
        return
    if distance > Fraction(z_max) ** 2 * squares:
        why = f"{_of(run)}: {_text(value)} {name} are far from the usual {_text(mean)}"
        yield Note("drift.z_max", _text(value), plain(z_max), why)


def _other_tools(
    drift: Drift, usual: Sequence[RunRecord], tried: Sequence[RunRecord], needed: int
) -> Iterator[Note]:
    """Flag a session whose set of tools overlaps too little with that of all usual ones."""
    known = [run.tool_calls for run in usual if run.tool_calls is not None]
    if len(known) < needed:
        return  # the tool calls were counted, and found too few, above
    least = JACCARD_MIN if drift.jaccard_min is None else drift.jaccard_min
    tools = {call.name for calls in known for call in calls}
    for run in tried:
        if run.tool_calls is None:
            continue
        called = {call.name for call in run.tool_calls}
        either = called | tools
        overlap = Fraction(len(called & tools), len(either)) if either else Fraction(1)
        if overlap < Fraction(least):
            shown = outward(overlap, up=False)
            why = f"{_of(run)}: its tools overlap {shown} with the usual ones"
            yield Note("drift.jaccard_min", shown, plain(least), why)


def _too_few(name: str, found: int, needed: int) -> Note:
    why = f"drift cannot be told: {found} of at least {needed} usual sessions show their {name}"
    return Note("drift.warmup_sessions", str(found), str(needed), why)


def _of(run: RunRecord) -> str:
    return f"{run.fixture_id}, attempt {run.attempt}"


def _text(value: Fraction) -> str:
    return outward(value, up=False)
