"""Who must sign a change of one document (DESIGN section 3, table)."""

from collections.abc import Iterator

from agentpolicy.admission.waivers import approver_of, governing, has_expired
from agentpolicy.base.instant import Instant
from agentpolicy.base.values import dataclass, replace
from agentpolicy.documents.document import Document, DocumentKind, Snapshot
from agentpolicy.documents.layout import ROLES_PATH, kind_of
from agentpolicy.order.change import (
    ChangeClass,
    ChangeReport,
    DocumentChange,
    Effect,
    Operation,
)
from agentpolicy.trust.approval import ApprovalRole
from agentpolicy.trust.authority import Authority

FREE = (ChangeClass.NEUTRAL, ChangeClass.TIGHTER)
"""The classes an owner may land alone, because they cannot let a regression through."""
RE_BASELINED = "baseline/re-baselined"
"""The rule of a baseline's `accepted`."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """How many of which people must sign one document's change, in which role."""

    document: str
    role: ApprovalRole
    roles: Authority
    """The roles whose keys count here: those before the change, or those after it."""
    people: frozenset[str]
    """Who may fill it."""
    count: int = 1
    """How many different people must."""
    second_person: bool = False
    """Whether a proposer of the change may not fill it."""
    never_by: frozenset[str] = frozenset()
    """People whose signature does not count here, such as a waiver's own owner."""


def requirements(
    state: Snapshot, report: ChangeReport, base: Authority, head: Authority, at: Instant
) -> Iterator[Requirement]:
    """List what every changed document needs, given the last admissible `state`.

    `base` are the roles in force before the change (at the very first policy: the pinned ones);
    `head` are those after it, which matter where the trust root itself changes, and for what is
    ratified because it stands on a key that they mark as compromised.
    """
    for change in report.documents:
        kind = kind_of(change.path)
        roles = head if change.operation is Operation.RATIFY else base
        if kind is None or kind is DocumentKind.ROLES:
            yield from _quorum(change.path, roles, head)
        elif kind is DocumentKind.WAIVER:
            yield from _waiver(state, change, roles, at)
        elif is_re_baselining(change):
            yield from _second_opinion(change, roles, ApprovalRole.REVIEWER)
        else:
            yield from _owned(change, roles)


def is_re_baselining(change: DocumentChange) -> bool:
    """Say whether a change does nothing but add accepted outputs to a baseline."""
    if change.change_class is ChangeClass.UNKNOWN:
        return False
    moving = [
        finding
        for finding in change.findings
        if finding.effect not in (Effect.NEUTRAL, Effect.RECORD)
    ]
    return bool(moving) and all(
        finding.rule == RE_BASELINED and finding.effect is Effect.LOOSER for finding in moving
    )


def _owned(change: DocumentChange, base: Authority) -> Iterator[Requirement]:
    """Ask the owner, and the platform owner too unless the change is proved harmless."""
    owners = base.owners_of(change.path.removeprefix("policies/").removesuffix(".yaml"))
    if not owners:
        yield from _second_opinion(change, base, ApprovalRole.PLATFORM_OWNER)
        return
    yield Requirement(change.path, ApprovalRole.AGENT_OWNER, base, owners)
    if change.operation is not Operation.MODIFY or change.change_class not in FREE:
        yield _approved_by(change, base, ApprovalRole.PLATFORM_OWNER)


def _second_opinion(
    change: DocumentChange,
    base: Authority,
    role: ApprovalRole,
    never_by: frozenset[str] = frozenset(),
) -> Iterator[Requirement]:
    """Let any listed person propose, and ask others in the role to approve."""
    yield Requirement(change.path, ApprovalRole.PROPOSER, base, base.people)
    yield _approved_by(change, base, role, never_by)


def _approved_by(
    change: DocumentChange,
    base: Authority,
    role: ApprovalRole,
    never_by: frozenset[str] = frozenset(),
) -> Requirement:
    """Ask as many people of a role as its threshold says, none of whom proposed the change."""
    return Requirement(
        change.path,
        role,
        base,
        base.people_in(str(role)),
        base.threshold(str(role)),
        second_person=True,
        never_by=never_by,
    )


def _quorum(path: str, base: Authority, head: Authority) -> Iterator[Requirement]:
    """Ask the platform owners of the old roles and of the new ones; alone nobody suffices."""
    yield Requirement(path, ApprovalRole.PROPOSER, base, base.people)
    sides = (base, head) if path == ROLES_PATH and head is not base else (base,)
    for authority in sides:
        people = authority.people_in("platform-owner")
        least = min(2, len(people)) if head.version > 1 else 1
        count = max(authority.threshold("platform-owner"), least)
        # Two different owners are a second person in themselves; a lone one is not.
        yield Requirement(
            path,
            ApprovalRole.PLATFORM_OWNER,
            authority,
            people,
            count,
            second_person=count == 1,
        )


def _waiver(
    state: Snapshot, change: DocumentChange, base: Authority, at: Instant
) -> Iterator[Requirement]:
    """Ask for a new waiver's approver, or for the owner who revokes one before its last day."""
    waiver = change.new or change.old
    assert waiver is not None
    if change.operation is not Operation.CLOSE:
        never_by = frozenset({str(waiver.tree["owner"])})
        yield from _second_opinion(change, base, approver_of(state, waiver), never_by)
        return
    owners = base.owners_of(_waived(state, waiver))
    if owners:
        asked = [Requirement(change.path, ApprovalRole.AGENT_OWNER, base, owners)]
    else:
        asked = list(_second_opinion(change, base, ApprovalRole.PLATFORM_OWNER))
    # Once expired nobody is needed, but whoever revoked it in its days still counts: what was
    # admitted then stays admitted.
    yield from (replace(one, count=0) for one in asked) if has_expired(waiver, at) else asked


def _waived(state: Snapshot, waiver: Document) -> str:
    """Name the document a waiver is for as `owners` does; empty where no budget is in force."""
    if "agent" in waiver.tree:
        return f"bands/{waiver.tree['agent']}"
    budget = governing(state, waiver)
    return budget.owned_as if budget else ""
