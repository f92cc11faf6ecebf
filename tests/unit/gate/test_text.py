"""How alike an answer is to its references."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions import text
from agentpolicy.gate.finding import Finding
from agentpolicy.runs.commitments import text_digest
from agentpolicy.runs.record import RunRecord
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


LONG = "x" * 100
EIGHTY = "x" * 80 + "y" * 20
CLASSES: Mapping[str, Any] = {
    "threshold": Decimal("0.92"),
    "classes": {"formatting": Decimal(0), "legal": Decimal(1)},
}


@pytest.mark.parametrize(
    ("fixture_class", "limit", "result"),
    [
        ("formatting", "0", PASS),
        ("legal", "1", FAIL),
        ("other", "0.92", FAIL),
        (None, "0.92", FAIL),
    ],
)
def test_a_class_without_a_threshold_has_the_general_one(
    fixture_class: str | None, limit: str, result: Decision
) -> None:
    pair = fixture([run(final_answer=LONG)], run(final_answer=EIGHTY), fixture_class=fixture_class)
    finding = only(text.judge(fields(text_similarity=CLASSES), pair))
    assert (finding.limit, finding.result) == (limit, result)


def by_scorer(attempt: RunRecord, scorer: str = "embed@2") -> Finding:
    written = fields(text_similarity={"threshold": Decimal("0.9"), "scorer": scorer})
    return only(text.judge(written, fixture([run(final_answer="yes")], attempt)))


def test_another_scorer_is_read_off_the_evidence_and_never_computed() -> None:
    assert by_scorer(run(final_answer="no", scores={"embed@2": Decimal("0.95")})).result is PASS
    assert by_scorer(run(final_answer="yes", scores={"embed@2": Decimal("0.85")})).result is FAIL
    assert by_scorer(run(final_answer="yes")).result is OPEN
    assert by_scorer(run(final_answer="yes", scores={"embed@1": 1})).result is OPEN
    assert by_scorer(run(final_answer="yes", scores={"embed@2": "1"})).result is OPEN
    assert by_scorer(run(final_answer="yes")).why == "no score was recorded for embed@2"


def test_naming_the_usual_scorer_changes_nothing() -> None:
    attempt = run(final_answer="yes", scores={"lexical-indel@1": 0})
    assert by_scorer(attempt, "lexical-indel@1").result is PASS


def test_an_accepted_text_is_a_reference_text() -> None:
    accepted = frozenset({text_digest(EIGHTY)})
    near = EIGHTY[:-1] + "z"
    pair = fixture(
        [run(final_answer=LONG)],
        run(final_answer=EIGHTY),
        run(attempt=2, final_answer=near),
        run(attempt=3, final_answer="no"),
        accepted=accepted,
    )
    written = fields(text_similarity={"threshold": Decimal("0.92")})
    assert [finding.result for finding in text.judge(written, pair)] == [PASS, PASS, FAIL]
    alone = fixture([run(final_answer=LONG)], run(final_answer=near), accepted=accepted)
    assert only(text.judge(written, alone)).result is FAIL
    hidden = fixture([run()], run(final_answer=text_digest(EIGHTY)), accepted=accepted)
    assert only(text.judge(written, hidden)).result is PASS


def test_a_commitment_is_the_text_it_names_or_unknown() -> None:
    written = fields(text_similarity={"threshold": Decimal("0.92")})
    for reference, attempt in ((text_digest(LONG), LONG), (LONG, text_digest(LONG))):
        pair = fixture([run(final_answer=reference)], run(final_answer=attempt))
        assert only(text.judge(written, pair)).result is PASS
    other = fixture([run(final_answer=text_digest(LONG))], run(final_answer=EIGHTY))
    assert only(text.judge(written, other)).result is OPEN
