"""The answer of `diff` for people: the class, then what loosens, then who must sign."""

from collections.abc import Iterator, Mapping

from agentpolicy.admission.as_written import sides
from agentpolicy.base.errors import Problem
from agentpolicy.documents.rows import Kind, Row
from agentpolicy.order.change import DocumentChange, Effect, Finding
from agentpolicy.order.witness import wanted, without
from agentpolicy.report.diff_derivation import derivation
from agentpolicy.report.diff_view import DiffView, NeededApproval
from agentpolicy.report.words import counted

_PLAIN, _RED, _GREEN, _BOLD = "\x1b[0m", "\x1b[31m", "\x1b[32m", "\x1b[1m"
_COLOURS: Mapping[Effect, str] = {
    Effect.LOOSER: _RED,
    Effect.INCOMPARABLE: _RED,
    Effect.UNKNOWN: _RED,
    Effect.ROOT: _RED,
    Effect.TIGHTER: _GREEN,
}
_TIGHTENS: Mapping[Kind, str] = {
    Kind.MAX_LIMIT: "lower tightens",
    Kind.MIN_LIMIT: "higher tightens",
    Kind.SUBSET_OF: "allowing less tightens",
    Kind.SUPERSET_OF: "requiring more tightens",
    Kind.ADDITIONS: "no change of it tightens",
    Kind.RECORD: "no verdict reads it",
    Kind.OPAQUE: "no change of it tightens",
    Kind.ROOT: "no change of it tightens",
    Kind.VERSION: "it counts the states of the document",
}
_DIGEST_SHOWN = 19
"""Characters of a digest that are shown: `sha256:` and twelve digits."""


def diff_text(view: DiffView, *, explain: bool = False, colour: bool = False) -> str:
    """Write a classed change as lines.

    Args:
        view: what to show.
        explain: derive the class, and add to each finding what its leaf decides, which way of it
            tightens, and what the gate refused before and accepts now.
        colour: use terminal colours; the words are the same.
    """
    lines = [*_headline(view, colour=colour)]
    changes = {change.path: change for change in view.report.documents}
    if explain:
        lines += derivation(view.report)
    for found in view.findings:
        lines += ["", *_finding(found, changes[found.document], colour=colour)]
        if explain and found.row:
            lines += [f"    {line}" for line in _explanation(found.row)]
        if explain and wanted(found):
            lines.append(f"    {_witness(view, found)}")
    if view.ratified:
        lines += ["", "to be ratified, for it stands on a compromised key:"]
        lines += [f"  {path}" for path in view.ratified]
    if view.advice:
        lines += ["", "advice:"]
        lines += [f"  {_advice(problem)}" for problem in view.advice]
    if view.needed:
        lines += ["", "approvals needed:"]
        lines += _approvals(view)
    if view.next_commands:
        lines += ["", *(f"next: {command}" for command in view.next_commands)]
    return "\n".join(lines) + "\n"


def _headline(view: DiffView, *, colour: bool) -> Iterator[str]:
    report = view.report
    effect = Effect(report.change_class.value)
    compared = f"{counted(report.compared, 'document')} compared"
    if not report.documents:
        yield f"{_painted('no change', effect, colour=colour)}: {compared}"
        return
    head = _painted(str(report.change_class), effect, colour=colour)
    changed = len(report.documents) - len(view.ratified)
    yield f"{head}: {compared}, {changed} changed"
    if view.fields:
        them = "it" if len(report.documents) == 1 else "them"
        fields = counted(view.fields, "field")
        yield f"{fields} compared in {them}, {view.fields_unchanged} unchanged"


def _finding(found: Finding, change: DocumentChange, *, colour: bool) -> Iterator[str]:
    where = str(found.location) if found.location else found.document
    what = found.pointer or "the whole file"
    yield f"{_painted(str(found.effect), found.effect, colour=colour)}  {where}  {what}"
    old, new = sides(found, change)
    yield f"    {_value(old)} -> {_value(new)}  [{found.rule}]"
    yield f"    {found.why}"


def _explanation(row: Row) -> Iterator[str]:
    """Say what a leaf decides, which way tightens, what absence means and who reads it."""
    yield row.why
    if row.kind is Kind.CHAIN:
        direction = f"strict to loose: {', '.join(row.chain)}"
    else:
        direction = _TIGHTENS[row.kind]
    absence = f"absent means {row.absent}" if row.absent else ""
    if row.absent_same_as:
        absence = f"absent means the value of {row.absent_same_as}"
    elif not absence and row.kind in (Kind.MAX_LIMIT, Kind.MIN_LIMIT):
        absence = "absent means no limit"
    yield "; ".join(part for part in (direction, absence, f"read by: {row.reader}") if part)


def _witness(view: DiffView, found: Finding) -> str:
    witness = view.witnesses.get(found)
    if witness is None:
        return without(found)
    under = "" if witness.under else ", by a document that forbids nothing else"
    return f"witness: {witness.text}{under}"


def _advice(problem: Problem) -> str:
    where = problem.position or problem.document
    return f"{where}: {problem.message}" if where else problem.message


def _approvals(view: DiffView) -> Iterator[str]:
    """Say of each document which roles must sign it, all on one line."""
    documents = dict.fromkeys(needed.document for needed in view.needed)
    hopeless = {problem.document for problem in view.problems}
    for document in documents:
        if document in hopeless:
            yield f"  {document}: no signature can admit it"
            continue
        roles = [_role(needed) for needed in view.needed if needed.document == document]
        yield f"  {document}: {' and '.join(roles)}"


def _role(needed: NeededApproval) -> str:
    if not needed.people:
        return needed.role
    if needed.count > 1:
        return f"{needed.role} ({needed.count} of {', '.join(needed.people)})"
    return f"{needed.role} ({' or '.join(needed.people)})"


def _value(text: str) -> str:
    return text[:_DIGEST_SHOWN] if text.startswith("sha256:") else text


def _painted(word: str, effect: Effect, *, colour: bool) -> str:
    return f"{_BOLD}{_COLOURS.get(effect, '')}{word}{_PLAIN}" if colour else word
