"""Which fields of a band only warn: their crossings show and route, but decide nothing."""

from collections.abc import Iterable
from dataclasses import replace

from agentpolicy.documents.models.band import Grades
from agentpolicy.gate.finding import Finding


def graded(grades: Grades | None, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Mark the findings of fields graded `warn`; a field without a grade fails."""
    fields = () if grades is None else Grades.model_fields
    warned = {field for field in fields if getattr(grades, field) == "warn"}
    return tuple(
        replace(finding, warned=True) if finding.dimension in warned else finding
        for finding in findings
    )
