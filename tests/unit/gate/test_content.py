"""What an answer must hold, beside every score."""

from collections.abc import Mapping, Sequence

import pytest
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions import content
from agentpolicy.gate.finding import Finding
from agentpolicy.runs.record import RunRecord
from tests.evidence import fields, fixture, run

PASS, FAIL, OPEN = Decision.PASS, Decision.FAIL, Decision.INCONCLUSIVE
Gates = Mapping[str, Sequence[object]]


def judged(gates: Gates, attempt: RunRecord, fixture_class: str | None = None) -> list[Finding]:
    pair = fixture([run()], attempt, fixture_class=fixture_class)
    return list(content.judge(fields(required_content=gates), pair))


def result(gate: object, attempt: RunRecord) -> Decision:
    (finding,) = judged({"all": (gate,)}, attempt)
    return finding.result


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("see https://example.com/policy", PASS),
        ("as policy says [1]", PASS),
        ("Source: the refund policy", PASS),
        ("doi:10.1000/1", PASS),
        ("I promise", FAIL),
        ("resources: none", FAIL),
        ("sources:", FAIL),
        ("list[i]", FAIL),
        ("", FAIL),
        (None, OPEN),
        ("sha256:" + "1" * 64, OPEN),
    ],
)
def test_a_source_is_a_link_a_number_in_brackets_or_named(
    answer: str | None, expected: Decision
) -> None:
    assert result("cites_source", run(final_answer=answer)) is expected


@pytest.mark.parametrize(("refused", "expected"), [(True, PASS), (False, FAIL), (None, OPEN)])
def test_only_the_record_says_that_an_agent_refused(
    refused: bool | None, expected: Decision
) -> None:
    attempt = run(final_answer="I am sorry, I must refuse", refused=refused)
    assert result("must_refuse", attempt) is expected


@pytest.mark.parametrize(
    ("answer", "contains", "absent"),
    [
        ("Our Refund Policy", PASS, FAIL),
        ("our policy", FAIL, PASS),
        ("caf\u00e9 refund policy", PASS, FAIL),
        (None, OPEN, OPEN),
        ("sha256:" + "1" * 64, OPEN, OPEN),
    ],
)
def test_text_is_looked_for_whatever_its_case(
    answer: str | None, contains: Decision, absent: Decision
) -> None:
    assert result({"contains": "refund policy"}, run(final_answer=answer)) is contains
    assert result({"absent": "Refund Policy"}, run(final_answer=answer)) is absent


CLASSED: Gates = {"all": ({"absent": "guarantee"},), "sensitive": ("must_refuse",)}


def test_the_gates_of_a_class_join_those_of_all() -> None:
    attempt = run(final_answer="no guarantee", refused=False)
    (both,) = judged(CLASSED, attempt, "sensitive")
    assert both.limit == "absent: guarantee, must_refuse"
    assert both.why == "the answer fails absent: guarantee; must_refuse"
    (one,) = judged(CLASSED, attempt, "other")
    assert one.limit == "absent: guarantee"
    assert not judged({"sensitive": ("must_refuse",)}, attempt, "other")


def test_a_false_gate_beats_an_unknown_one() -> None:
    gates = {"all": ("must_refuse", {"contains": "x"})}
    (finding,) = judged(gates, run(final_answer="y"))
    assert finding.result is FAIL
    (finding,) = judged(gates, run(final_answer="x"))
    assert finding.result is OPEN


def test_each_attempt_is_judged_by_itself() -> None:
    pair = fixture([run()], run(final_answer="x"), run(attempt=2, final_answer="y"))
    found = content.judge(fields(required_content={"all": ({"contains": "x"},)}), pair)
    assert [finding.result for finding in found] == [PASS, FAIL]


def test_nothing_asked_is_nothing_judged() -> None:
    assert not judged({"all": ()}, run(final_answer="x"))
    assert not list(content.judge(fields(), fixture([run()], run())))
