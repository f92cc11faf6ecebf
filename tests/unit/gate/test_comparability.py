"""Whether runs are alike enough to be compared."""

from itertools import product
from typing import Any

import pytest
from agentpolicy.documents.models.band import Comparability
from agentpolicy.gate.comparability import Comparable, class_of, comparability_of, judge
from agentpolicy.gate.decision import Decision
from agentpolicy.runs.provenance import FIELDS
from tests.evidence import fixture, run

PASS, OPEN = Decision.PASS, Decision.INCONCLUSIVE
KNOWN: dict[str, Any] = {
    "test_case_id": "t",
    "prompt_template_version": "p",
    "available_tools_commitment": "a",
    "resolved_model": "m",
}


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (KNOWN, KNOWN, Comparable.COMPARABLE),
        (KNOWN, {"test_case_id": "t"}, Comparable.PARTIALLY),
        ({"test_case_id": "t"}, {"test_case_id": "t"}, Comparable.PARTIALLY),
        ({"test_case_id": "t"}, {"test_case_id": "u"}, Comparable.NOT),
        ({"cohort_id": "c"}, {"cohort_id": "c"}, Comparable.NOT),
        ({"cohort_id": "c"}, {}, Comparable.UNKNOWN),
        ({"resolved_model": "m"}, {"resolved_model": "m"}, Comparable.UNKNOWN),
        ({"resolved_model": "m"}, {"resolved_model": "n"}, Comparable.NOT),
        ({}, KNOWN, Comparable.UNKNOWN),
        ({}, {}, Comparable.UNKNOWN),
    ],
)
def test_a_pair_is_classed_by_what_both_sides_say(
    one: dict[str, str], other: dict[str, str], expected: Comparable
) -> None:
    assert class_of(one, other)[0] is expected
    assert class_of(other, one)[0] is expected


@pytest.mark.parametrize("name", FIELDS)
def test_a_conflict_in_any_field_is_no_comparison(name: str) -> None:
    assert class_of(KNOWN | {name: "1"}, KNOWN | {name: "2"}) == (Comparable.NOT, (name,))


def test_what_varies_is_no_conflict_but_must_be_known() -> None:
    new = KNOWN | {"prompt_template_version": "p2"}
    varies = ("prompt_template_version",)
    assert class_of(KNOWN, new)[0] is Comparable.NOT
    assert class_of(KNOWN, new, varies)[0] is Comparable.COMPARABLE
    del new["prompt_template_version"]
    assert class_of(KNOWN, new, varies)[0] is Comparable.PARTIALLY


def test_less_that_varies_never_makes_runs_more_comparable() -> None:
    names = ("prompt_template_version", "resolved_model")
    for prompt, model in product("12", repeat=2):
        other = KNOWN | {"prompt_template_version": prompt, "resolved_model": model}
        free, bound = class_of(KNOWN, other, names)[0], class_of(KNOWN, other, names[:1])[0]
        assert free.rank <= bound.rank


def test_the_worst_pair_is_the_class_of_the_set() -> None:
    pair = fixture([run(**KNOWN), run(attempt=2, resolved_model="n")], run(**KNOWN))
    assert comparability_of(None, [pair]) is Comparable.NOT
    assert comparability_of(None, []) is Comparable.UNKNOWN


@pytest.mark.parametrize(
    ("minimum", "shown", "result"),
    [
        ("comparable", KNOWN, PASS),
        ("comparable", {"test_case_id": "t"}, OPEN),
        ("partially comparable", {"test_case_id": "t"}, PASS),
        ("partially comparable", {}, OPEN),
        ("unknown", {}, PASS),
        ("unknown", {"cohort_id": "c"}, OPEN),
    ],
)
def test_below_the_minimum_nothing_is_decided(
    minimum: str, shown: dict[str, Any], result: Decision
) -> None:
    rule = Comparability.model_validate({"minimum": minimum})
    (finding,) = judge(rule, [fixture([run(**shown)], run(**shown))])
    assert finding.result is result


def test_without_a_minimum_only_what_cannot_be_compared_is_told() -> None:
    assert not list(judge(None, [fixture([run()], run())]))
    (finding,) = judge(None, [fixture([run(resolved_model="m")], run(resolved_model="n"))])
    assert finding.result is OPEN
    assert finding.why == "the runs are not comparable: they differ in resolved_model"


def test_every_attempt_has_its_line_and_none_is_left_out() -> None:
    rule = Comparability.model_validate({"minimum": "partially comparable"})
    pair = fixture([run(**KNOWN)], run(**KNOWN), run(attempt=2))
    assert [(one.attempt, one.result) for one in judge(rule, [pair])] == [(1, PASS), (2, OPEN)]


def test_the_worst_reference_classes_an_attempt() -> None:
    for order in (1, -1):
        references = [run(**KNOWN), run(attempt=2, resolved_model="n")][::order]
        (finding,) = judge(None, [fixture(references, run(**KNOWN))])
        assert (finding.result, finding.measured) == (OPEN, "not comparable")
