"""The same run at several daily volumes, as a page and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from agentpolicy.gate.volume import AtVolume, Figures, Traffic, most_served
from agentpolicy.report.numbers.exact import grouped, number, rounded, shown
from agentpolicy.report.words import counted, table

FORMAT_VERSION = 1


def volume_text(figures: Figures, traffic: Traffic, volumes: Sequence[AtVolume]) -> str:
    """Write the volumes as a page, ending in a newline."""
    return "\n".join(_lines(figures, traffic, volumes)) + "\n"


def _lines(figures: Figures, traffic: Traffic, volumes: Sequence[AtVolume]) -> Iterator[str]:
    yield (
        f"one run: {shown(figures.cost_usd)} USD, {shown(figures.input_tokens)} input tokens, "
        f"{shown(figures.latency_s)} s"
    )
    if figures.runs:
        yield f"  the mean of {counted(figures.runs, 'run')}"
    for name, count in figures.lacking.items():
        yield f"  {name} missing in {count} of {counted(figures.runs, 'run')}"
    spread = f"over {shown(traffic.hours)} h a day, at peak {shown(traffic.peak_factor)} times that"
    yield f"arriving {spread}"
    yield ""
    head = (
        "tasks a day", "USD a day", "input tokens a day", "tokens a minute at peak",
        "runs a second", "in flight at peak", "undeclared effects",
    )  # fmt: skip
    yield from table(head, [_row(figures, one) for one in volumes])
    yield ""
    yield _limit(figures, traffic)
    yield _effects(figures)


def _row(figures: Figures, one: AtVolume) -> tuple[str, ...]:
    beyond = {True: " (within the limit)", False: " (over the limit)", None: ""}
    return (
        grouped(str(one.per_day)),
        grouped(rounded(one.cost_usd_per_day, 2)),
        grouped(rounded(one.input_tokens_per_day, 0)),
        grouped(rounded(one.tokens_per_minute_at_peak, 0)) + beyond[one.within_rate_limit],
        rounded(one.runs_per_second, 2),
        grouped(rounded(one.in_flight_at_peak, 2)),
        "?" if figures.undeclared is None else ", ".join(figures.undeclared) or "none",
    )


def _limit(figures: Figures, traffic: Traffic) -> str:
    limit, most = traffic.tokens_per_minute, most_served(figures, traffic)
    if limit is None:
        return "rate limit: not given; --tokens-per-minute N compares the peak with it"
    if most is None:
        return f"rate limit: {limit:,} tokens a minute; how many a run sends is not known"
    return f"rate limit: {limit:,} tokens a minute serve the peak of {most:,} tasks a day at most"


def _effects(figures: Figures) -> str:
    if figures.undeclared is None:
        return "undeclared effects: not known; --budget FILE says which effects are declared"
    if not figures.undeclared:
        return "undeclared effects: none, at any volume"
    named = ", ".join(
        f"{tool} in {counted(count, 'run')}" if figures.runs else tool
        for tool, count in figures.undeclared.items()
    )
    return f"undeclared effects: {named}. No volume makes one acceptable: a single one has no price"


def volume_json(figures: Figures, traffic: Traffic, volumes: Sequence[AtVolume]) -> dict[str, Any]:
    """Write the volumes for programs: numbers as text, null where they are not known."""
    return {
        "format_version": FORMAT_VERSION,
        "run": {
            "runs": figures.runs,
            "cost_usd": number(figures.cost_usd),
            "input_tokens": number(figures.input_tokens),
            "latency_s": number(figures.latency_s),
            "lacking": dict(figures.lacking),
        },
        "traffic": {
            "hours": number(traffic.hours),
            "peak_factor": number(traffic.peak_factor),
            "tokens_per_minute": traffic.tokens_per_minute,
            "most_tasks_per_day": most_served(figures, traffic),
        },
        "undeclared_effects": None if figures.undeclared is None else dict(figures.undeclared),
        "volumes": [_volume_json(one) for one in volumes],
    }


def _volume_json(one: AtVolume) -> dict[str, Any]:
    return {
        "tasks_per_day": one.per_day,
        "cost_usd_per_day": number(one.cost_usd_per_day),
        "input_tokens_per_day": number(one.input_tokens_per_day),
        "tokens_per_minute_at_peak": number(one.tokens_per_minute_at_peak),
        "within_rate_limit": one.within_rate_limit,
        "runs_per_second": number(one.runs_per_second),
        "in_flight_at_peak": number(one.in_flight_at_peak),
    }
