"""Keys of the structured output."""

from collections.abc import Mapping
from typing import Any

import pytest
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions import keys
from agentpolicy.gate.finding import Finding
from agentpolicy.runs.record import RunRecord
from tests.evidence import fields, fixture, run

PASS, FAIL, OPEN = Decision.PASS, Decision.FAIL, Decision.INCONCLUSIVE


def only(findings: Any) -> Finding:  # noqa: ANN401 - any iterator of findings
    (finding,) = findings
    assert isinstance(finding, Finding)
    return finding


def shown(output: object) -> RunRecord:
    return run(output=output)


def keyed(
    written: Mapping[str, object], references: list[RunRecord], attempt: RunRecord
) -> Decision:
    return only(keys.judge(fields(**written), fixture(references, attempt))).result


EXACT: Mapping[str, object] = {"required_keys": "exact"}
FORBIDDEN: Mapping[str, object] = {"optional_keys": "forbidden"}


@pytest.mark.parametrize(
    ("outputs", "attempt", "result"),
    [
        ([{"a": 1}], {"a": 2}, PASS),
        ([{"a": 1}], {"a": None, "b": 1}, PASS),
        ([{"a": 1}], {"b": 1}, FAIL),
        ([{"a": 1}, {"b": 1}], {}, PASS),
        ([{"a": 1, "b": 1}, {"b": 1}], {"b": 2}, PASS),
        ([{"a": {"b": 1}}], {"a": {}}, FAIL),
        ([{"a": [{"b": 1}, {"b": 2}]}], {"a": [{"b": 1}]}, PASS),
        ([{"a": [{"b": 1}, {"b": 2}]}], {"a": [{"b": 1}, {}]}, FAIL),
        ([{"a": [{"b": 1}, {}]}], {"a": [{}]}, PASS),
        ([{"a": 1}], None, FAIL),
        ([None], {}, PASS),
        ([{"a/b": 1}], {"a": {"b": 1}}, FAIL),
    ],
)
def test_exact_keys_are_those_every_reference_shows(
    outputs: list[object], attempt: object, result: Decision
) -> None:
    assert keyed(EXACT, [shown(one) for one in outputs], shown(attempt)) is result


@pytest.mark.parametrize(
    ("references", "attempt", "result"),
    [
        ([shown({"a": 1})], run(), OPEN),
        ([run()], shown({"a": 1}), OPEN),
        ([run()], run(), OPEN),
        ([run(), shown({"a": 1})], shown({"a": 1}), PASS),
        ([run(), shown({"a": 1})], shown({}), OPEN),
    ],
)
def test_an_output_nobody_recorded_leaves_exact_keys_open(
    references: list[RunRecord], attempt: RunRecord, result: Decision
) -> None:
    assert keyed(EXACT, references, attempt) is result


def test_listed_keys_are_required_whatever_the_references_show() -> None:
    written: Mapping[str, object] = {"required_keys": ("order_id", "/items/*/sku")}
    whole = {"order_id": 1, "items": [{"sku": "x"}]}
    assert keyed(written, [run()], shown(whole)) is PASS
    assert keyed(written, [shown(whole)], shown({"order_id": 1})) is FAIL
    assert keyed(written, [shown(whole)], run()) is OPEN


def test_forbidden_keys_are_those_no_reference_shows() -> None:
    references = [shown({"a": 1}), shown({"b": [{"c": 1}]})]
    assert keyed(FORBIDDEN, references, shown({"a": 1, "b": [{"c": 1}]})) is PASS
    assert keyed(FORBIDDEN, references, shown({"b": [{}, {"d": 1}]})) is FAIL
    assert keyed(FORBIDDEN, references, run()) is OPEN
    assert keyed(FORBIDDEN, [*references, run()], shown({"z": 1})) is OPEN


def test_requiring_a_key_does_not_allow_it() -> None:
    written = {**FORBIDDEN, "required_keys": ("k",)}
    found = keys.judge(fields(**written), fixture([shown({})], shown({"k": 1})))
    assert [finding.result for finding in found] == [PASS, FAIL]


def test_keys_are_not_judged_where_the_band_does_not_speak_of_them() -> None:
    for written in ({}, {"optional_keys": "allowed"}):
        assert not list(keys.judge(fields(**written), fixture([run()], shown({"k": 1}))))
