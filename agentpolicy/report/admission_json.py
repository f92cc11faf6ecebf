"""The answer of `check` as JSON that other programs may rely on (DESIGN section 11)."""

from agentpolicy.admission.decide import Admission
from agentpolicy.report.problems_json import problems_json


def admission_json(admission: Admission) -> dict[str, object]:
    """Write an admission in the published shape."""
    return {
        "format_version": 1,
        "admitted": admission.admitted,
        "class": str(admission.report.change_class),
        "approvals_needed": sorted(
            {str(need.requirement.role) for need in admission.needs if need.requirement.count}
        ),
        "approvals_present": [
            {
                "role": str(approval.statement.role),
                "person": approval.statement.person,
                "key": approval.key.fingerprint,
                "documents": sorted(approval.documents),
            }
            for approval in admission.examined
            if approval.statement is not None and approval.key is not None and approval.documents
        ],
        "problems": problems_json(admission.problems),
    }
