"""A measured noise floor, as a page and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from agentpolicy.base.errors import Problem
from agentpolicy.gate.noise import Floor
from agentpolicy.gate.noise_floor import ADVISED, NoiseFloor
from agentpolicy.report.numbers.proposal import Proposed, proposal_json, proposal_lines
from agentpolicy.report.problems_json import problems_json
from agentpolicy.report.words import counted, table

FORMAT_VERSION = 1


def noise_text(
    found: NoiseFloor, scorer: str, proposal: Proposed, advice: Sequence[Problem]
) -> str:
    """Write the floor as a page, ending in a newline."""
    return "\n".join(_lines(found, scorer, proposal, advice)) + "\n"


def _lines(
    found: NoiseFloor, scorer: str, proposal: Proposed, advice: Sequence[Problem]
) -> Iterator[str]:
    yield (
        f"noise floor: {counted(found.runs, 'run')}, {counted(found.fixtures, 'fixture')} "
        "with repeats, each attempt against the others at its fixture"
    )
    if found.unfinished:
        yield f"  {counted(found.unfinished, 'run')} did not finish and show nothing"
    if found.alone:
        yield f"  {counted(found.alone, 'fixture')} with a single attempt left out"
    if found.fewest < ADVISED:
        yield f"  {found.fewest} attempts at some fixture; with {ADVISED} or more it may be lower"
    yield f"answers scored by {scorer}"
    yield ""
    yield from table(
        ("field", "noise floor", "worst at", "measured", "not known"),
        [_number(one) for one in found.numbers],
    )
    yield ""
    yield from table(
        ("level", "self-runs that cross it", "not known"),
        [_level(one) for one in (*found.levels, *found.arguments)],
    )
    if advice:
        yield ""
        yield from (f"{problem.message}" for problem in advice)
    yield ""
    yield from proposal_lines(proposal)


def _number(one: Floor) -> tuple[str, ...]:
    where = one.where or ("the whole set" if one.worst is not None else "-")
    floor = one.number or ("none holds" if one.judged else "-")
    return one.field, floor, where, str(one.judged), str(one.unknown)


def _level(one: Floor) -> tuple[str, ...]:
    crossed = f"{one.crossed} of {one.judged}" if one.judged else "-"
    return f"{one.field}: {one.limit}", crossed, str(one.unknown)


def noise_json(
    found: NoiseFloor, scorer: str, proposal: Proposed, advice: Sequence[Problem]
) -> dict[str, Any]:
    """Write the floor for programs; numbers are text."""
    return {
        "format_version": FORMAT_VERSION,
        "runs": found.runs,
        "unfinished": found.unfinished,
        "fixtures": found.fixtures,
        "fixtures_alone": found.alone,
        "fewest_attempts": found.fewest,
        "scorer": scorer,
        "numbers": [
            {"field": one.field, "floor": one.number, "fixture_id": one.where, **_counts(one)}
            for one in found.numbers
        ],
        "levels": [_level_json(one) for one in found.levels],
        "arguments": [_level_json(one) for one in found.arguments],
        "tighter_than_noise": problems_json(advice),
        "proposal": proposal_json(proposal),
    }


def _level_json(one: Floor) -> dict[str, Any]:
    return {"field": one.field, "level": one.limit, "crossed": one.crossed, **_counts(one)}


def _counts(one: Floor) -> dict[str, int]:
    return {"measured": one.judged, "unknown": one.unknown}
