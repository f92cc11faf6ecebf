"""What may tell the two sides of a finding apart: candidate evidence, which nobody has judged.

Each is built from the finding's two values, between them and next to the old one, in a set of runs
where all else is inside both sides. It is a workflow that replays each through the real gate, and
only what the gate itself refused and accepts is ever shown.
"""

from collections.abc import Iterator

from agentpolicy.documents.document import DocumentKind
from agentpolicy.documents.rows import Kind
from agentpolicy.order.change import Effect, Finding
from agentpolicy.order.witness_answers import ANSWERS
from agentpolicy.order.witness_band import BAND
from agentpolicy.order.witness_budget import BUDGET
from agentpolicy.order.witness_evidence import Evidence, Sides, Witness
from agentpolicy.order.witness_grades import GRADES
from agentpolicy.order.witness_tools import stand_ins, under_band, under_budget
from agentpolicy.order.witness_waiver import GRANTED_ON, VERDICT, WAIVER

__all__ = [
    "GRANTED_ON",
    "VERDICT",
    "Evidence",
    "Sides",
    "Witness",
    "candidates",
    "stand_ins",
    "wanted",
    "without",
]

_MAKERS = {**BUDGET, **ANSWERS, **BAND, **GRADES, **WAIVER}


def wanted(finding: Finding) -> bool:
    """Say whether a finding is one that a witness can make plain."""
    return bool(finding.pointer) and finding.effect in (Effect.LOOSER, Effect.INCOMPARABLE)


def candidates(finding: Finding, sides: Sides, kind: DocumentKind) -> Iterator[Evidence]:
    """Build evidence for a document of a kind, smallest first; none where none can be built.

    For a finding in the catalogue the document is any that may read the tool.
    """
    if finding.rule.startswith("tools/"):
        yield from (under_budget if kind is DocumentKind.BUDGET else under_band)(finding, sides)
        return
    make = _MAKERS.get(finding.rule)
    if make is not None:
        yield from make(finding, sides)


def without(finding: Finding) -> str:
    """Say why a finding that wants a witness has none."""
    opaque = finding.row is not None and finding.row.kind in (Kind.OPAQUE, Kind.ADDITIONS)
    if opaque and finding.rule not in _MAKERS:
        return "no witness: opaque"
    return "no witness: no run or release that shows it could be replayed"
