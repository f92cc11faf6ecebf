"""Is a change of the whole policy tighter or looser? One function, for every place that asks.

Whole snapshots are compared, so that nothing is missed by asking about one file. There is no
rename detection: a document that moved is gone under its old name and new under the other.
"""

import re
from collections.abc import Iterator, Mapping
from typing import ClassVar, TypeAlias

from agentpolicy.base.errors import Problem
from agentpolicy.documents.document import Document, DocumentKind, Snapshot
from agentpolicy.documents.layout import kind_of
from agentpolicy.order.change import (
    ChangeClass,
    ChangeReport,
    DocumentChange,
    Effect,
    Finding,
    Operation,
    combine,
)
from agentpolicy.order.document_change import added, closed, deleted, modified
from agentpolicy.order.walk import Plan, plan_of
from agentpolicy.order.whole_rules import GUARDED, UNREADABLE

__all__ = [
    "ChangeClass",
    "ChangeReport",
    "DocumentChange",
    "Effect",
    "Finding",
    "Operation",
    "Schemas",
    "classify",
]

Schemas: TypeAlias = Mapping[DocumentKind, Mapping[str, object]]
"""The JSON Schema of each kind of document, with its order rows."""

_CLOSED = re.compile(r"policies/waivers/closed/[0-9]{4}/([^/]+\.yaml)")


