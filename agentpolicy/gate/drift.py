"""Which sessions are unlike the agent's usual ones: flags for people, never part of a decision.

The usual is what all completed baseline sessions show together; long-context sessions are held
against their like alone. A distance is counted in sample standard deviations and compared as whole
numbers, without roots and without rounding.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isqrt

from agentpolicy.base.numbers import plain
from agentpolicy.documents.models.band import Drift
from agentpolicy.gate.finding import Note, outward
from agentpolicy.runs.record import RunRecord

Z_MAX, JACCARD_MIN, WARMUP_SESSIONS = Decimal(3), Decimal("0.5"), 10
"""What stands where the band does not say (tolerance band source)."""
LONG_CONTEXT = "long-context"
FAR, OTHER_TOOLS, TOO_FEW = "drift.z_max", "drift.jaccard_min", "drift.warmup_sessions"
NO_SPREAD, CLASS_UNKNOWN = "drift.no_spread", "drift.long_context_tokens"
_LEAST = 2
"""One session alone has no spread."""


@dataclass(frozen=True, slots=True)
class Alert:
    """One thing worth seeing: about a session, or about the window it would be held against."""

    field: str
    """The rule that fired: one of the names above."""
    measured: str
    limit: str
    why: str
    """One sentence that says where to look."""
    metric: str
    session_class: str
    """`long-context`, or empty for every other one."""
    session: RunRecord | None = None
    """None where it is about the usual sessions, which cannot tell."""


@dataclass(frozen=True, slots=True)
class _Window:
    """Sessions of one class: the usual ones, and those that are held against them."""

    session_class: str
    usual: Sequence[RunRecord]
    tried: Sequence[RunRecord]

    @property
    def kind(self) -> str:
        return f"{self.session_class} sessions" if self.session_class else "sessions"


def _tokens(side: str) -> Callable[[RunRecord], Fraction | None]:
    def read(run: RunRecord) -> Fraction | None:
        value = getattr(run.tokens, side) if run.tokens else None
        return None if value is None else Fraction(value)

    return read


_CALLS = "tool calls"
_METRICS: Mapping[str, Callable[[RunRecord], Fraction | None]] = {
    "input tokens": _tokens("input"),
    "output tokens": _tokens("output"),
    "milliseconds": lambda run: None if run.latency_ms is None else Fraction(run.latency_ms),
    _CALLS: lambda run: None if run.tool_calls is None else Fraction(len(run.tool_calls)),
}


def notes(
    drift: Drift | None, baseline: Sequence[RunRecord], candidate: Sequence[RunRecord]
) -> Iterator[Note]:
    """Note what is worth seeing beside a band's answer."""
    for alert in () if drift is None else alerts(drift, baseline, candidate):
        yield Note(alert.field, alert.measured, alert.limit, alert.why)


def alerts(
    drift: Drift, baseline: Sequence[RunRecord], candidate: Sequence[RunRecord]
) -> Iterator[Alert]:
    """Flag each completed candidate session that is far from the usual.

    What fewer sessions show than the warm-up asks for is said once, and flags nothing; so is a
    value that never varied, from which no distance can be counted.
    """
    usual = [run for run in baseline if run.finished]
    tried = sorted(
        (run for run in candidate if run.finished), key=lambda run: (run.fixture_id, run.attempt)
    )
    yield from _unclassed(drift, usual, tried)
    for window in _windows(drift, usual, tried):
        needed = max(drift.warmup_sessions or WARMUP_SESSIONS, _LEAST)
        for name, read in _METRICS.items():
            yield from _of_metric(window, name, read, drift, needed)
        yield from _other_tools(drift, window, needed)


def _windows(
    drift: Drift, usual: Sequence[RunRecord], tried: Sequence[RunRecord]
) -> Iterator[_Window]:
    """Part the sessions by class; a class that nobody tried needs no window."""
    if drift.long_context_tokens is None:
        yield _Window("", usual, tried)
        return
    for name in ("", LONG_CONTEXT):
        ours, theirs = (
            [run for run in runs if _class(run, drift.long_context_tokens) == name]
            for runs in (usual, tried)
        )
        if theirs:
            yield _Window(name, ours, theirs)


def _class(run: RunRecord, boundary: int) -> str | None:
    """Say of which class a session is; None where it does not show what it was sent."""
    sent = run.tokens.sent if run.tokens else None
    if sent is None:
        return None
    return LONG_CONTEXT if sent >= boundary else ""


def _unclassed(
    drift: Drift, usual: Sequence[RunRecord], tried: Sequence[RunRecord]
) -> Iterator[Alert]:
    boundary = drift.long_context_tokens
    if boundary is None:
        return
    unknown = sum(_class(run, boundary) is None for run in (*usual, *tried))
    if unknown:
        why = (
            f"{unknown} of {len(usual) + len(tried)} sessions do not show what they were sent, so "
            "whether they are long-context ones is not known: they are left out"
        )
        yield Alert(CLASS_UNKNOWN, str(unknown), "0", why, "input tokens", "")


