"""The sequence of calls, at each level of order."""

from itertools import pairwise, permutations
from typing import Any

import pytest
from agentpolicy.gate.catalogue import Catalogue, catalogue_of
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions import tool_order
from agentpolicy.gate.finding import Finding
from agentpolicy.runs.record import RunRecord, ToolCall
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
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


def reachable(route: tuple[str, ...], catalogue: Catalogue) -> set[tuple[str, ...]]:
    """Exchange neighbours that may change places, as long as anything new turns up."""
    found, waiting = {route}, [route]
    while waiting:
        now = waiting.pop()
        for index, (one, other) in enumerate(pairwise(now)):
            free = (
                one != other
                and catalogue.safe_to_repeat(one)
                and catalogue.safe_to_repeat(other)
                and one not in catalogue.requires(other)
                and other not in catalogue.requires(one)
            )
            turned = (*now[:index], other, one, *now[index + 2 :])
            if free and turned not in found:
                found.add(turned)
                waiting.append(turned)
    return found


@given(st.lists(st.sampled_from(["search", "fetch", "write", "counter"]), max_size=5).map(tuple))
def test_exactly_the_harmless_exchanges_of_neighbours_are_inside(route: tuple[str, ...]) -> None:
    reference = called(*route)
    for order in set(permutations(route)):
        inside = ordered("same_unless_idempotent", [reference], called(*order))
        assert inside is (PASS if order in reachable(route, CATALOGUE) else FAIL)


ORDERS = tools(
    find={"effect": "read", "idempotent": True},
    read={"effect": "read", "idempotent": True, "identity_args": ("id",)},
)


def identified(
    before: list[ToolCall], after: list[ToolCall], level: str = "same_unless_idempotent"
) -> Decision:
    routes = fixture([run(tool_calls=tuple(before))], run(tool_calls=tuple(after)))
    return only(tool_order.judge(fields(tool_order=level), routes, catalogue_of(ORDERS))).result


def find(result: object = UNSET, **args: object) -> ToolCall:
    return ToolCall("find", args, "ok", result)


def read(**args: object) -> ToolCall:
    return ToolCall("read", args, "ok", None)


@pytest.mark.parametrize(
    ("result", "identity", "expected"),
    [
        ({"orders": [{"id": "A-1"}]}, "A-1", FAIL),
        ('{"orders": [{"id": "A-1"}]}', "A-1", FAIL),
        ({"orders": [1042]}, 1042, FAIL),
        ({"orders": ["1042"]}, 1042, FAIL),
        ({"orders": ["A-11"]}, "A-1", PASS),
        ({"orders": []}, "A-1", PASS),
        ("A-1 and B-2", ["B-2"], FAIL),
        ("yes", True, PASS),
        ("", "", PASS),
        (UNSET, "A-1", OPEN),
        ("sha256:" + "1" * 64, "A-1", OPEN),
        (None, "A-1", PASS),
    ],
)
def test_a_call_stays_behind_the_one_that_found_what_it_is_about(
    result: object, identity: object, expected: Decision
) -> None:
    there = [find(result), read(id=identity)]
    assert identified(there, there[::-1]) is expected
    assert identified(there[::-1], there) is expected
    assert identified(there, there[::-1], "any") is PASS


def test_what_was_asked_for_before_was_not_found() -> None:
    there = [find({"id": "A-1"}, order="A-1"), read(id="A-1")]
    assert identified(there, there[::-1]) is PASS


def test_only_identity_arguments_carry_what_was_found() -> None:
    there = [find({"id": "A-1"}), read(id="B-2", note="A-1")]
    assert identified(there, there[::-1]) is PASS


def test_an_unrecorded_result_does_not_hide_a_known_source() -> None:
    there = [find(), find({"id": "A-1"}), read(id="A-1")]
    assert identified(there, [there[0], there[2], there[1]]) is FAIL
    assert identified(there, [there[2], there[0], there[1]]) is FAIL


def test_a_more_certain_crossing_beats_an_unknown_result() -> None:
    unsafe = ToolCall("unlisted", {}, "ok")
    there = [find(), read(id="A-1"), unsafe]
    assert identified(there, [there[2], there[1], there[0]]) is FAIL


def test_a_retry_that_the_record_states_is_no_extra_call() -> None:
    broken = ToolCall("search", {}, "timeout", attempt_id="t1")
    again = ToolCall("search", {}, "ok", retry_of="t1")
    once = called("search", "fetch")
    for level in tool_order.LEVELS:
        assert ordered(level, [once], called(broken, again, "fetch")) is PASS
        assert ordered(level, [called(broken, again, "fetch")], once) is PASS
        assert ordered(level, [once], called(broken, "search", "fetch")) is FAIL
    assert ordered("exact", [called("search", "search")], called(broken, again)) is PASS


def test_calls_of_child_agents_count() -> None:
    child = ToolCall("fetch", {}, "ok", parent_call_id="c1")
    for level in tool_order.LEVELS:
        assert ordered(level, [called("search")], called("search", child)) is FAIL


def test_the_nearest_reference_is_the_one_named() -> None:
    routes = [called("search", "wipe", "wipe"), called("search", "fetch")]
    judged = tool_order.judge(
        fields(), fixture(routes, called("search", "fetch", "write")), CATALOGUE
    )
    assert only(judged).why == "called `write`, which no reference attempt does"


def test_what_the_baseline_lacks_is_a_route_nobody_recorded() -> None:
    assert ordered("any", [run(), called("fetch")], called("search")) is OPEN
