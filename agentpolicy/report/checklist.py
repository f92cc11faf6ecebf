"""What `doctor` found, as a checklist for people and as JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from agentpolicy.report.words import counted


class Standing(StrEnum):
    """How one thing stands, the best first."""

    WELL = "well"
    NOTE = "note"
    """Well enough, and worth knowing."""
    UNKNOWN = "unknown"
    UNPROTECTED = "unprotected"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    about: str
    """One word: hooks, pin, server, …"""
    standing: Standing
    what: str
    why: str = ""
    """What follows from it; empty where it is well."""
    hint: str = ""
    """The next command to type."""


_MARK = {
    Standing.WELL: "ok",
    Standing.NOTE: "note",
    Standing.UNKNOWN: "?",
    Standing.UNPROTECTED: "NO",
}
_ENDING = {
    Standing.WELL: "everything that can be seen from here is wired",
    Standing.NOTE: "everything that can be seen from here is wired",
    Standing.UNKNOWN: "nothing is seen to be open, but not everything can be seen from here",
    Standing.UNPROTECTED: "a change can get past what is marked NO",
}


def worst(findings: Sequence[Finding]) -> Standing:
    """Give the standing that decides the answer."""
    order = list(Standing)
    return max((finding.standing for finding in findings), key=order.index, default=Standing.WELL)


def checklist_text(findings: Sequence[Finding]) -> str:
    """Write one line a finding, with why it matters and what to type below what is not well."""
    width = max((len(finding.about) for finding in findings), default=0)
    lines = []
    for finding in findings:
        lines.append(f"{_MARK[finding.standing]:>4}  {finding.about:<{width}}  {finding.what}")
        below = " " * (width + 8)
        lines += [f"{below}why: {finding.why}"] if finding.why else []
        lines += [f"{below}next: {finding.hint}"] if finding.hint else []
    counts = [
        f"{sum(finding.standing is standing for finding in findings)} {standing}"
        for standing in Standing
    ]
    looked = counted(len(findings), "thing")
    lines.append(f"{looked} looked at: {', '.join(counts)}; {_ENDING[worst(findings)]}")
    return "\n".join(lines) + "\n"


def checklist_json(findings: Sequence[Finding]) -> dict[str, object]:
    """Write the findings in the published shape."""
    return {
        "format_version": 1,
        "standing": str(worst(findings)),
        "findings": [
            {
                "about": finding.about,
                "standing": str(finding.standing),
                "what": finding.what,
                "why": finding.why,
                "hint": finding.hint,
            }
            for finding in findings
        ],
    }