def _of_metric(
    window: _Window,
    name: str,
    read: Callable[[RunRecord], Fraction | None],
    drift: Drift,
    needed: int,
) -> Iterator[Alert]:
    known = [value for value in map(read, window.usual) if value is not None]
    if len(known) < needed:
        yield _too_few(window, name, len(known), needed)
        return
    z_max = Z_MAX if drift.z_max is None else drift.z_max
    mean = sum(known, Fraction()) / len(known)
    squares = sum(((one - mean) ** 2 for one in known), Fraction())
    if not squares:
        yield _flat(window, name, mean, len(known))
    for run in window.tried:
        value = read(run)
        if value is None:
            continue
        distance = (value - mean) ** 2 * (len(known) - 1)
        if distance > Fraction(z_max) ** 2 * squares:
            sigmas = isqrt(int(100 * distance / squares)) if squares else None
            why = f"{_of(run, window)}: {_apart(name, value, mean, sigmas)}"
            why += _most_of_it(run, window) if name == _CALLS and value > mean else ""
            measured = _text(value) if squares else "no spread"
            yield Alert(FAR, measured, plain(z_max), why, name, window.session_class, run)


def _apart(name: str, value: Fraction, mean: Fraction, tenths: int | None) -> str:
    """Say how far a value is from the usual, in words that need no statistics to act on."""
    if tenths is None:
        return f"{_text(value)} {name}, where every usual one has {_text(mean)}"
    times = f", {_tenths(value / mean)} times as many" if mean and value > mean else ""
    side = "above" if value > mean else "below"
    return (
        f"{_text(value)} {name} are far from the usual {_text(mean)}: "
        f"{tenths // 10}.{tenths % 10} standard deviations {side}{times}"
    )


def _most_of_it(run: RunRecord, window: _Window) -> str:
    """Name the tool that was called most beyond what is usual."""
    shown = [session.tool_calls for session in window.usual if session.tool_calls is not None]
    usual = Counter(call.name for calls in shown for call in calls)
    own = Counter(call.name for call in run.tool_calls or ())
    excess = {tool: count - Fraction(usual[tool], len(shown)) for tool, count in own.items()}
    tool = max(sorted(excess), key=lambda name: excess[name])
    often = _tenths(Fraction(usual[tool], len(shown)))
    return f"; most of it {tool}, called {own[tool]} times where {often} is usual"


def _other_tools(drift: Drift, window: _Window, needed: int) -> Iterator[Alert]:
    """Flag a session whose set of tools overlaps too little with that of all usual ones."""
    known = [run.tool_calls for run in window.usual if run.tool_calls is not None]
    if len(known) < needed:
        return  # the tool calls were counted, and found too few, above
    least = JACCARD_MIN if drift.jaccard_min is None else drift.jaccard_min
    tools = {call.name for calls in known for call in calls}
    for run in window.tried:
        if run.tool_calls is None:
            continue
        called = {call.name for call in run.tool_calls}
        either = called | tools
        overlap = Fraction(len(called & tools), len(either)) if either else Fraction(1)
        if overlap < Fraction(least):
            shown = outward(overlap, up=False)
            why = f"{_of(run, window)}: its tools overlap {shown} with the usual ones"
            for word, names in (("called", called - tools), ("not called", tools - called)):
                why += f"; {word}: {', '.join(sorted(names))}" if names else ""
            yield Alert(OTHER_TOOLS, shown, plain(least), why, "tools", window.session_class, run)


def _too_few(window: _Window, name: str, found: int, needed: int) -> Alert:
    kind = f"usual {window.kind}"
    why = f"drift cannot be told: {found} of at least {needed} {kind} show their {name}"
    return Alert(TOO_FEW, str(found), str(needed), why, name, window.session_class)


def _flat(window: _Window, name: str, mean: Fraction, sessions: int) -> Alert:
    why = (
        f"all {sessions} usual {window.kind} have {_text(mean)} {name}: without any spread every "
        "other value is flagged, and how far it lies cannot be told"
    )
    return Alert(NO_SPREAD, "0", "above 0", why, name, window.session_class)


def _of(run: RunRecord, window: _Window) -> str:
    kind = f" ({window.session_class})" if window.session_class else ""
    return f"{run.fixture_id}, attempt {run.attempt}{kind}"


def _text(value: Fraction) -> str:
    return outward(value, up=False)


def _tenths(value: Fraction) -> str:
    return plain(Decimal(int(value * 10)).scaleb(-1))
