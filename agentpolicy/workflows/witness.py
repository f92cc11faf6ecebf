"""Replays candidate evidence through the real gate, under both policies, before it is shown.

A witness is what the old policy did not accept and the new one does, as the gate itself says; there
is none that the gate has not seen.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from agentpolicy.admission.waivers import approver_of, too_many_open
from agentpolicy.base.canonical import digest
from agentpolicy.base.errors import AgentPolicyError
from agentpolicy.base.instant import start_of
from agentpolicy.base.source import Position
from agentpolicy.documents.document import Document, DocumentKind, Snapshot
from agentpolicy.documents.layout import TOOLS_PATH
from agentpolicy.documents.models.band import Band
from agentpolicy.documents.models.baseline import Baseline
from agentpolicy.documents.models.budget import Budget
from agentpolicy.documents.models.tools import Tools
from agentpolicy.documents.models.waiver import Waiver
from agentpolicy.gate.band import BandResult, judge_band
from agentpolicy.gate.budget import judge_budget
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.verdict import Route
from agentpolicy.order.change import ChangeClass, ChangeReport, DocumentChange, Finding, Operation
from agentpolicy.order.witness import (
    GRANTED_ON,
    VERDICT,
    Evidence,
    Sides,
    Witness,
    candidates,
    stand_ins,
    wanted,
)
from agentpolicy.order.witness_evidence import Question, Record, Tree
from agentpolicy.runs.json_text import json_text
from agentpolicy.runs.record import DECODER, RunRecord
from agentpolicy.runs.run_set import RunSet, missing_of

AT = start_of(GRANTED_ON)
"""The instant every replay is judged at."""
MOST = 40
"""How many findings of one change get a witness unless more are asked for."""
_TRIES = 100
"""How many candidates of one finding are replayed at most."""


def witnesses(
    old: Snapshot, new: Snapshot, report: ChangeReport, most: int | None = MOST
) -> Mapping[Finding, Witness]:
    """Find a witness for each loosening or incomparable finding that has one."""
    asked = (finding for finding in report.findings if wanted(finding))
    found = ((finding, witness_of(finding, old, new)) for finding in islice(asked, most))
    return {finding: witness for finding, witness in found if witness is not None}


def witness_of(finding: Finding, old: Snapshot, new: Snapshot) -> Witness | None:
    """Give the first candidate that the gate answers more willingly under the new policy."""
    for under in _readers(finding, old, new):
        for evidence in islice(candidates(finding, under.sides, under.kind), _TRIES):
            answers = tuple(_answer(under, evidence, new=side) for side in (False, True))
            if None not in answers and _more_willing(evidence.question, *map(str, answers)):
                return _shown(finding, under, evidence, *map(str, answers))
    return None


class _Reader:
    """A document by which evidence is judged on both sides."""

    def __init__(
        self, kind: DocumentKind, path: str, trees: tuple[Tree, Tree], tools: tuple[Tree, Tree]
    ) -> None:
        self.kind = kind
        self.path = path
        name = path.rsplit("/", 1)[-1].removesuffix(".yaml") or "agent"
        self.sides = Sides(name, *trees, *(_listed(tree) for tree in tools))
        self.tools = tools


def _readers(finding: Finding, old: Snapshot, new: Snapshot) -> Iterator[_Reader]:
    """Give the finding's own document; of the catalogue every document that may read it."""
    tools = _tree(old, TOOLS_PATH), _tree(new, TOOLS_PATH)
    if finding.document != TOOLS_PATH:
        reader = _reader(finding.document, old, new, tools)
        yield from (reader,) if reader else ()
        return
    for path in sorted(old.documents.keys() & new.documents.keys()):
        reader = _reader(path, old, new, tools)
        if reader:
            yield reader
    budget, band = stand_ins(finding)
    yield _Reader(DocumentKind.BUDGET, "", (budget, budget), tools)
    yield _Reader(DocumentKind.BAND, "", (band, band), tools)


def _reader(path: str, old: Snapshot, new: Snapshot, tools: tuple[Tree, Tree]) -> _Reader | None:
    before, after = old.documents.get(path), new.documents.get(path)
    if (
        before is None
        or after is None
        or after.kind not in (DocumentKind.BAND, DocumentKind.BUDGET)
    ):
        return None
    return _Reader(after.kind, path, (before.tree, after.tree), tools)


def _answer(reader: _Reader, evidence: Evidence, *, new: bool) -> str | None:
    """Ask one side; None where it cannot say."""
    tree = reader.sides.new if new else reader.sides.old
    tools = Tools.model_validate(reader.tools[new]) if reader.tools[new] else None
    try:
        if evidence.question in (Question.APPROVER, Question.OPEN):
            return _admission(reader, tree, evidence)
        if reader.kind is DocumentKind.BUDGET:
            return _budget(tree, tools, evidence)
        return _band(reader, tree, tools, evidence)
    except AgentPolicyError:
        return None


