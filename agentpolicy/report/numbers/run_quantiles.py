"""What the runs that passed used, as a page and as JSON."""

from collections.abc import Iterator
from typing import Any

from agentpolicy.gate.run_quantiles import SURE, Measured, RunQuantiles
from agentpolicy.report.numbers.exact import number, shown
from agentpolicy.report.numbers.proposal import Proposed, proposal_json, proposal_lines
from agentpolicy.report.words import counted, table

FORMAT_VERSION = 1


def run_quantiles_text(found: RunQuantiles, timed: str, proposal: Proposed) -> str:
    """Write what was found as a page, ending in a newline."""
    return "\n".join(_lines(found, timed, proposal)) + "\n"


def _lines(found: RunQuantiles, timed: str, proposal: Proposed) -> Iterator[str]:
    yield (
        f"{found.passed} of {counted(found.runs, 'run')} passed, "
        f"over {counted(found.fixtures, 'fixture')}"
    )
    if found.unknown:
        yield f"  {counted(found.unknown, 'run')} not known to have passed: not looked at"
    yield ""
    head = ("quantity", "p75, soft", "p95, hard", "measured in", "lacking")
    yield from table(head, [_row(one) for one in found.measures])
    yield ""
    together = [one.name for one in found.measures if one.known and not one.parted]
    if together:
        yield f"no room for a soft limit where p75 is p95: {', '.join(together)}"
    if found.passed < SURE:
        yield (
            f"fewer than {SURE} runs: the true 95th percentile may lie above all of them, "
            "so that the first hard limit may fail runs that are as usual"
        )
    yield f"latency is limited by {timed}; limits are what the agent uses now, to be tightened"
    yield ""
    yield from proposal_lines(proposal)


def _row(one: Measured) -> tuple[str, ...]:
    if not one.known:
        return one.name, "-", "-", "0", str(one.lacking)
    return one.name, shown(one.soft), shown(one.hard), str(one.known), str(one.lacking)


def run_quantiles_json(found: RunQuantiles, timed: str, proposal: Proposed) -> dict[str, Any]:
    """Write what was found for programs; numbers are text."""
    return {
        "format_version": FORMAT_VERSION,
        "runs": found.runs,
        "passed": found.passed,
        "unknown": found.unknown,
        "fixtures": found.fixtures,
        "measures": {
            one.name: {
                "p75": number(one.soft),
                "p95": number(one.hard),
                "measured": one.known,
                "lacking": one.lacking,
            }
            for one in found.measures
        },
        "latency_measure": timed,
        "proposal": proposal_json(proposal),
    }
