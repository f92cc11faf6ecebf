"""Arguments, matched call by call within one reference attempt."""

from decimal import Decimal

import pytest
from agentpolicy.gate.catalogue import catalogue_of
from agentpolicy.gate.decision import Decision, worst
from agentpolicy.gate.dimensions import arguments
from agentpolicy.runs.record import RunRecord, ToolCall
from tests.evidence import calls, fields, fixture, run, tools

PASS, FAIL, OPEN = Decision.PASS, Decision.FAIL, Decision.INCONCLUSIVE
CATALOGUE = catalogue_of(
    tools(
        search={"effect": "read", "idempotent": True},
        fetch={"effect": "read", "idempotent": True},
        counter={"effect": "read"},
        write={"effect": "write", "idempotent": True, "requires": ("fetch",)},
        wipe={"effect": "destructive", "idempotent": True},
    )
)


def called(*named: str | ToolCall) -> RunRecord:
    return run(tool_calls=calls(*named))


def passed(*argument_sets: object, name: str = "search") -> RunRecord:
    made = [ToolCall(name, shown, "ok") for shown in argument_sets]  # type: ignore[arg-type]  # any JSON
    return run(tool_calls=tuple(made))


def matched(references: list[RunRecord], attempt: RunRecord) -> Decision:
    found = arguments.judge(fields(), fixture(references, attempt), CATALOGUE)
    return worst(finding.result for finding in found)


@pytest.mark.parametrize(
    ("reference", "attempt", "result"),
    [
        ([{"id": 1}], [{"id": 1}], PASS),
        ([{"id": 1}], [{"id": Decimal("1.0")}], PASS),
        ([{"id": 1}], [{"id": "1"}], FAIL),
        ([{"id": "A"}], [{"id": "a"}], FAIL),
        ([{"id": 1}], [{"id": 1, "x": None}], FAIL),
        ([{"a": 1}, {"a": 2}], [{"a": 2}, {"a": 1}], PASS),
        ([{"a": 1}, {"a": 2}], [{"a": 1}, {"a": 1}], FAIL),
        ([{"a": 1}], [{"a": 1}, {"a": 9}], PASS),
        ([{"a": 1}, {"a": 2}], [{"a": 2}], PASS),
        (["{broken"], ["{broken"], PASS),
        (["{broken"], ["{other"], FAIL),
        ([{"a": 1}], [None], OPEN),
        ([None], [{"a": 1}], OPEN),
        ([None, {"a": 1}], [{"a": 1}, {"a": 9}], OPEN),
        ([{"a": 1}, {"a": 2}], [None, {"a": 9}], FAIL),
    ],
)
def test_arguments_match_in_pairs_whatever_the_order(
    reference: list[object], attempt: list[object], result: Decision
) -> None:
    assert matched([passed(*reference)], passed(*attempt)) is result


def test_arguments_match_within_one_single_reference_attempt() -> None:
    one, two = passed({"a": 1}, {"a": 2}), passed({"a": 3}, {"a": 4})
    mixture = passed({"a": 1}, {"a": 4})
    assert matched([one, two], mixture) is FAIL
    assert matched([one, two, mixture], mixture) is PASS
    assert matched([one, run()], mixture) is OPEN


def test_arguments_never_consult_the_order_of_calls() -> None:
    one = (ToolCall("search", {"x": 1}, "ok"), ToolCall("fetch", {"y": 9}, "ok"))
    assert matched([run(tool_calls=one)], run(tool_calls=one[::-1])) is PASS


def test_arguments_of_a_tool_no_reference_called_are_the_sequences_business() -> None:
    assert matched([called("fetch")], passed({"a": 1})) is PASS
