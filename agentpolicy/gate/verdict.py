"""How findings become one decision. The route never changes it, nor it the route's score."""

from collections.abc import Sequence
from enum import StrEnum

from agentpolicy.gate.decision import Decision, worst
from agentpolicy.gate.finding import Finding


class Route(StrEnum):
    """Who looks at an accepted or failed change (`gate.routing` chooses)."""

    NO_OP = "no_op"
    FAST_REVIEW = "fast_review"
    FULL_GATE = "full_gate"


def decide(findings: Sequence[Finding], missing_fixtures: Sequence[str]) -> Decision:
    """Combine by minimum what decides; a fixture that was left out is inconclusive.

    What only warns is left aside. A proved failure beats whatever is not known, and nothing to
    judge at all decides nothing.
    """
    if not findings:
        return Decision.INCONCLUSIVE
    left_out = [Decision.INCONCLUSIVE] if missing_fixtures else []
    deciding = [finding.result for finding in findings if not finding.warned]
    return worst([*deciding, *left_out, Decision.PASS])
