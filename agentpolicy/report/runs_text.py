"""What a set of runs carries, as a page: what was read, what is there, what is missing."""

from collections.abc import Iterator, Sequence

from agentpolicy.base.errors import Problem
from agentpolicy.base.numbers import plain
from agentpolicy.report.problems_text import problems_text
from agentpolicy.report.words import counted
from agentpolicy.runs.coverage import Coverage
from agentpolicy.runs.run_set import RunSet

SHOWN = 20
"""So many unreadable records are told one by one; the rest are counted."""


def runs_text(runs: RunSet, coverage: Coverage, formats: Sequence[tuple[str, str]]) -> str:
    """Write the summary of a set of runs, without colour, ending in a newline.

    `formats` holds each file's path with what it was taken for.
    """
    return "\n".join(_lines(coverage, len(runs.unreadable), formats)) + "\n"


def _lines(
    coverage: Coverage, unreadable: int, formats: Sequence[tuple[str, str]]
) -> Iterator[str]:
    yield f"{counted(coverage.runs, 'run')} of {counted(coverage.fixtures, 'fixture')}"
    for path, title in formats:
        yield f"  {path}: {title}"
    if unreadable:
        yield f"  {counted(unreadable, 'record')} could not be read"
    yield ""
    yield f"ended: {', '.join(f'{name} {count}' for name, count in coverage.statuses.items())}"
    known = coverage.fields
    yield _sum("correct", str(coverage.correct), known["outcome.correct"])
    yield _sum("tool calls", str(coverage.calls), known["tool_calls"])
    yield _sum("cost", f"{plain(coverage.cost_usd)} USD", known["cost_usd"])
    bases = ", ".join(f"{name} {count}" for name, count in coverage.bases.items())
    aside = f"; cached ones: {bases}" if bases else ""
    yield _sum("tokens", str(coverage.tokens), known["tokens"]) + aside
    for name, count in coverage.at_least.items():
        runs = counted(count, "run")
        yield f"{name}: only a part is known in {runs}, enough to fail and never to pass"
    yield ""
    width = max(map(len, known))
    digits = len(str(coverage.runs))
    for name, count in known.items():
        bar = "#" * (20 * count // max(1, coverage.runs))
        yield f"{name:<{width}}  {count:>{digits}} of {coverage.runs}  {bar}".rstrip()


def _sum(name: str, amount: str, runs: int) -> str:
    """Write a sum with the number of runs it is over; over none there is no sum."""
    return f"{name}: {amount} in {counted(runs, 'run')}" if runs else f"{name}: not recorded"


def unreadable_text(problems: Sequence[Problem]) -> str:
    """Write what could not be read: each with its place, and how many more there are."""
    told = problems_text(problems[:SHOWN])
    more = len(problems) - SHOWN
    if more > 0:
        told += f"\nand {more} more; `agentpolicy runs validate --format json` lists them all"
    return told
