"""The facts of an answer beside those of its references."""

from typing import Any

import pytest
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions import facts
from agentpolicy.gate.finding import Finding
from agentpolicy.runs.commitments import text_digest
from tests.evidence import fields, fixture, run

PASS, FAIL, OPEN = Decision.PASS, Decision.FAIL, Decision.INCONCLUSIVE


def judged(level: str, references: list[str | None], answer: str | None, **known: Any) -> Finding:  # noqa: ANN401 - any part of a fixture
    pair = fixture([run(final_answer=one) for one in references], run(final_answer=answer), **known)
    (finding,) = facts.judge(fields(facts=level), pair)
    return finding


@pytest.mark.parametrize(
    ("reference", "answer", "equal", "kept"),
    [
        ("order A-1042 costs $40", "$40 for order A-1042", PASS, PASS),
        ("order A-1042", "order A-1024", FAIL, FAIL),
        ("order A-1042", "order A-1042 [1]", FAIL, PASS),
        ("5 of 5", "5", FAIL, FAIL),
        ("5", "5 of 5", FAIL, PASS),
        ("due 2026-03-02", "due March 2, 2026", PASS, PASS),
        ("costs $40.00", "costs $40", PASS, PASS),
        ("no facts", "none", PASS, PASS),
        ("5", "none", FAIL, FAIL),
    ],
)
def test_facts_are_the_same_or_at_least_kept(
    reference: str, answer: str, equal: Decision, kept: Decision
) -> None:
    assert judged("equal", [reference], answer).result is equal
    assert judged("kept", [reference], answer).result is kept


def test_the_facts_of_one_single_reference_suffice() -> None:
    assert judged("kept", ["A-1", "B-2"], "B-2").result is PASS
    assert judged("kept", ["A-1 and B-2", "A-1 and C-3"], "B-2 and C-3").result is FAIL


def test_off_and_absent_look_at_nothing() -> None:
    pair = fixture([run(final_answer="5")], run(final_answer="6"))
    assert not list(facts.judge(fields(), pair))
    assert not list(facts.judge(fields(facts="off"), pair))


def test_what_was_not_recorded_is_unknown() -> None:
    assert judged("kept", [None], "5").result is OPEN
    assert judged("kept", ["5"], None).result is OPEN
    assert judged("kept", [None, "5"], "5").result is PASS
    assert judged("kept", [None, "5"], "6").result is OPEN
    assert judged("kept", [text_digest("5")], "5").result is PASS
    assert judged("kept", [text_digest("5")], "6").result is OPEN


def test_an_accepted_text_brings_its_own_facts() -> None:
    accepted = frozenset({text_digest("A-2")})
    assert judged("equal", ["A-1"], "A-2", accepted=accepted).result is PASS
    assert judged("equal", ["A-1"], "A-3", accepted=accepted).result is FAIL


def test_a_crossing_says_what_was_lost_and_what_came_from_nowhere() -> None:
    finding = judged("equal", ["pay $40 for A-1042"], "pay $40 for A-1024")
    assert finding.why == (
        "against the nearest reference the answer lacks identifier A-1042 "
        "and adds identifier A-1024"
    )
    assert finding.measured == "$ 40, identifier A-1024"


def test_a_crossing_is_named_by_its_facts_whatever_the_words() -> None:
    one, two = judged("kept", ["A-1"], "it is A-2"), judged("kept", ["A-1"], "A-2, then")
    assert one.value == two.value != judged("kept", ["A-1"], "A-3").value
