"""Which of the approvals a step brings along count, for what, and why the others do not.

An approval is for one exact change: it names both sides of every document it covers, and all of
them must land together. What it says of class, person and role is checked, never believed.
"""

from collections.abc import Collection, Iterator, Mapping

from agentpolicy import RULE_SET
from agentpolicy.base.canonical import digest
from agentpolicy.base.instant import Instant, format_instant
from agentpolicy.base.values import dataclass, replace
from agentpolicy.documents.document import Snapshot
from agentpolicy.documents.layout import ROLES_PATH, approval_path, withdrawal_path
from agentpolicy.documents.stored_approvals import differing
from agentpolicy.order.change import ChangeClass, DocumentChange
from agentpolicy.trust.approval import (
    APPROVAL_NAMESPACE,
    ApprovalStatement,
    Covered,
    Operation,
    parse_statement,
)
from agentpolicy.trust.authority import Authority
from agentpolicy.trust.envelope import open_envelope, parse_envelope
from agentpolicy.trust.keys import PublicKey

_UPPER_BOUND: Mapping[ChangeClass, frozenset[ChangeClass]] = {
    ChangeClass.NEUTRAL: frozenset({ChangeClass.NEUTRAL}),
    ChangeClass.TIGHTER: frozenset({ChangeClass.NEUTRAL, ChangeClass.TIGHTER}),
    ChangeClass.LOOSER: frozenset({ChangeClass.NEUTRAL, ChangeClass.TIGHTER, ChangeClass.LOOSER}),
    ChangeClass.INCOMPARABLE: frozenset(ChangeClass) - {ChangeClass.UNKNOWN},
    ChangeClass.UNKNOWN: frozenset(ChangeClass),
}
"""For the class a signer saw: the derived classes that are no worse."""

CLOCKS_DIFFER = 300
"""Seconds by which the clocks of signer and verifier may differ."""


@dataclass(frozen=True, slots=True)
class Examined:
    """One approval brought along by a step, after every check."""

    path: str
    statement: ApprovalStatement | None
    key: PublicKey | None
    void_because: str = ""
    """One clause saying why it does not count; empty when it does."""
    sha256: str = ""
    """Digest of the statement, which its name follows from; empty where there is none."""

    @property
    def documents(self) -> frozenset[str]:
        """The documents it counts for; none when it is void."""
        if self.void_because or self.statement is None:
            return frozenset()
        return frozenset(covered.path for covered in self.statement.covered)

    @property
    def withdraws(self) -> bool:
        """Say whether it takes an approval back, and does so with effect."""
        found = self.statement
        return not self.void_because and found is not None and found.withdrawn is not None


@dataclass(frozen=True, slots=True)
class ApprovalContext:
    """What an approval is held against."""

    base: Authority
    head: Authority
    policy_ref: str
    changes: Mapping[str, DocumentChange]
    at: Instant | None
    """The instant lapses are judged at; None for history, where they are not."""
    landed: Collection[str] = ()
    """The paths of the approvals, and of withdrawals, that stand on the base side."""
    brought: Collection[str] = ()
    """Those that stand on the head side."""


def examine(base: Snapshot, head: Snapshot, context: ApprovalContext) -> tuple[Examined, ...]:
    """Check every approval that `head` has and `base` has not, in the order of their paths."""
    added, _ = differing(base.approvals, head.approvals)
    context = replace(context, landed=base.approvals, brought=head.approvals)
    return tuple(_examine(path, head.approvals[path], context) for path in added)


def highest_version(base: Snapshot, path: str) -> int:
    """Find the highest version that any landed approval names for a path; 0 when none does.

    Signatures are not checked again: what stands in the last admissible state was checked. What
    cannot be read stood there when trust began, and counts for nothing.
    """
    highest = 0
    for data in base.approvals.values():
        try:
            statement = parse_statement(parse_envelope(data).payload)
        except ValueError:
            continue
        for covered in statement.covered:
            if covered.path == path:
                highest = max(highest, covered.new_version, covered.old_version)
    return highest


