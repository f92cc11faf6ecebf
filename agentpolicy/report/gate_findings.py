"""What the findings of one field of a band have in common, for every report of the gate."""

from collections.abc import Sequence

from agentpolicy.gate.finding import Finding


def limits(found: Sequence[Finding]) -> str:
    """Write the limit of a field; where classes of fixtures differ, every one of them."""
    return " | ".join(dict.fromkeys(finding.limit for finding in found))


def grade(found: Sequence[Finding]) -> str:
    """Say whether a field decides, or only warns."""
    return "warn" if found[0].warned else "fail"
