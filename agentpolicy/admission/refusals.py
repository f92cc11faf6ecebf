"""The words of a refusal: what is missing, who can give it, and the command to type."""

from collections.abc import Iterator, Mapping, Sequence

from agentpolicy.admission.approvals import Examined
from agentpolicy.admission.as_written import sides
from agentpolicy.admission.commands import INIT, sign_command, signing_command
from agentpolicy.admission.counting import Need
from agentpolicy.admission.guarded import never_guarded
from agentpolicy.admission.rotation import taken_back, unpinned
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.documents.document import DocumentKind, Snapshot
from agentpolicy.documents.layout import ROLES_PATH, kind_of
from agentpolicy.order.change import (
    ChangeClass,
    ChangeReport,
    DocumentChange,
    Finding,
    Operation,
)
from agentpolicy.trust.authority import authority_of
from agentpolicy.trust.pin import Pin

_HEAVY = frozenset({"looser", "incomparable", "unknown", "root"})
"""The effects that make a change more than tighter or neutral."""


def untrusted_root(base: Snapshot, head: Snapshot, pin: Pin) -> tuple[Problem, ...]:
    """Report a missing trust root, one the pin does not name, or one that contradicts itself."""
    if head.roles is None:
        restore = f"git checkout HEAD -- {ROLES_PATH}" if base.roles else INIT
        return (Problem("roles-missing", "there is no trust root", restore, ROLES_PATH),)
    if base.roles is None and base.digests:
        lost = "the last admitted state has no trust root, so nothing after it can be trusted"
        return (
            Problem("roles-missing", lost, f"git log --first-parent -- {ROLES_PATH}", ROLES_PATH),
        )
    if base.roles is None and head.roles.sha256 != pin.roles_sha256:
        return (
            Problem(
                "pin-mismatch",
                f"the first trust root is {head.roles.sha256}, and the pin names "
                f"{pin.roles_sha256}: it was edited after `agentpolicy init`, or the pin is of "
                "another repository",
                f"undo the edit, or begin again: rm {ROLES_PATH} && {INIT}",
                ROLES_PATH,
            ),
        )
    try:
        after = authority_of(head.roles)
    except InputError as error:
        return error.problems
    if base.roles is None and after.policy_ref != pin.policy_ref:
        words = f"the first protected ref is {after.policy_ref}, the pin names {pin.policy_ref}"
        return (
            Problem("pin-ref", words, f"put {pin.policy_ref} first in `protected:`", ROLES_PATH),
        )
    problems = tuple(never_guarded(head.roles))
    if base.roles is not None:
        problems += (*unpinned(base.roles, head.roles, pin), *taken_back(base.roles, head.roles))
    return problems


def missing(
    needs: Sequence[Need], examined: Sequence[Examined], report: ChangeReport
) -> Iterator[Problem]:
    """Report each signature that is still needed, and why one that is there does not count."""
    changes = {change.path: change for change in report.documents}
    unmet = [need for need in needs if not need.met]
    only = next(iter(changes), "") if len(changes) == 1 else ""
    for need in unmet:
        hint = signing_command(need.requirement.role, only)
        yield _missing(need, examined, changes[need.requirement.document], hint)


def unused(approval: Examined, report: ChangeReport) -> Problem:
    """Report an approval that comes along without being used; signing again clears it away."""
    why = approval.void_because or "nothing in this change asks for it"
    return Problem(
        "approval-unused",
        f"an approval that is not used may not enter: {why}",
        sign_command(report.documents[0].path if len(report.documents) == 1 else ""),
        approval.path,
    )


def _missing(
    need: Need, examined: Sequence[Examined], change: DocumentChange, hint: str
) -> Problem:
    requirement = need.requirement
    role, path = str(requirement.role), requirement.document
    words = f"{_what(change)} needs the signature of {role} ({who_may(need)})"
    void = sorted(_void_reasons(need, examined))
    if void:
        words += "; " + "; ".join(void)
    position = next((found.location for found in _decisive(change)), None)
    return Problem("approval-missing", words, hint, path, position)


def _void_reasons(need: Need, examined: Sequence[Examined]) -> Iterator[str]:
    for approval in examined:
        statement = approval.statement
        if statement is None or statement.role != need.requirement.role:
            continue
        if need.requirement.document not in {covered.path for covered in statement.covered}:
            continue
        person = statement.person
        why = approval.void_because or ("" if person in need.signed_by else _why_not(need, person))
        if why:
            yield f"the one by {person} does not count: {why}"


def _why_not(need: Need, person: str) -> str:
    requirement = need.requirement
    if person in requirement.never_by:
        return f"{person} owns the waiver"
    if person not in requirement.people:
        return f"{person} is not {requirement.role}"
    return f"{person} proposed the change" if requirement.second_person else "another key is needed"


def _decisive(change: DocumentChange) -> tuple[Finding, ...]:
    """Give the findings for which an owner alone is not enough, or else all of them."""
    heavy = tuple(found for found in change.findings if str(found.effect) in _HEAVY)
    return heavy or change.findings


def who_may(need: Need) -> str:
    """Name the people whose signatures would still fill a need."""
    requirement = need.requirement
    people = sorted(requirement.people - requirement.never_by - need.signed_by - need.barred)
    still = requirement.count - len(need.signed_by)
    if len(people) < still:
        return f"{still} needed, and there {'is only ' + people[0] if people else 'is nobody'}"
    if len(people) == 1:
        return people[0]
    if 1 < still < len(people):
        return f"{still} of {', '.join(people)}"
    return f"{', '.join(people[:-1])} {'or' if still == 1 else 'and'} {people[-1]}"


def _what(change: DocumentChange) -> str:
    """Name the change in a few words, with the finding that makes it what it is."""
    decisive = _decisive(change)
    leaves = [found for found in decisive if found.pointer]
    if not leaves:
        return _whole(change)
    old, new = sides(leaves[0], change)
    more = f" and {len(leaves) - 1} more" if len(leaves) > 1 else ""
    return f"{_CLASSED[change.change_class]} ({leaves[0].pointer}: {old} -> {new}{more})"


def _whole(change: DocumentChange) -> str:
    """Name a change that is about no single leaf."""
    kind = kind_of(change.path)
    if change.operation is Operation.RATIFY:
        return "what stands on a compromised key"
    if kind is None:
        return "a change of a file that the trust root guards"
    if kind is DocumentKind.WAIVER:
        return _WAIVER[change.operation]
    if change.operation is Operation.MODIFY:
        root = kind is DocumentKind.ROLES
        return "a rewritten trust root" if root else "a change of wording that changes no rule"
    if change.operation is Operation.ADD:
        return "the first trust root" if kind is DocumentKind.ROLES else "a first document"
    return "a deleted document"


_CLASSED: Mapping[ChangeClass, str] = {
    ChangeClass.NEUTRAL: "a neutral change",
    ChangeClass.TIGHTER: "a tighter rule",
    ChangeClass.LOOSER: "a looser rule",
    ChangeClass.INCOMPARABLE: "a change that is not only tighter",
    ChangeClass.UNKNOWN: "a change that nobody can class",
}
_WAIVER: Mapping[Operation, str] = {
    Operation.ADD: "a new waiver",
    Operation.MODIFY: "an edited waiver",
    Operation.DELETE: "a deleted waiver",
    Operation.CLOSE: "a waiver that is closed before its last day is over",
}
