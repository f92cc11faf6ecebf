"""Whether an artefact may ship, as a page and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from agentpolicy.base.instant import format_instant
from agentpolicy.provenance.query import Found
from agentpolicy.report.words import counted, table

FORMAT_VERSION = 1


def release_check_text(
    agent: str, subject: str, reasons: Sequence[str], attempts: Sequence[Found], unanswered: int
) -> str:
    """Write the answer first, then why, then every attempt; it ends in a newline."""
    return "\n".join(_lines(agent, subject, reasons, attempts, unanswered)) + "\n"


def _lines(
    agent: str, subject: str, reasons: Sequence[str], attempts: Sequence[Found], unanswered: int
) -> Iterator[str]:
    yield f"{'REFUSED' if reasons else 'ADMITTED'}: {subject} for {agent}"
    for reason in reasons:
        yield f"  {reason}"
    if attempts:
        yield ""
        yield from table(("verdict", "decision", "evaluated (UTC)", "by"), _rows(attempts))
    if unanswered:
        yield f"judged {counted(unanswered, 'time')} with no answer in the log"


def _rows(attempts: Sequence[Found]) -> list[tuple[str, ...]]:
    return [
        (
            found.verdict.removeprefix("sha256:")[:8],
            str(found.statement.decision),
            format_instant(found.statement.evaluated_at),
            found.logged.person + ("" if found.logged.by_gate else ", who is not the gate"),
        )
        for found in attempts
    ]


def release_check_json(
    agent: str, subject: str, reasons: Sequence[str], attempts: Sequence[Found], unanswered: int
) -> dict[str, Any]:
    """Write the same for programs."""
    return {
        "format_version": FORMAT_VERSION,
        "admitted": not reasons,
        "agent": agent,
        "subject": subject,
        "reasons": list(reasons),
        "attempts": [
            {
                "verdict": found.verdict,
                "decision": str(found.statement.decision),
                "commit": found.statement.policy.commit,
                "evaluated_at": format_instant(found.statement.evaluated_at),
                "by": found.logged.person,
                "by_gate": found.logged.by_gate,
            }
            for found in attempts
        ],
        "unanswered": unanswered,
    }
