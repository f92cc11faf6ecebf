"""Where one person signs one proposal: what they may sign, what lies there, what they write."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Self

from agentpolicy import RULE_SET
from agentpolicy.admission.approvals import ApprovalContext, Examined, examine
from agentpolicy.admission.commands import signing_command
from agentpolicy.admission.counting import PROPOSING, Need, count, fills
from agentpolicy.admission.requirements import Requirement
from agentpolicy.base.canonical import digest
from agentpolicy.base.errors import Problem
from agentpolicy.base.instant import Instant
from agentpolicy.documents.layout import APPROVALS, approval_path
from agentpolicy.gitio.index import add, index_files
from agentpolicy.gitio.raw import object_id
from agentpolicy.gitio.repository import Repository
from agentpolicy.order.change import DocumentChange
from agentpolicy.trust.approval import (
    APPROVAL_NAMESPACE,
    LAPSES_AFTER,
    ApprovalRole,
    ApprovalStatement,
    Covered,
)
from agentpolicy.trust.envelope import Signer, seal
from agentpolicy.workflows.proposal import Proposal, proposal_in_worktree


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

    repository: Repository
    proposal: Proposal
    signer: Signer
    at: Instant
    reason: str
    unlanded: tuple[Examined, ...]
    """The approvals that lie beside the proposal already."""

    @classmethod
    def at_work(cls, repository: Repository, signer: Signer, at: Instant, reason: str) -> Self:
        """Read the work tree and what was signed of it so far."""
        proposal = proposal_in_worktree(repository, at)
        changes = {change.path: change for change in proposal.report.documents}
        context = ApprovalContext(
            proposal.before, proposal.after, proposal.pin.policy_ref, changes, at
        )
        unlanded = examine(proposal.base, proposal.head, context)
        return cls(repository, proposal, signer, at, reason, unlanded)

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
        needs = count(self.proposal.requirements, self.unlanded)
        return tuple(need for need in needs if not need.met)

    def clear_stray(self) -> tuple[str, ...]:
        """Remove unlanded approvals that nothing here asks for: they would only block the change.

        They are those of an earlier draft, of another change, and those that are staged but gone.
        """
        asked = self.proposal.requirements
        stray = {
            approval.path
            for approval in self.unlanded
            if approval.void_because or not any(fills(approval, need) for need in asked)
        }
        staged = {file.path for file in index_files(self.repository, APPROVALS.rstrip("/"))}
        stray |= staged - self.proposal.base.approvals.keys() - self.proposal.head.approvals.keys()
        self._remove(sorted(stray))
        return tuple(sorted(stray))

    def write(self, role: ApprovalRole, documents: Collection[str]) -> Signed:
        """Sign one statement and stage it with its documents; the earlier one is replaced."""
        earlier = [
            approval
            for approval in self.unlanded
            if approval.statement is not None
            and (approval.statement.person, approval.statement.role) == (self.person, role)
            and approval.key == self.signer.public_key
            and not approval.documents.isdisjoint(documents)
        ]
        covered = sorted({*documents, *(path for old in earlier for path in old.documents)})
        payload = self._statement(role, covered).to_bytes()
        path = approval_path(digest(payload))
        self._remove([old.path for old in earlier])
        assert self.repository.top is not None
        file = self.repository.top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(seal(payload, self.signer, APPROVAL_NAMESPACE))
        add(self.repository, [*covered, path])
        return Signed(self.person, role, tuple(covered), path)

    def _statement(self, role: ApprovalRole, covered: Sequence[str]) -> ApprovalStatement:
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
            issued_at=self.at,
            expires_at=Instant(self.at + LAPSES_AFTER),
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

    def _remove(self, paths: Sequence[str]) -> None:
        assert self.repository.top is not None
        for path in paths:
            (self.repository.top / path).unlink(missing_ok=True)
        add(self.repository, paths)

    def _covered(self, change: DocumentChange) -> Covered:
        return Covered(
            path=change.path,
            operation=change.operation,
            old_sha256=change.old_sha256,
            new_sha256=change.new_sha256,
            new_blob=self._blob(change),
            old_version=change.old_version,
            new_version=change.new_version,
            change_class=str(change.change_class),
        )

    def _blob(self, change: DocumentChange) -> str | None:
        """Name the new bytes as git does; guarded files are not documents, so they lie on disk."""
        if change.new_sha256 is None:
            return None
        assert self.repository.top is not None
        data = change.new.data if change.new else (self.repository.top / change.path).read_bytes()
        return object_id("blob", data, self.repository.object_format)
