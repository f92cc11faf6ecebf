"""The words of a refusal: what is missing, who can give it, and the command to type."""

from collections.abc import Iterator, Sequence

from agentpolicy.admission.approvals import Examined
from agentpolicy.admission.counting import PROPOSING, Need
from agentpolicy.admission.guarded import never_guarded
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.documents.document import Snapshot
from agentpolicy.documents.layout import ROLES_PATH
from agentpolicy.order.change import ChangeReport, DocumentChange, Finding
from agentpolicy.trust.approval import ApprovalRole
from agentpolicy.trust.authority import authority_of
from agentpolicy.trust.pin import Pin

_HEAVY = frozenset({"looser", "incomparable", "unknown", "root"})
"""The effects that make a change more than tighter or neutral."""


def untrusted_root(base: Snapshot, head: Snapshot, pin: Pin) -> tuple[Problem, ...]:
    """Report a missing trust root, one the pin does not name, or one that contradicts itself."""
    if head.roles is None:
        restore = f"git checkout HEAD -- {ROLES_PATH}" if base.roles else "agentpolicy init"
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
                f"the first trust root is {head.roles.sha256}, the pin names {pin.roles_sha256}",
                "git config agentpolicy.root shows the pin; it is set by who runs the repository",
                ROLES_PATH,
            ),
        )
    try:
        after = authority_of(head.roles)
    except InputError as error:
        return error.problems
    if base.roles is None and after.policy_ref != pin.policy_ref:
        words = f"the first protected ref is {after.policy_ref}, the pin names {pin.policy_ref}"
        return (Problem("pin-ref", words, f"put {pin.policy_ref} first", ROLES_PATH),)
    return tuple(never_guarded(head.roles))


def missing(
    needs: Sequence[Need], examined: Sequence[Examined], report: ChangeReport
) -> Iterator[Problem]:
    """Report each signature that is still needed, and why one that is there does not count."""
    changes = {change.path: change for change in report.documents}
    unmet = [need for need in needs if not need.met]
    for need in unmet:
        role, path = need.requirement.role, need.requirement.document
        alone = all(other.requirement.document == path for other in unmet)
        hint = _next_command(role, path if alone else "")
        yield _missing(need, examined, changes[path], hint)


def unused(approval: Examined) -> Problem:
    """Report an approval that comes along without being used."""
    why = approval.void_because or "nothing in this change asks for it"
    return Problem(
        "approval-unused",
        f"an approval that is not used may not enter: {why}",
        f"git rm --cached -f {approval.path} && rm -f {approval.path}",
        approval.path,
    )


def _missing(
    need: Need, examined: Sequence[Examined], change: DocumentChange, hint: str
) -> Problem:
    requirement = need.requirement
    role, path = str(requirement.role), requirement.document
    people = sorted(requirement.people - requirement.never_by - need.signed_by)
    still = requirement.count - len(need.signed_by)
    who = f"{still} of {', '.join(people)}" if people else "nobody holds that role"
    words = f"{_what(change)} needs the signature of {role} ({who})"
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


def _what(change: DocumentChange) -> str:
    """Name the change in a few words, with the finding that makes it what it is."""
    decisive = _decisive(change)
    if not decisive:
        return f"a {change.change_class} change"
    first = decisive[0]
    moved = f": {first.old or 'absent'} -> {first.new or 'absent'}" if first.pointer else ""
    more = f" and {len(decisive) - 1} more" if len(decisive) > 1 else ""
    return f"{change.change_class} ({first.pointer or first.rule}{moved}{more}): this"


def _next_command(role: ApprovalRole, path: str) -> str:
    named = f" {path}" if path else ""
    if role in PROPOSING:
        return f"agentpolicy sign{named} --key KEY"
    return f'agentpolicy approve{named} --role {role} --key KEY --reason "…"'
