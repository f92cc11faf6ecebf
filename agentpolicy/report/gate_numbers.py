"""Shares and measured values as text, for every report of the gate."""

from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from math import ceil, floor

from agentpolicy.base.numbers import plain
from agentpolicy.gate.budget import Check
from agentpolicy.report.words import aligned
from agentpolicy.runs.evidence import Bounds, Tally

_PLACES = 6
Rounding = Callable[[Fraction], int]
_Z = Decimal("1.959964")
"""The normal quantile of a two-sided 95 % interval."""
_READABLE = Decimal("0.0001")


def share(count: int, runs: int, rounding: Rounding = round) -> str:
    """Write a share exactly where decimals can, else rounded to six places.

    Only for people and for JSON, which carries the count as well: nothing is compared with it.
    """
    ratio = Fraction(count, runs)
    if Fraction(10**_PLACES) % ratio.denominator == 0:
        scaled = ratio * 10**_PLACES
        return plain(Decimal(int(scaled)).scaleb(-_PLACES))
    return plain(Decimal(rounding(ratio * 10**_PLACES)).scaleb(-_PLACES))


def ends(measured: Tally | Bounds) -> tuple[str | None, str | None]:
    """Give the least and the most a measured value can be; None where it is not bounded."""
    if isinstance(measured, Tally):
        most = measured.count + measured.unknown
        return share(measured.count, measured.runs), share(most, measured.runs)
    return _plain(measured.low), _plain(measured.high)


def outward(check: Check) -> tuple[str | None, str | None]:
    """Give both ends of a check, rounded away from the limit they may have crossed.

    A waiver copies the printed value, so the printed value must not be better than the real one.
    """
    measured = check.measured
    if not isinstance(measured, Tally):
        return ends(measured)
    away = floor if check.floor else ceil
    most = measured.count + measured.unknown
    return share(measured.count, measured.runs, away), share(most, measured.runs, away)


def interval(tally: Tally) -> tuple[str, str]:
    """Give the 95 % interval of Wilson about a rate, unknown runs at their best and worst.

    It tells people how much a rate says. It decides nothing.
    """
    least = _wilson(tally.count, tally.runs, -_Z)
    most = _wilson(tally.count + tally.unknown, tally.runs, _Z)
    low, high = (min(max(end, Decimal(0)), Decimal(1)) for end in (least, most))
    return plain(low.quantize(_READABLE)), plain(high.quantize(_READABLE))


def _wilson(count: int, runs: int, z: Decimal) -> Decimal:
    """Give one end of the interval; the sign of `z` says which."""
    exact = Context(prec=40)
    square = z * z
    spread = exact.sqrt(exact.divide(Decimal(count * (runs - count)), Decimal(runs)) + square / 4)
    return exact.divide(Decimal(count) + square / 2 + z * spread, Decimal(runs) + square)


def _plain(end: Decimal | None) -> str | None:
    """Write one end, if it is bounded."""
    return None if end is None else plain(end)


def in_words(measured: Tally | Bounds) -> str:
    """Write a measured value, or the range that the missing evidence leaves open."""
    return _between(*ends(measured))


def column(measured: Sequence[Tally | Bounds]) -> tuple[str, ...]:
    """Write measured values that stand below each other: all shares with as many places."""
    pairs = [ends(value) for value in measured]
    shares = {
        end
        for value, pair in zip(measured, pairs, strict=True)
        if isinstance(value, Tally)
        for end in pair
        if end is not None
    }
    spelling = dict(zip(shares, aligned(tuple(shares)), strict=True))

    def spelt(value: Tally | Bounds, end: str | None) -> str | None:
        return spelling[end] if end is not None and isinstance(value, Tally) else end

    return tuple(
        _between(spelt(value, low), spelt(value, high))
        for value, (low, high) in zip(measured, pairs, strict=True)
    )


def _between(low: str | None, high: str | None) -> str:
    if low == high:
        return "unknown" if low is None else low
    if high is None:
        return f"at least {low}"
    return f"at most {high}" if low is None else f"{low} to {high}"


def limit_in_words(check: Check) -> str:
    """Write a limit with its direction."""
    return f"at {'least' if check.floor else 'most'} {spelled(check.limit)}"


def spelled(limit: Decimal) -> str:
    """Write a limit for people as its file does: `0.90` stays `0.90`."""
    return format(limit, "f")
