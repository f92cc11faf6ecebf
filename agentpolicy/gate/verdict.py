"""How findings become one decision and one route. Neither ever changes the other's meaning."""

from collections.abc import Sequence
from enum import StrEnum

from agentpolicy.gate.decision import Decision, worst
from agentpolicy.gate.finding import Finding


class Route(StrEnum):
    """Who looks at an accepted or failed change."""

    NO_OP = "no_op"
    FAST_REVIEW = "fast_review"
    FULL_GATE = "full_gate"


def decide(findings: Sequence[Finding], missing_fixtures: Sequence[str]) -> Decision:
    """Combine by minimum. A fixture that was left out is inconclusive; a failure still wins."""
    left_out = [Decision.INCONCLUSIVE] if missing_fixtures else []
    return worst([finding.result for finding in findings] + left_out)


def route(decision: Decision, findings: Sequence[Finding]) -> Route | None:
    """Send any crossing, waived ones too, to a review; only a clean pass is a no-op.

    How critical a fixture is stands in the baseline document; without one, no crossing is known
    to need the full gate. What is inconclusive has no route.
    """
    if decision is Decision.INCONCLUSIVE:
        return None
    if any(finding.crosses for finding in findings):
        return Route.FAST_REVIEW
    return Route.NO_OP
