"""A verdict as an in-toto Statement: what was judged, by which rules, on which evidence.

It is pure: the same inputs and the same instant give the same bytes, and the sha256 of those bytes
is the verdict's name. Numbers are integers, or decimals written as text; nothing is a float.
"""

from collections.abc import Mapping

from agentpolicy.base.canonical import canonical_bytes, digest
from agentpolicy.base.instant import Instant, format_instant, parse_instant
from agentpolicy.base.values import dataclass, field
from agentpolicy.gate.decision import Decision
from agentpolicy.provenance.json_fields import bare, object_at, require
from agentpolicy.provenance.verdict_parts import (
    DIGEST,
    Judged,
    PolicyUsed,
    RunSetUsed,
    read_judged,
    read_policy,
    read_runs,
    written_judged,
    written_policy,
    written_runs,
)
from agentpolicy.trust.canonical_json import objects_at, only_keys, read_canonical, text_at

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
VERDICT_TYPE = "urn:agentpolicy:verdict:v1"
FINDINGS = (
    "comparability", "partition", "rates", "checks", "crossings", "waivers", "risk_score", "route",
)  # fmt: skip
"""The findings every verdict has a place for; what else a gate found stands under `details`."""

_LISTS = ("checks", "crossings", "waivers")


@dataclass(frozen=True, slots=True)
class VerdictStatement:
    """One answer of a gate, with everything it rests on."""

    judged: Judged
    policy: PolicyUsed
    evaluated_at: Instant
    """The one instant every date was read at."""
    tool: str
    """Name and version of the program that judged."""
    rule_set: str
    evidence: tuple[RunSetUsed, ...]
    """Kept in the order of the parts, whatever order they are given in."""
    decision: Decision
    findings: Mapping[str, object] = field(default_factory=dict)
    """What the gate found: plain mappings and lists of text, integers, booleans and null."""

    def __post_init__(self) -> None:
        """Refuse what cannot be stated.

        Raises:
            ValueError: naming what is wrong.
        """
        evidence = tuple(sorted(self.evidence, key=lambda runs: runs.part))
        object.__setattr__(self, "evidence", evidence)
        object.__setattr__(self, "decision", Decision(self.decision))
        require(self.tool and self.rule_set, "a verdict names the program and its rules")
        parts = [runs.part for runs in evidence]
        require(parts and len(set(parts)) == len(parts), "each part of the evidence stands once")

    def to_bytes(self) -> bytes:
        """Write the statement in its one spelling: what is recorded, and named by its sha256.

        Raises:
            TypeError: a finding is of a type that signed forms never hold, such as a float.
        """
        statement = {
            "_type": STATEMENT_TYPE,
            "subject": self._subjects(),
            "predicateType": VERDICT_TYPE,
            "predicate": self._predicate(),
        }
        return canonical_bytes(statement)

    @property
    def digest(self) -> str:
        """The verdict's name: `sha256:…` of its bytes."""
        return digest(self.to_bytes())

    def _subjects(self) -> list[object]:
        """Name the artefact, where its digest is known, and the evidence."""
        named = {runs.part: runs.digest for runs in self.evidence}
        subject = self.judged.subject
        artefact = {"artefact": subject} if subject and DIGEST.fullmatch(subject) else {}
        return [
            {"name": name, "digest": {"sha256": bare(sha256)}}
            for name, sha256 in (artefact | named).items()
        ]

    def _predicate(self) -> Mapping[str, object]:
        found = {name: self.findings.get(name, [] if name in _LISTS else None) for name in FINDINGS}
        return {
            "judged": written_judged(self.judged),
            "policy": written_policy(self.policy),
            "evaluated_at": format_instant(self.evaluated_at),
            "tool": self.tool,
            "rule_set": self.rule_set,
            "evidence": [written_runs(runs) for runs in self.evidence],
            **found,
            "details": {key: value for key, value in self.findings.items() if key not in FINDINGS},
            "decision": str(self.decision),
        }


_PREDICATE = {
    "judged", "policy", "evaluated_at", "tool", "rule_set", "evidence", "details", "decision",
    *FINDINGS,
}  # fmt: skip


def parse_verdict(data: bytes) -> VerdictStatement:
    """Read a verdict in exactly the spelling `to_bytes` gives it.

    Raises:
        ValueError: anything else, with what is wrong.
    """
    fields = read_canonical(data)
    only_keys(fields, {"_type", "subject", "predicateType", "predicate"}, set())
    kinds = (fields["_type"], fields["predicateType"])
    require(kinds == (STATEMENT_TYPE, VERDICT_TYPE), f"it states {kinds[1]!r}, not a verdict")
    statement = _read(object_at(fields, "predicate"))
    # catches what no reader looked at: the subjects, the order of documents, a date for an instant
    require(statement.to_bytes() == data, "it is not the one spelling of what it states")
    return statement


def _read(fields: Mapping[str, object]) -> VerdictStatement:
    only_keys(fields, _PREDICATE, set())
    return VerdictStatement(
        judged=read_judged(object_at(fields, "judged")),
        policy=read_policy(object_at(fields, "policy")),
        evaluated_at=parse_instant(text_at(fields, "evaluated_at")),
        tool=text_at(fields, "tool"),
        rule_set=text_at(fields, "rule_set"),
        evidence=tuple(read_runs(runs) for runs in objects_at(fields, "evidence")),
        decision=Decision(text_at(fields, "decision")),
        findings={name: fields[name] for name in FINDINGS} | dict(object_at(fields, "details")),
    )