def opened(path: str, data: bytes) -> Examined:
    """Verify one approval by itself: its spelling, its signature and its name."""
    try:
        envelope = parse_envelope(data)
        statement = parse_statement(envelope.payload)
        key = open_envelope(envelope, APPROVAL_NAMESPACE)
    except ValueError as error:
        return Examined(path, None, None, f"it cannot be verified: {error}")
    sha256 = digest(envelope.payload)
    named = approval_path(sha256)
    if statement.withdrawn is not None:
        named = withdrawal_path(statement.person, statement.withdrawn)
    misnamed = (
        "" if path == named else "its file name is not the one that follows from what it says"
    )
    return Examined(path, statement, key, misnamed, sha256)


def _examine(path: str, data: bytes, context: ApprovalContext) -> Examined:
    found = opened(path, data)
    if found.void_because or found.statement is None or found.key is None:
        return found
    withdrawal = withdrawal_path(found.statement.person, found.sha256)
    if withdrawal in context.landed or withdrawal in context.brought:
        return replace(found, void_because=f"{found.statement.person} withdrew it")
    objection = next(_objections(found.statement, found.key, context), "")
    return replace(found, void_because=objection) if objection else found


def _objections(
    statement: ApprovalStatement, key: PublicKey, context: ApprovalContext
) -> Iterator[str]:
    """Give the reasons why a well-signed statement does not count here, weightiest first."""
    if not _may_sign(statement, key, context):
        yield f"its key is not a live key of {statement.person}"
    if statement.repository != context.base.repository:
        yield "it was given in another repository"
    if statement.url != context.base.url:
        yield f"it was given for {statement.url or 'no url'}"
    if statement.policy_ref != context.policy_ref:
        yield f"it was given for {statement.policy_ref}"
    if statement.rule_set != RULE_SET:
        yield f"it was given under rule set {statement.rule_set}"
    if context.at is not None and context.at >= statement.expires_at:
        yield f"it lapsed at {format_instant(statement.expires_at)}"
    if context.at is not None and statement.issued_at > context.at + CLOCKS_DIFFER:
        yield f"it is dated {format_instant(statement.issued_at)}, which has not come yet"
    if statement.withdrawn is not None:
        yield from _not_withdrawable(statement, statement.withdrawn, context)
        return
    for covered in statement.covered:
        yield from _mismatch(covered, context.changes.get(covered.path))


def _not_withdrawable(
    statement: ApprovalStatement, withdrawn: str, context: ApprovalContext
) -> Iterator[str]:
    path = approval_path(withdrawn)
    if statement.covered[0].path != path:
        yield "it names another file than the approval it takes back"
    if path in context.landed:
        yield "the approval it takes back has landed"


def _may_sign(statement: ApprovalStatement, key: PublicKey, context: ApprovalContext) -> bool:
    """Keys come from the base side; those of the new side sign only what brings nothing in.

    That is the trust root itself, and what is ratified as it stands. Otherwise whoever adds a key
    in a change could use it to approve the rest of that change. One that the new side marks as
    compromised signs nothing but that new side.
    """
    before = context.base.person_of(key) == statement.person
    only_root = all(covered.path == ROLES_PATH for covered in statement.covered)
    if only_root or key in context.head.compromised:
        return only_root and (before or context.head.person_of(key) == statement.person)
    brings_nothing = all(
        covered.path == ROLES_PATH or covered.operation == Operation.RATIFY
        for covered in statement.covered
    )
    return before or (brings_nothing and context.head.person_of(key) == statement.person)


def _mismatch(covered: Covered, change: DocumentChange | None) -> Iterator[str]:
    if change is None:
        yield f"it also covers {covered.path}, which does not change here"
        return
    sides = (covered.operation, covered.old_sha256, covered.new_sha256)
    if sides != (str(change.operation), change.old_sha256, change.new_sha256):
        yield f"it is for another change of {covered.path}"
    if (covered.old_version, covered.new_version) != (change.old_version, change.new_version):
        yield f"it is for version {covered.new_version} of {covered.path}"
    if change.change_class not in _UPPER_BOUND[ChangeClass(covered.change_class)]:
        yield f"its signer was shown a {covered.change_class} change of {covered.path}"
