"""The sequence of calls, at each level of order."""

from typing import Any

import pytest
from agentpolicy.gate.catalogue import catalogue_of
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions import tool_order
from agentpolicy.gate.finding import Finding
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


def only(findings: Any) -> Finding:  # noqa: ANN401 - any iterator of findings
    (finding,) = findings
    assert isinstance(finding, Finding)
    return finding


def ordered(level: str | None, routes: list[RunRecord], attempt: RunRecord) -> Decision:
    written = {} if level is None else {"tool_order": level}
    return only(tool_order.judge(fields(**written), fixture(routes, attempt), CATALOGUE)).result


def called(*named: str | ToolCall) -> RunRecord:
    return run(tool_calls=calls(*named))


@pytest.mark.parametrize(
    ("route", "attempt", "exact", "idempotent", "anyhow"),
    [
        ("search fetch", "search fetch", PASS, PASS, PASS),
        ("search fetch", "fetch search", FAIL, PASS, PASS),
        ("search counter", "counter search", FAIL, FAIL, PASS),
        ("search wipe", "wipe search", FAIL, FAIL, PASS),
        ("search unlisted", "unlisted search", FAIL, FAIL, PASS),
        ("search write", "write search", FAIL, PASS, PASS),
        ("fetch write", "write fetch", FAIL, FAIL, PASS),
        ("search fetch search", "search search fetch", FAIL, PASS, PASS),
        ("search", "search search", FAIL, FAIL, FAIL),
        ("search fetch", "search", FAIL, FAIL, FAIL),
        ("", "", PASS, PASS, PASS),
        ("", "search", FAIL, FAIL, FAIL),
    ],
)
def test_each_level_of_order_takes_in_what_the_stricter_ones_do(
    route: str, attempt: str, exact: Decision, idempotent: Decision, anyhow: Decision
) -> None:
    reference, tried = called(*route.split()), called(*attempt.split())
    found = [ordered(level, [reference], tried) for level in tool_order.LEVELS]
    assert found == [exact, idempotent, anyhow]
    assert ordered(None, [reference], tried) is exact


def test_a_declared_dependency_on_either_side_keeps_its_order() -> None:
    first = ToolCall("search", {}, "ok", call_id="c1")
    after = ToolCall("fetch", {}, "ok", depends_on=("c1",))
    free = [called("search", "fetch")]
    assert ordered("same_unless_idempotent", free, called("fetch", "search")) is PASS
    bound = [called(first, after)]
    assert ordered("same_unless_idempotent", bound, called("fetch", "search")) is FAIL
    turned = called(
        ToolCall("fetch", {}, "ok", call_id="c9"), ToolCall("search", {}, "ok", depends_on=("c9",))
    )
    assert ordered("same_unless_idempotent", free, turned) is FAIL


def test_a_dependency_means_the_nearest_earlier_call_of_a_repeated_id() -> None:
    one = ToolCall("search", {}, "ok", call_id="c")
    two = ToolCall("fetch", {}, "ok", call_id="c")
    last = ToolCall("search", {}, "ok", depends_on=("c",))
    route = [called(one, two, last)]
    assert ordered("same_unless_idempotent", route, called("search", "search", "fetch")) is FAIL
    assert ordered("same_unless_idempotent", route, called("fetch", "search", "search")) is PASS


def test_calls_that_were_not_recorded_leave_the_order_open() -> None:
    assert ordered("any", [called("search")], run()) is OPEN
    assert ordered("any", [run()], called("search")) is OPEN
    assert ordered("any", [run(), called("search")], called("search")) is PASS
    assert ordered("any", [run(), called("search")], called("fetch")) is OPEN
