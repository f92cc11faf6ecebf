"""Whose signatures fill which requirement. People count, not keys and not files."""

from collections.abc import Iterable, Sequence

from agentpolicy.admission.approvals import Examined
from agentpolicy.admission.requirements import Requirement
from agentpolicy.base.values import dataclass
from agentpolicy.trust.approval import ApprovalRole

PROPOSING = (ApprovalRole.AGENT_OWNER, ApprovalRole.PROPOSER)
"""The roles in which one puts a change forward, and so is no second person for it."""


@dataclass(frozen=True, slots=True)
class Need:
    """A requirement beside those who have filled it."""

    requirement: Requirement
    signed_by: frozenset[str]
    barred: frozenset[str] = frozenset()
    """Those who proposed the change, where a second person must fill it."""

    @property
    def met(self) -> bool:
        """Say whether enough different people have signed."""
        return len(self.signed_by) >= self.requirement.count


def count(requirements: Iterable[Requirement], examined: Sequence[Examined]) -> tuple[Need, ...]:
    """Put beside each requirement the different people who fill it."""
    return tuple(_need(requirement, examined) for requirement in requirements)


def _need(requirement: Requirement, examined: Sequence[Examined]) -> Need:
    barred = _proposers(requirement.document, examined) if requirement.second_person else set()
    signed = {
        approval.statement.person
        for approval in examined
        if approval.statement is not None and fills(approval, requirement)
    }
    return Need(requirement, frozenset(signed - barred), frozenset(barred))


def _proposers(document: str, examined: Sequence[Examined]) -> set[str]:
    return {
        approval.statement.person
        for approval in examined
        if approval.statement is not None
        and approval.statement.role in PROPOSING
        and document in approval.documents
    }


def fills(approval: Examined, requirement: Requirement) -> bool:
    """Say whether an approval is of the right kind, by the right person, for a requirement."""
    statement, key = approval.statement, approval.key
    return (
        statement is not None
        and key is not None
        and statement.role == requirement.role
        and requirement.document in approval.documents
        and statement.person in requirement.people - requirement.never_by
        and requirement.roles.person_of(key) == statement.person
    )
