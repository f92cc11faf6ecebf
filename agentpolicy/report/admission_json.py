"""The answer of `check` as JSON that other programs may rely on (DESIGN section 11)."""

from collections.abc import Iterable

from agentpolicy.admission.decide import Admission
from agentpolicy.base.errors import Problem


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


def problems_json(problems: Iterable[Problem]) -> list[dict[str, object]]:
    """Write problems in the published shape, with their place where one is known."""
    return [
        {
            "code": problem.code,
            "document": problem.document,
            "message": problem.message,
            "hint": problem.hint,
            "location": None
            if problem.position is None
            else {
                "path": problem.position.path,
                "line": problem.position.line,
                "column": problem.position.column,
            },
        }
        for problem in problems
    ]
