"""What must hold of the documents of a step, whoever signed it."""

from collections.abc import Iterator

from agentpolicy.admission.approvals import Examined, highest_version, opened
from agentpolicy.admission.commands import sign_command
from agentpolicy.admission.waivers import objections
from agentpolicy.base.errors import Problem
from agentpolicy.documents.document import VERSION_KEYS, DocumentKind, Snapshot
from agentpolicy.documents.layout import ROLES_PATH, kind_of
from agentpolicy.documents.stored_approvals import differing
from agentpolicy.order.change import ChangeReport, DocumentChange, Operation
from agentpolicy.trust.authority import Authority

REVERTED = "approval-reverted"
"""The code of the problem that names the command which takes a change back."""
CLOSED = "policies/waivers/closed/"
"""Below it, by year, lie the waivers that are over."""


def altered_approvals(base: Snapshot, head: Snapshot) -> Iterator[Problem]:
    """Report landed approvals that were changed or removed: they are append-only.

    What does not even verify was never used, wherever it came from, and anybody may clear it away.
    """
    _, altered = differing(base.approvals, head.approvals)
    for path in altered:
        found = opened(path, base.approvals[path])
        if found.void_because:
            continue
        if path not in head.approvals and _undone(found, head):
            words = "`git revert` removes the approval as well, and approvals are append-only"
            yield Problem(REVERTED, words, "agentpolicy revert COMMIT --key KEY", path)
        else:
            yield Problem(
                "approval-altered",
                "a landed approval was changed or removed; approvals are append-only",
                f"git checkout HEAD -- {path}",
                path,
            )


def _undone(approval: Examined, head: Snapshot) -> bool:
    """Say whether a document that an approval covers is what it was before it again."""
    covered = approval.statement.covered if approval.statement else ()
    return any(head.digests.get(one.path) == one.old_sha256 != one.new_sha256 for one in covered)


def hopeless(
    base: Snapshot, roles: Authority, report: ChangeReport, confirmed: frozenset[str] | None
) -> Iterator[Problem]:
    """Report what keeps changed documents from landing whoever signs them.

    A forgotten version number is not among it: signing counts it on.
    """
    for change in report.documents:
        yield from wrong_operation(change)
        if kind_of(change.path) is DocumentKind.WAIVER and change.operation is Operation.ADD:
            yield from objections(base, roles, change, confirmed)


def wrong_versions(base: Snapshot, report: ChangeReport) -> Iterator[Problem]:
    """Report version numbers that do not count on by exactly one."""
    alone = len(report.documents) == 1
    for change in report.documents:
        yield from _wrong_version(base, change, sign_command(change.path if alone else ""))


def _wrong_version(base: Snapshot, change: DocumentChange, hint: str) -> Iterator[Problem]:
    kind = kind_of(change.path)
    if kind is None or kind not in VERSION_KEYS or change.new is None:
        return
    if change.operation is Operation.RATIFY:
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
            hint,
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
    if kind_of(change.path) is not DocumentKind.WAIVER or change.old is None:
        return
    restore = f"git checkout HEAD -- {change.path}"
    if change.operation is Operation.DELETE:
        closed = f"{CLOSED}{str(change.old.tree['expires_on'])[:4]}"
        yield Problem(
            "waiver-deleted",
            f"deleting a waiver can never be admitted; to end it, move it to {closed}/",
            f"{restore} && mkdir -p {closed} && git mv {change.path} {closed}/",
            change.path,
        )
    if change.operation is Operation.MODIFY:
        yield Problem(
            "waiver-edited",
            "an edited waiver can never be admitted; "
            "for other terms, write a new one with `agentpolicy waiver new`",
            restore,
            change.path,
        )
