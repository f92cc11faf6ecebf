"""Answers about the verdict log for people: a table of verdicts, and a line on the log itself."""

from collections.abc import Iterator, Sequence

from agentpolicy.base.instant import format_instant
from agentpolicy.provenance.log import VerifiedLog
from agentpolicy.provenance.query import Answer, Found
from agentpolicy.report.words import counted

_HEADS = ("VERDICT", "DECISION", "AGENT OR TASK", "POLICY", "EVALUATED (UTC)", "BY")
_WIDTH = 80
"""Columns of a terminal; only the name of the agent or task gives way, JSON has it whole."""
_ABOUT = 2
"""The column that gives way."""
_SHORT = 8
"""Hex digits that are shown of a name; `audit query` takes them back."""

_MARKED = {
    "*": "self-judged: the signer does not hold the role gate, so it supports nothing else",
    "?": "whether the signer held the role gate cannot be told here",
}
"""What the marks after a signer's name mean."""


def query_text(answer: Answer) -> str:
    """Write the verdicts as a table, oldest first; say when there may be others.

    Nothing is written where there is no log: that is a problem, and it is said as one.
    """
    if _none(answer.log):
        return ""
    rows = [_HEADS, *(_row(found) for found in answer.verdicts)]
    lines = list(_table(rows)) if answer.verdicts else ["no recorded verdict fits"]
    marks = {_mark(found) for found in answer.verdicts}
    lines += [f"{mark} {words}" for mark, words in _MARKED.items() if mark in marks]
    if not answer.complete:
        lines.append("incomplete: there may be verdicts that are not shown")
    return "\n".join(lines) + "\n"


def verify_text(log: VerifiedLog, standing: str) -> str:
    """Write what is known of the log as a whole, its worth first; nothing where there is none."""
    if _none(log):
        return ""
    counts = f"{counted(log.segments, 'segment')}, {counted(len(log.records), 'verified record')}"
    lines = [f"{standing}: {counts}, {len(log.foreign)} foreign"]
    if log.state is not None:
        lines.append(f"  state {log.state}")
    return "\n".join(lines) + "\n"


def _none(log: VerifiedLog) -> bool:
    return any(problem.code == "no-log" for problem in log.unknown)


def _row(found: Found) -> tuple[str, ...]:
    judged, logged = found.statement.judged, found.logged
    task = "/".join(filter(None, (judged.task_type, judged.variant)))
    evaluated = format_instant(found.statement.evaluated_at)
    return (
        found.verdict.removeprefix("sha256:")[:_SHORT],
        str(found.statement.decision),
        (task if judged.gate == "budget" else judged.agent) or task or "-",
        (found.statement.policy.commit or "-")[:_SHORT],
        f"{evaluated[:10]} {evaluated[11:16]}",
        logged.person + _mark(found),
    )


def _mark(found: Found) -> str:
    judged = found.logged.self_judged
    return "?" if judged is None else "*" if judged else ""


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    gaps = 2 * (len(widths) - 1)
    spare = _WIDTH - gaps - sum(widths) + widths[_ABOUT]
    widths[_ABOUT] = min(widths[_ABOUT], max(spare, len(_HEADS[_ABOUT])))
    for row in rows:
        cells = (_fitted(cell, width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()


def _fitted(cell: str, width: int) -> str:
    return cell.ljust(width) if len(cell) <= width else cell[: width - 1] + "…"