class _Plans:
    """Reads each schema when it is first asked for, and once: it is the same at every step."""

    _read: ClassVar[dict[DocumentKind, tuple[Mapping[str, object], Plan]]] = {}
    """By kind: the very schema that was read last, and what it says."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas

    def __getitem__(self, kind: DocumentKind) -> Plan:
        schema = self._schemas[kind]
        found = self._read.get(kind)
        if found is None or found[0] is not schema:
            found = self._read[kind] = schema, plan_of(schema)
        return found[1]


def classify(old: Snapshot, new: Snapshot, schemas: Schemas) -> ChangeReport:
    """Class everything that differs between two snapshots.

    Both sides should have been read for the same list of guarded files, else a file that only one
    of them was asked about shows as added or deleted. Cost follows the changed documents. Nothing
    on either side is `unknown`: comparing nothing proves nothing.
    """
    paths = _paths(old) | _paths(new)
    doubtful = paths - _untouched(old, new)
    changes = sorted(
        (*_document_changes(old, new, doubtful, _Plans(schemas)), *_guarded_changes(old, new)),
        key=lambda change: (change.path, change.operation),
    )
    compared = len(paths | old.guarded.keys() | new.guarded.keys())
    effects = [finding.effect for change in changes for finding in change.findings]
    return ChangeReport(
        change_class=combine(effects if compared else [Effect.UNKNOWN]),
        documents=tuple(changes),
        compared=compared,
        problems=(*_unreadable(new), *_shared_budgets(new)),
    )


def _document_changes(
    old: Snapshot, new: Snapshot, paths: frozenset[str], plans: _Plans
) -> Iterator[DocumentChange]:
    closings = _closings(old, new)
    arrived = {change.new.path for change in closings.values() if change.new}
    for path in sorted(paths - arrived):
        change = closings.get(path) or _document_change(path, old, new, plans)
        if change is not None:
            yield change


def _untouched(old: Snapshot, new: Snapshot) -> frozenset[str]:
    """Find the documents that git knows to be the same, or that were not even read again."""
    if new.blobs:  # then most documents are not read yet, and none is to be read for this
        before = old.blobs
        return frozenset(path for path, blob in new.blobs.items() if before.get(path) == blob)
    was = old.documents
    alike = {path for path, document in new.documents.items() if was.get(path) is document}
    return frozenset(alike - old.unreadable.keys() - new.unreadable.keys())


def _document_change(
    path: str, old: Snapshot, new: Snapshot, plans: _Plans
) -> DocumentChange | None:
    """Class the change at one path; None where the bytes are the same."""
    before, after = _readable(old, path), _readable(new, path)
    if _present(old, path) != (before is not None) or _present(new, path) != (after is not None):
        return _undecided(path, old, new)
    if before is None:
        return added(after) if after else None
    if after is None:
        return deleted(before)
    if before.sha256 == after.sha256:
        return None
    return modified(before, after, plans[after.kind])


def _closings(old: Snapshot, new: Snapshot) -> Mapping[str, DocumentChange]:
    """Find the waivers that were moved to `closed/` unaltered, by the path they were open at."""
    found: dict[str, DocumentChange] = {}
    for path in sorted(new.documents.keys() - _paths(old)):
        place = _CLOSED.fullmatch(path)
        was = f"policies/waivers/{place[1]}" if place else ""
        before, after = _readable(old, was), _readable(new, path)
        if before is None or after is None or was in found or _present(new, was):
            continue
        if before.sha256 == after.sha256:
            found[was] = closed(before, after)
    return found


def _undecided(path: str, old: Snapshot, new: Snapshot) -> DocumentChange | None:
    """Report a path that cannot be read on some side; None where the same bytes never could."""
    before, after = _digest(old, path), _digest(new, path)
    if before is not None and before == after:
        return None
    problems = (*new.unreadable.get(path, ()), *old.unreadable.get(path, ()))
    side = "new" if path in new.unreadable else "old"
    detail = f": {problems[0].message}" if problems else ""
    positions = [problem.position for problem in problems if problem.position]
    finding = Finding(
        rule=UNREADABLE.rule,
        effect=UNREADABLE.effect,
        document=path,
        pointer="",
        old=before,
        new=after,
        location=positions[0] if positions else None,
        old_location=None,
        why=UNREADABLE.why.replace("one", f"the {side}") + detail,
    )
    return DocumentChange(
        path=path,
        operation=_operation(before=_present(old, path), after=_present(new, path)),
        change_class=combine((finding.effect,)),
        old=_readable(old, path),
        new=_readable(new, path),
        old_sha256=before,
        new_sha256=after,
        findings=(finding,),
    )


def _guarded_changes(old: Snapshot, new: Snapshot) -> Iterator[DocumentChange]:
    """Report every guarded file whose bytes differ: they are part of the trust root."""
    for path in sorted(old.guarded.keys() | new.guarded.keys()):
        before, after = old.guarded.get(path), new.guarded.get(path)
        if before == after:
            continue
        operation = _operation(before=before is not None, after=after is not None)
        finding = Finding(
            rule=GUARDED.rule,
            effect=GUARDED.effect,
            document=path,
            pointer="",
            old=before,
            new=after,
            location=None,
            old_location=None,
            why=GUARDED.why,
        )
        yield DocumentChange(
            path, operation, combine((finding.effect,)), None, None, before, after, (finding,)
        )


def _unreadable(new: Snapshot) -> Iterator[Problem]:
    for path in sorted(new.unreadable):
        yield from new.unreadable[path]


def _shared_budgets(new: Snapshot) -> Iterator[Problem]:
    """Refuse a second budget for one pair: which of them binds could not be said."""
    first: dict[tuple[str, str], str] = {}
    possible = (path for path in new.documents if kind_of(path) in {DocumentKind.BUDGET, None})
    for path in sorted(possible):
        budget = new.documents[path]
        if budget.kind is not DocumentKind.BUDGET:
            continue
        pair = (str(budget.tree["task_type"]), str(budget.tree["variant"]))
        other = first.setdefault(pair, path)
        if other != path:
            yield Problem(
                "budget-pair-taken",
                f"task type {pair[0]}, variant {pair[1]} already has the budget {other}",
                f"change {other}, or give {path} another task type or variant",
                path,
                budget.positions.get("/task_type"),
            )


def _paths(side: Snapshot) -> frozenset[str]:
    return frozenset({*side.documents, *side.unreadable, *side.digests})


def _present(side: Snapshot, path: str) -> bool:
    return path in side.documents or path in side.unreadable or path in side.digests


def _readable(side: Snapshot, path: str) -> Document | None:
    """Give a document; what also stands among the unreadable is not taken for readable."""
    return None if path in side.unreadable else side.documents.get(path)


def _digest(side: Snapshot, path: str) -> str | None:
    document = side.documents.get(path)
    return document.sha256 if document else side.digests.get(path)


def _operation(*, before: bool, after: bool) -> Operation:
    if before and after:
        return Operation.MODIFY
    return Operation.ADD if after else Operation.DELETE
