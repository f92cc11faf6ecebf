"""A settled cap study, as a page and as JSON: each transition with both sides of its rule."""

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import Any

from agentpolicy.gate.knee import CapRow, Knee, Transition
from agentpolicy.report.numbers.exact import number, shown
from agentpolicy.report.numbers.proposal import Proposed, proposal_json, proposal_lines
from agentpolicy.report.words import table
from agentpolicy.runs.evidence import Truth

FORMAT_VERSION = 1
_HAIR, _CLEAR = Fraction(5, 4), 2
"""Below the one an answer is close; from the other on it is worth saying how clear it is."""
_SAID = {True: "yes", False: "no", None: "open"}


def knee_text(knee: Knee, proposal: Proposed | None) -> str:
    """Write the study as a page, ending in a newline."""
    return "\n".join(_lines(knee, proposal)) + "\n"


def _lines(knee: Knee, proposal: Proposed | None) -> Iterator[str]:
    if knee.cap is None:
        yield "no knee: a transition cannot be settled, as runs lack their outcome or their cost"
    elif knee.cap == knee.rows[-1].cap:
        yield f"knee: not below {knee.cap}, the highest cap measured: every transition pays"
    else:
        yield f"knee: {knee.cap} steps, the last cap that pays"
    yield f"a success is worth {shown(knee.value_usd)} USD"
    yield ""
    yield from table(("cap", "pass rate", "mean cost", "amber rate", "runs"), _rows(knee))
    yield ""
    head = ("raise the cap", "gain", "is worth", "adds", "pays?", "would pay above", "adds amber")
    yield from table(head, [_transition(step) for step in knee.transitions])
    for leap in knee.later:
        yield (
            f"from {leap.low.cap} straight to {leap.high.cap} pays "
            f"({shown(leap.gain_value_usd)} against {shown(leap.added_cost_usd)}), though the "
            "steps between do not all: measure more caps there"
        )
    if proposal is not None:
        yield ""
        yield from proposal_lines(proposal)


def _rows(knee: Knee) -> list[tuple[str, ...]]:
    return [
        (
            str(row.cap),
            shown(row.pass_rate),
            shown(row.mean_cost_usd),
            "-" if row.amber_rate is None else shown(row.amber_rate),
            "-" if row.runs is None else str(row.runs),
        )
        for row in knee.rows
    ]


def _transition(step: Transition) -> tuple[str, ...]:
    return (
        f"{step.low.cap} -> {step.high.cap}",
        shown(step.gain),
        shown(step.gain_value_usd),
        shown(step.added_cost_usd),
        _SAID[step.raise_cap] + _by(step),
        _break_even(step),
        "-" if step.added_amber is None else shown(step.added_amber),
    )


def _break_even(step: Transition) -> str:
    """Write what a success must be worth, in whole cents and never too little."""
    value = step.break_even_usd
    if value is None:
        return "never" if step.raise_cap is False else "-"
    return f"{shown(Fraction(ceil(value * 100), 100))} a success"


def _by(step: Transition) -> str:
    """Say how clear the answer is, as people would."""
    worth, added = step.gain_value_usd, step.added_cost_usd
    if worth is None or added is None or worth <= 0 or added <= 0:
        return ""
    times = max(worth, added) / min(worth, added)
    if times < _HAIR:
        return ", by a hair"
    return f", {round(times)} times over" if times >= _CLEAR else ""


def knee_json(knee: Knee, proposal: Proposed | None) -> dict[str, Any]:
    """Write the study for programs: numbers as text, null where the runs do not say."""
    return {
        "format_version": FORMAT_VERSION,
        "value_per_success_usd": number(knee.value_usd),
        "knee_cap": knee.cap,
        "rows": [_row_json(row) for row in knee.rows],
        "transitions": [_transition_json(step) for step in knee.transitions],
        "pays_later": [_transition_json(leap) for leap in knee.later],
        "proposal": proposal_json(proposal),
    }


def _row_json(row: CapRow) -> dict[str, Any]:
    return {
        "cap": row.cap,
        "pass_rate": number(row.pass_rate),
        "mean_cost_usd": number(row.mean_cost_usd),
        "amber_rate": number(row.amber_rate),
        "runs": row.runs,
    }


def _transition_json(step: Transition) -> dict[str, Any]:
    raised: Truth = step.raise_cap
    return {
        "from": step.low.cap,
        "to": step.high.cap,
        "gain": number(step.gain),
        "gain_value": number(step.gain_value_usd),
        "added_cost": number(step.added_cost_usd),
        "raise_cap": raised,
        "break_even_value_usd": number(step.break_even_usd),
        "added_amber_rate": number(step.added_amber),
    }
