"""Where one person signs one proposal: what they may sign, what lies there, what they add.

A desk is a value: signing and clearing away give another one, and nothing is written before the
approvals on the last one are kept somewhere.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import count as count_up
from typing import Self

from agentpolicy import RULE_SET
from agentpolicy.admission.approvals import ApprovalContext, Examined, examine
from agentpolicy.admission.commands import signing_command
from agentpolicy.admission.counting import PROPOSING, Need, count, fills
from agentpolicy.admission.requirements import Requirement
from agentpolicy.base.canonical import digest
from agentpolicy.base.errors import Problem
from agentpolicy.base.instant import Instant
from agentpolicy.documents.layout import approval_path
from agentpolicy.order.change import DocumentChange
from agentpolicy.trust.approval import (
    APPROVAL_NAMESPACE,
    LAPSES_AFTER,
    ApprovalRole,
    ApprovalStatement,
    Covered,
)
from agentpolicy.trust.envelope import Signer, seal
from agentpolicy.workflows.proposal import Proposal


@dataclass(frozen=True, slots=True)
class Signed:
    """What a person signed, in which role."""

    person: str
    role: ApprovalRole
    documents: tuple[str, ...]
    path: str


@dataclass(frozen=True, slots=True)
class Desk:
    """Where one person signs one proposal."""

    proposal: Proposal
    signer: Signer
    at: Instant
    reason: str
    unlanded: tuple[Examined, ...]
    """The approvals that lie beside the proposal already."""

    @classmethod
    def at_work(cls, proposal: Proposal, signer: Signer, at: Instant, reason: str) -> Self:
        """Look at what was signed of a proposal so far."""
        return cls(proposal, signer, at, reason, lying_beside(proposal, at))

    @property
    def person(self) -> str:
        """The signer's name in the trust root; empty for a stranger."""
        key = self.signer.public_key
        return self.proposal.before.person_of(key) or self.proposal.after.person_of(key) or ""

    def may_fill(self, need: Requirement) -> bool:
        """Say whether the person's signature would count for a requirement."""
        listed = self.person in need.people - need.never_by
        if need.roles.person_of(self.signer.public_key) != self.person:
            return False
        return listed and not (need.second_person and need.document in self._proposed())

    def has_filled(self, need: Requirement) -> bool:
        """Say whether what the person signed before counts for a requirement."""
        return any(
            fills(approval, need)
            for approval in self.unlanded
            if approval.statement is not None and approval.statement.person == self.person
        )

    def why_not(self, asked: Sequence[Requirement]) -> Problem:
        """Say why the person cannot sign any of what the role is asked for."""
        role, people = asked[0].role, sorted(asked[0].people - asked[0].never_by)
        if self.person in people:
            why = f"{self.person} proposed the change, so somebody else must approve it"
        else:
            why = f"{self.person} is not {role}; it is {', '.join(people) or 'nobody'}"
        return Problem("not-entitled", why, signing_command(role), asked[0].document)

    def missing(self) -> tuple[Need, ...]:
        """Give the requirements that what lies beside the proposal does not fill."""
        return unmet(self.proposal, self.unlanded)

    def strays(self) -> tuple[Examined, ...]:
        """Give the unlanded approvals that nothing here asks for: they would only block the change.

        They are those of an earlier draft, or of another change.
        """
        return strays(self.proposal, self.unlanded)

    def without(self, paths: Collection[str]) -> Self:
        """Take approvals away."""
        held = self.proposal.head.approvals
        return self.holding({path: data for path, data in held.items() if path not in paths})

    def signed(self, role: ApprovalRole, documents: Collection[str]) -> tuple[Self, Signed]:
        """Add one statement about the documents, which then land together or not at all."""
        covered = sorted(documents)
        held = self.proposal.head.approvals
        payload, path = self._unlike(held, role, covered)
        added = self.holding({**held, path: seal(payload, self.signer, APPROVAL_NAMESPACE)})
        return added, Signed(self.person, role, tuple(covered), path)

    def holding(self, approvals: Mapping[str, bytes]) -> Self:
        """Put other approvals beside the proposal."""
        proposal = self.proposal.with_approvals(approvals)
        return type(self).at_work(proposal, self.signer, self.at, self.reason)

    def _unlike(
        self, held: Collection[str], role: ApprovalRole, covered: Sequence[str]
    ) -> tuple[bytes, str]:
        """Give a statement that nobody made yet, and its path: it is named by what it says.

        A second key of one person may say the same within one second; it is dated after the first.
        """
        for issued in count_up(self.at):
            payload = self._statement(role, covered, Instant(issued)).to_bytes()
            path = approval_path(digest(payload))
            if path not in held:
                return payload, path
        raise AssertionError("counting does not end")

    def _statement(
        self, role: ApprovalRole, covered: Sequence[str], issued: Instant
    ) -> ApprovalStatement:
        roles = self.proposal.before
        changes = {change.path: change for change in self.proposal.report.documents}
        return ApprovalStatement(
            repository=roles.repository,
            url=roles.url,
            policy_ref=self.proposal.pin.policy_ref,
            covered=tuple(self._covered(changes[path]) for path in covered),
            rule_set=RULE_SET,
            person=self.person,
            role=role,
            reason=self.reason,
            issued_at=issued,
            expires_at=Instant(issued + LAPSES_AFTER),
        )

    def _proposed(self) -> frozenset[str]:
        return frozenset(
            path
            for approval in self.unlanded
            if approval.statement is not None
            and approval.statement.person == self.person
            and approval.statement.role in PROPOSING
            for path in approval.documents
        )

    def _covered(self, change: DocumentChange) -> Covered:
        return Covered(
            path=change.path,
            operation=change.operation,
            old_sha256=change.old_sha256,
            new_sha256=change.new_sha256,
            new_blob=self.proposal.blob_of(change),
            old_version=change.old_version,
            new_version=change.new_version,
            change_class=str(change.change_class),
        )


def lying_beside(proposal: Proposal, at: Instant) -> tuple[Examined, ...]:
    """Examine the approvals that a proposal brings along, as if it entered at an instant."""
    changes = {change.path: change for change in proposal.report.documents}
    context = ApprovalContext(proposal.before, proposal.after, proposal.pin.policy_ref, changes, at)
    return examine(proposal.base, proposal.head, context)


def unmet(proposal: Proposal, unlanded: Sequence[Examined]) -> tuple[Need, ...]:
    """Give the requirements of a proposal that these approvals do not fill."""
    return tuple(need for need in count(proposal.requirements, unlanded) if not need.met)


def strays(proposal: Proposal, unlanded: Sequence[Examined]) -> tuple[Examined, ...]:
    """Give those of the approvals that may not enter with a proposal."""
    return tuple(one for one in unlanded if not asked_for(one, proposal))


def asked_for(approval: Examined, proposal: Proposal) -> bool:
    """Say whether an approval may enter with a proposal: it fills a need, or takes one back."""
    return approval.withdraws or any(fills(approval, need) for need in proposal.requirements)
