"""What a compromised key leaves behind: the documents that stand on it are approved anew.

Whoever had the key may have put any of them there, so the change that marks it says yes to each
as though it were new, with keys that the new trust root still counts.
"""

from collections.abc import Collection, Iterator

from agentpolicy.base.values import replace
from agentpolicy.documents.document import Snapshot
from agentpolicy.documents.layout import ROLES_PATH, is_closed
from agentpolicy.order.change import ChangeClass, ChangeReport, DocumentChange, Operation
from agentpolicy.order.document_change import ratified, ratified_file
from agentpolicy.trust.approval import APPROVAL_NAMESPACE, parse_statement
from agentpolicy.trust.authority import authority_of
from agentpolicy.trust.envelope import open_envelope, parse_envelope
from agentpolicy.trust.keys import PublicKey


def with_ratified(base: Snapshot, head: Snapshot, report: ChangeReport) -> ChangeReport:
    """Add the documents that stand on a key which this change marks as compromised.

    One that changes along with it is held to be changed in any way whatever: its old state is
    not to be relied on, so neither is a comparison with it.
    """
    if base.roles is None or head.roles is None or base.roles.sha256 == head.roles.sha256:
        return report
    marked = authority_of(head.roles).compromised - authority_of(base.roles).compromised
    standing = _standing_on(base, marked) - {ROLES_PATH} if marked else frozenset()
    if not standing:
        return report
    changed = [_unproved(change, standing) for change in report.documents]
    left = standing - {change.path for change in changed}
    documents = sorted((*changed, *_ratified(head, left)), key=lambda change: change.path)
    return replace(report, documents=tuple(documents))


def _standing_on(base: Snapshot, keys: Collection[PublicKey]) -> frozenset[str]:
    """List the paths that any approval by one of the keys has ever helped to land.

    All of them count, not the last one alone: a state is judged against the one before it.
    """
    return frozenset(
        covered
        for data in base.approvals.values()
        for key, paths in _read(data)
        if key in keys
        for covered in paths
    )


def _read(data: bytes) -> Iterator[tuple[PublicKey, tuple[str, ...]]]:
    """Read whose an approval is and what it covers; one that cannot be verified carries nothing."""
    try:
        envelope = parse_envelope(data)
        key = open_envelope(envelope, APPROVAL_NAMESPACE)
        covered = parse_statement(envelope.payload).covered
    except ValueError:
        return
    yield key, tuple(document.path for document in covered)


def _unproved(change: DocumentChange, standing: Collection[str]) -> DocumentChange:
    if change.path not in standing or change.operation is not Operation.MODIFY:
        return change
    return replace(change, change_class=ChangeClass.UNKNOWN)


def _ratified(head: Snapshot, paths: Collection[str]) -> Iterator[DocumentChange]:
    """Give the documents that are still in force; a closed waiver no longer is."""
    for path in sorted(paths):
        document = head.documents.get(path)
        if document is not None and not is_closed(path):
            yield ratified(document)
        elif path in head.guarded:
            yield ratified_file(path, head.guarded[path])
