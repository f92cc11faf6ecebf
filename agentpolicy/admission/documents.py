"""What must hold of the documents of a step, whoever signed it."""

from collections.abc import Iterator

from agentpolicy.admission.approvals import highest_version
from agentpolicy.base.errors import Problem
from agentpolicy.documents.document import VERSION_KEYS, DocumentKind, Snapshot
from agentpolicy.documents.layout import ROLES_PATH, kind_of
from agentpolicy.order.change import DocumentChange, Operation


def altered_approvals(base: Snapshot, head: Snapshot) -> Iterator[Problem]:
    """Report landed approvals that were changed or removed: they are append-only."""
    for path, data in sorted(base.approvals.items()):
        if head.approvals.get(path) != data:
            yield Problem(
                "approval-altered",
                "a landed approval was changed or removed; approvals are append-only",
                f"git checkout HEAD -- {path}",
                path,
            )


def wrong_version(base: Snapshot, change: DocumentChange) -> Iterator[Problem]:
    """Report a version number that does not count on by exactly one."""
    kind = kind_of(change.path)
    if kind is None or kind not in VERSION_KEYS or change.new is None:
        return
    expected = change.old_version + 1
    if change.operation is Operation.ADD:
        before = highest_version(base, change.path)
        if before == 0:
            return
        expected = before + 1
    if change.new_version != expected:
        key = VERSION_KEYS[kind]
        yield Problem(
            "version",
            f"{key} is {change.new_version}; every change counts it on by one, to {expected}",
            f"agentpolicy sign {change.path}",
            change.path,
            change.new.positions.get(f"/{key}") or change.new.positions.get(""),
        )


def wrong_operation(change: DocumentChange) -> Iterator[Problem]:
    """Report what no signature can allow: losing the trust root, editing or deleting a waiver."""
    if change.path == ROLES_PATH and change.operation is Operation.DELETE:
        yield Problem(
            "roles-deleted",
            "the trust root was deleted; nothing could be verified after that",
            f"git checkout HEAD -- {ROLES_PATH}",
            ROLES_PATH,
        )
    if kind_of(change.path) is not DocumentKind.WAIVER:
        return
    if change.operation is Operation.DELETE:
        yield Problem(
            "waiver-deleted",
            "a waiver is closed by moving it to waivers/closed/<year>/, never deleted",
            f"git checkout HEAD -- {change.path}",
            change.path,
        )
    if change.operation is Operation.MODIFY:
        yield Problem(
            "waiver-edited",
            "a waiver is never edited; a renewal is a new file with an id of its own",
            f"git checkout HEAD -- {change.path}",
            change.path,
        )
