"""The answer of `diff` as JSON that other programs may rely on (DESIGN section 11)."""

from agentpolicy.admission.as_written import sides
from agentpolicy.base.source import Position
from agentpolicy.order.change import DocumentChange, Finding
from agentpolicy.report.diff_view import DiffView

FORMAT_VERSION = 1


def diff_json(view: DiffView) -> dict[str, object]:
    """Write a classed change in the published shape; findings by document and pointer."""
    return {
        "format_version": FORMAT_VERSION,
        "class": str(view.report.change_class),
        "approvals_needed": list(view.roles_needed),
        "documents": view.report.compared,
        "fields": view.fields,
        "fields_unchanged": view.fields_unchanged,
        "changes": [_change(change, view) for change in view.report.documents],
        "findings": [
            _finding(found, change) for change in view.report.documents for found in change.findings
        ],
    }


def _change(change: DocumentChange, view: DiffView) -> dict[str, object]:
    return {
        "document": change.path,
        "operation": str(change.operation),
        "class": str(change.change_class),
        "old_sha256": change.old_sha256,
        "new_sha256": change.new_sha256,
        "old_version": change.old_version,
        "new_version": change.new_version,
        "approvals_needed": [
            needed.role for needed in view.needed if needed.document == change.path
        ],
    }


def _finding(found: Finding, change: DocumentChange) -> dict[str, object]:
    old_text, new_text = sides(found, change)
    return {
        "rule": found.rule,
        "effect": str(found.effect),
        "document": found.document,
        "pointer": found.pointer,
        "old": found.old,
        "new": found.new,
        "old_text": None if found.old is None else old_text,
        "new_text": None if found.new is None else new_text,
        "location": _location(found.location),
        "old_location": _location(found.old_location),
        "reader": str(found.reader),
        "why": found.why,
        "witness": None,
    }


def _location(position: Position | None) -> dict[str, object] | None:
    if position is None:
        return None
    return {"path": position.path, "line": position.line, "column": position.column}