def _budget(tree: Tree, tools: Tools | None, evidence: Evidence) -> str:
    """Judge runs by a budget; a single one by its own outcome."""
    waivers = [Waiver.model_validate(waiver) for waiver in evidence.waivers]
    runs = run_set("runs", evidence.runs)
    result = judge_budget(Budget.model_validate(tree), tools, runs, waivers, {VERDICT}, AT)
    if evidence.question is not Question.OUTCOME:
        return str(result.decision)
    passes = result.rates["pass"]
    if passes.unknown:
        return str(Decision.INCONCLUSIVE)
    return str(Decision.PASS if passes.count else Decision.FAIL)


def _band(reader: _Reader, tree: Tree, tools: Tools | None, evidence: Evidence) -> str:
    references = run_set("references", evidence.references)
    document = Baseline.model_validate(
        {"baseline_version": 1, "runs": references.digest, "fixtures": evidence.fixtures}
    )
    waivers = [Waiver.model_validate(waiver) for waiver in evidence.waivers]
    result = judge_band(
        Band.model_validate(tree), tools, references, run_set("candidate", evidence.runs),
        reader.sides.name, waivers, {VERDICT}, AT, document,
    )  # fmt: skip
    return _said(result, evidence.question)


def _said(result: BandResult, question: Question) -> str:
    if question is Question.ROUTE:
        return str(result.route) if result.decision.accepted else str(result.decision)
    if question is Question.NOTE:
        return "noted" if result.notes else "not noted"
    return str(result.decision)


def _admission(reader: _Reader, tree: Tree, evidence: Evidence) -> str:
    """Ask admission about a new waiver."""
    governing = _document(reader.kind, reader.path, tree)
    waivers = {
        f"policies/waivers/{waiver['id']}.yaml": _document(
            DocumentKind.WAIVER, f"policies/waivers/{waiver['id']}.yaml", waiver
        )
        for waiver in evidence.waivers
    }
    base = Snapshot(documents={governing.path: governing})
    newest = waivers[max(waivers)]
    if evidence.question is Question.APPROVER:
        return str(approver_of(base, newest))
    head = Snapshot(documents={**base.documents, **waivers})
    added = DocumentChange(newest.path, Operation.ADD, ChangeClass.LOOSER, None, newest, None,
                           newest.sha256, ())  # fmt: skip
    return "refused" if any(too_many_open(base, head, added, AT)) else "admitted"


def _document(kind: DocumentKind, path: str, tree: Tree) -> Document:
    return Document(kind, path, tree, {"": Position(path, 1, 1)}, b"", digest(b""))


_WILLING = {
    Question.OUTCOME: tuple(map(str, Decision)),
    Question.DECISION: tuple(map(str, Decision)),
    Question.ROUTE: (str(Route.FULL_GATE), str(Route.FAST_REVIEW), str(Route.NO_OP)),
    Question.NOTE: ("noted", "not noted"),
    Question.APPROVER: ("platform-owner", "reviewer"),
    Question.OPEN: ("refused", "admitted"),
}
"""The answers to each question, least willing first."""
_ACCEPTED = {str(decision) for decision in Decision if decision.accepted}


def _more_willing(question: Question, old: str, new: str) -> bool:
    """Say whether the new answer accepts what the old one did not."""
    if question in (Question.OUTCOME, Question.DECISION):
        return old not in _ACCEPTED and new in _ACCEPTED
    order = _WILLING[question]
    return old in order and new in order and order.index(old) < order.index(new)


_WORDS = {
    str(Decision.FAIL): "was refused",
    str(Decision.INCONCLUSIVE): "was inconclusive",
    str(Decision.PASS): "is accepted",
    str(Decision.PASS_WITH_WAIVERS): "is accepted with its waiver",
    str(Route.NO_OP): "needs no review",
    "noted": "was noted",
    "not noted": "is no longer",
    "refused": "was refused",
    "admitted": "is admitted",
}


def _shown(finding: Finding, reader: _Reader, evidence: Evidence, old: str, new: str) -> Witness:
    if evidence.question is Question.ROUTE:
        text = f"{evidence.about} was routed {old} and is routed {new}"
    elif evidence.question is Question.APPROVER:
        text = f"{evidence.about} was for the {old} to approve and is for the {new}"
    else:
        text = f"{evidence.about} {_WORDS[old]} and {_WORDS[new]}"
    return Witness(str(finding.reader), evidence, old, new, text, reader.path)


def run_set(name: str, records: Iterable[Record]) -> RunSet:
    """Read records as a run file would be read."""
    lines = [json_text(record).encode() for record in records]
    runs: tuple[RunRecord, ...] = tuple(DECODER.decode(line) for line in lines)
    return RunSet(
        runs,
        {f"{name}.jsonl": digest(b"\n".join(lines))},
        {f"{name}.jsonl": "jsonl"},
        missing_of(runs),
    )


def _tree(side: Snapshot, path: str) -> Tree:
    document = side.documents.get(path)
    return document.tree if document else {}


def _listed(tools: Tree) -> Tree:
    listed = tools.get("tools")
    return listed if isinstance(listed, Mapping) else {}
