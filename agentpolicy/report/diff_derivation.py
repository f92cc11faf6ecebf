"""How the class of a change follows from its findings, in words that can be checked by counting."""

from collections.abc import Iterator, Sequence

from agentpolicy.order.change import ChangeClass, ChangeReport, DocumentChange, Effect, Finding

_MOVING = (
    (Effect.LOOSER, "loosens", "loosen"),
    (Effect.TIGHTER, "tightens", "tighten"),
    (Effect.INCOMPARABLE, "has no order", "have no order"),
    (Effect.ROOT, "is of the trust root", "are of the trust root"),
    (Effect.UNKNOWN, "cannot be classed", "cannot be classed"),
)
_FOLLOWS = {
    ChangeClass.NEUTRAL: "nothing is accepted or refused that was not before",
    ChangeClass.TIGHTER: "nothing is accepted that was not before",
    ChangeClass.LOOSER: "something can be accepted that was not, so others must agree",
    ChangeClass.INCOMPARABLE: (
        "something can be accepted that was not, and no tightening beside it takes that back, "
        "so others must agree"
    ),
    ChangeClass.UNKNOWN: "what nobody can class is taken for a loosening",
}


def derivation(report: ChangeReport) -> Iterator[str]:
    """Say why the whole change has its class, and, where there are several, each document."""
    if not report.documents:
        return
    yield _sentence(report.change_class, report.findings)
    if len(report.documents) > 1:
        for change in report.documents:
            yield f"{change.path}: {_of_document(change)}"


def _of_document(change: DocumentChange) -> str:
    return f"{change.change_class}, since {_counted(change.findings)}"


def _sentence(change_class: ChangeClass, findings: Sequence[Finding]) -> str:
    return f"{change_class}, since {_counted(findings)}: {_FOLLOWS[change_class]}"


def _counted(findings: Sequence[Finding]) -> str:
    """Count the findings that move a class, by the way they move it."""
    parts = []
    for effect, one, several in _MOVING:
        count = sum(found.effect is effect for found in findings)
        if count:
            parts.append(f"{count} finding {one}" if count == 1 else f"{count} findings {several}")
    if not parts:
        return "no finding moves a rule"
    effects = {found.effect for found in findings}
    if effects in ({Effect.LOOSER}, {Effect.TIGHTER}):
        parts.append("none goes the other way")
    elif effects & {Effect.NEUTRAL, Effect.RECORD}:
        parts.append("the others move no rule")
    return " and ".join(parts)
