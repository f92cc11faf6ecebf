"""The answer of `diff` as JSON that other programs may rely on (DESIGN section 11)."""

from collections.abc import Mapping
from decimal import Decimal

from agentpolicy.admission.as_written import sides
from agentpolicy.base.errors import Problem
from agentpolicy.base.source import Position
from agentpolicy.order.change import DocumentChange, Finding
from agentpolicy.order.witness_evidence import Witness
from agentpolicy.report.diff_derivation import derivation
from agentpolicy.report.diff_view import DiffView

FORMAT_VERSION = 1


def diff_json(view: DiffView) -> dict[str, object]:
    """Write a classed change in the published shape; findings by document and pointer."""
    needed: dict[str, list[str]] = {}
    for approval in view.needed:
        needed.setdefault(approval.document, []).append(approval.role)
    return {
        "format_version": FORMAT_VERSION,
        "class": str(view.report.change_class),
        "approvals_needed": list(view.roles_needed),
        "documents": view.report.compared,
        "fields": view.fields,
        "fields_unchanged": view.fields_unchanged,
        "changes": [_change(change, needed) for change in view.report.documents],
        "derivation": list(derivation(view.report)),
        "findings": [
            _finding(found, change, view.witnesses.get(found))
            for change in view.report.documents
            for found in change.findings
        ],
        "advice": [_advice(problem) for problem in view.advice],
    }


def _change(change: DocumentChange, needed: Mapping[str, list[str]]) -> dict[str, object]:
    return {
        "document": change.path,
        "operation": str(change.operation),
        "class": str(change.change_class),
        "old_sha256": change.old_sha256,
        "new_sha256": change.new_sha256,
        "old_version": change.old_version,
        "new_version": change.new_version,
        "approvals_needed": needed.get(change.path, []),
    }


def _finding(found: Finding, change: DocumentChange, witness: Witness | None) -> dict[str, object]:
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
        "witness": None if witness is None else _witness(witness),
    }


def _witness(witness: Witness) -> dict[str, object]:
    """Write evidence in full, so that anybody can replay it; what it has none of is left out."""
    evidence = witness.evidence
    parts = {
        "baseline": evidence.references,
        "fixtures": evidence.fixtures,
        "waivers": evidence.waivers,
    }
    return {
        "kind": witness.kind,
        "under": witness.under or None,
        "runs": _plain(evidence.runs),
        **{name: _plain(part) for name, part in parts.items() if part},
        "old": witness.old,
        "new": witness.new,
        "text": witness.text,
    }


def _plain(value: object) -> object:
    """Bring a value to what JSON knows; a fraction is a number for the reader, no limit."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return float(value) if isinstance(value, Decimal) else value


def _advice(problem: Problem) -> dict[str, object]:
    return {
        "code": problem.code,
        "document": problem.document,
        "message": problem.message,
        "hint": problem.hint,
        "location": _location(problem.position),
    }


def _location(position: Position | None) -> dict[str, object] | None:
    if position is None:
        return None
    return {"path": position.path, "line": position.line, "column": position.column}
