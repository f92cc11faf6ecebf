"""Answers about the verdict log for people: a table of verdicts, and a line on the log itself."""

from collections.abc import Iterator, Sequence

from agentpolicy.base.instant import format_instant
from agentpolicy.provenance.log import VerifiedLog
from agentpolicy.provenance.query import Answer, Found

_HEADS = ("VERDICT", "DECISION", "GATE", "AGENT OR TASK", "POLICY", "EVALUATED AT", "SIGNED BY")
_SHORT = 12
"""Hex digits that are shown of a name; `audit query` takes them back."""


def query_text(answer: Answer) -> str:
    """Write the verdicts as a table, oldest first; say when there may be others."""
    rows = [_HEADS, *(_row(found) for found in answer.verdicts)]
    lines = list(_table(rows)) if answer.verdicts else ["no recorded verdict fits"]
    if not answer.complete:
        lines.append("incomplete: there may be verdicts that are not shown")
    return "\n".join(lines) + "\n"


def verify_text(log: VerifiedLog, standing: str) -> str:
    """Write what is known of the log as a whole, its worth first."""
    counts = f"{_count(log.segments, 'segment')}, {_count(len(log.records), 'verified record')}"
    lines = [f"{standing}: {counts}, {len(log.foreign)} foreign"]
    if log.state is not None:
        lines.append(f"  state {log.state}")
    return "\n".join(lines) + "\n"


def _row(found: Found) -> tuple[str, ...]:
    judged, logged = found.statement.judged, found.logged
    what = judged.agent or "/".join(filter(None, (judged.task_type, judged.variant)))
    return (
        found.verdict.removeprefix("sha256:")[:_SHORT],
        str(found.statement.decision),
        judged.gate,
        what or "-",
        (found.statement.policy.commit or "-")[:_SHORT],
        format_instant(found.statement.evaluated_at),
        f"{logged.person} (self-judged)" if logged.self_judged else logged.person,
    )


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
