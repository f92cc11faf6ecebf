"""How alike an answer is to its references."""

from decimal import Decimal
from typing import Any

from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions import text
from agentpolicy.gate.finding import Finding
from tests.evidence import fields, fixture, run

PASS, FAIL, OPEN = Decision.PASS, Decision.FAIL, Decision.INCONCLUSIVE


def only(findings: Any) -> Finding:  # noqa: ANN401 - any iterator of findings
    (finding,) = findings
    assert isinstance(finding, Finding)
    return finding


def scored(threshold: str, references: list[str | None], attempt: str | None) -> Finding:
    written = {"text_similarity": {"threshold": Decimal(threshold)}}
    known = [run(final_answer=one) for one in references]
    return only(text.judge(fields(**written), fixture(known, run(final_answer=attempt))))


def test_the_best_reference_counts_and_equal_passes() -> None:
    one, other = "x" * 92 + "a" * 8, "x" * 92 + "b" * 8
    assert scored("0.92", ["unlike", one], other).result is PASS
    assert scored("0.9201", ["unlike", one], other).result is FAIL
    assert scored("0.92", ["unlike", one], other).measured == "0.92"


def test_a_missing_answer_leaves_the_score_open() -> None:
    assert scored("0.5", ["yes"], None).result is OPEN
    assert scored("0.5", [None], "yes").result is OPEN
    assert scored("0.5", [None, "no"], "yes").result is OPEN
    assert scored("0.5", [None, "yes"], "yes").result is PASS
    assert scored("0.5", [""], "").result is PASS
