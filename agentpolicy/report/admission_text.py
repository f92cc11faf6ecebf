"""The answer of `check` for people: the decision first, then what is missing and how to give it."""

from agentpolicy.admission.decide import Admission
from agentpolicy.report.problems_text import problems_text
from agentpolicy.report.words import counted


def admission_text(admission: Admission) -> str:
    """Write an admission as lines; a refusal lists every problem with the command to type."""
    report = admission.report
    changed = len(report.documents)
    head = "admitted" if admission.admitted else "refused"
    what = f"{report.change_class} change of {counted(changed, 'document')}"
    lines = [f"{head}: {what if changed else 'no change'}, {report.compared} compared"]
    for need in admission.needs:
        state = "signed by " + ", ".join(sorted(need.signed_by)) if need.signed_by else "missing"
        mark = "ok" if need.met else "--"
        lines.append(f"  {mark} {need.requirement.document}: {need.requirement.role} {state}")
    lines += [problems_text(admission.problems)] if admission.problems else []
    return "\n".join(lines) + "\n"
