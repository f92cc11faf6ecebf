"""Arguments, matched call by call within one reference attempt."""

from collections.abc import Mapping
from decimal import Decimal
from itertools import permutations
from typing import Any

import pytest
from agentpolicy.documents.models.band import BandFields
from agentpolicy.gate.argument_rules import rules_of
from agentpolicy.gate.catalogue import catalogue_of
from agentpolicy.gate.decision import Decision, worst
from agentpolicy.gate.dimensions import arguments
from agentpolicy.gate.finding import Finding
from agentpolicy.runs.record import RunRecord, ToolCall
from hypothesis import given
from hypothesis import strategies as st
from tests.evidence import calls, fields, fixture, run, tools

ONE, TWO = "sha256:" + "1" * 64, "sha256:" + "2" * 64
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


SOFT: Mapping[str, Any] = {"search": {"q": "similar(0.8)", "tag": "normalised", "page": "ignored"}}
LISTED = catalogue_of(tools(search={"effect": "read", "identity_args": ("id",)}))


def found(
    references: list[RunRecord], attempt: RunRecord, rules: Mapping[str, Any] = SOFT
) -> list[Finding]:
    written = fields(arguments=rules)
    return list(arguments.judge(written, fixture(references, attempt), LISTED))


@pytest.mark.parametrize(
    ("reference", "attempt", "result"),
    [
        ({"q": "refund of order"}, {"q": "refund of orders"}, PASS),
        ({"q": "refund"}, {"q": "weather"}, FAIL),
        ({"tag": "Urgent"}, {"tag": "urgent "}, PASS),
        ({"tag": "urgent"}, {"tag": "later"}, FAIL),
        ({"page": 1}, {"page": 2}, PASS),
        ({"page": 1}, {}, PASS),
        ({"tag": "a"}, {}, FAIL),
        ({"id": "A"}, {"id": "a"}, FAIL),
        ({"other": "A"}, {"other": "a"}, FAIL),
    ],
)
def test_each_argument_follows_its_own_rule(
    reference: dict[str, object], attempt: dict[str, object], result: Decision
) -> None:
    judged = found([passed(reference)], passed(attempt))
    assert worst(finding.result for finding in judged) is result


def test_identities_are_exact_where_the_band_ignores_them() -> None:
    rules = {"search": {"id": "ignored"}}
    (finding,) = found([passed({"id": "A-1"})], passed({"id": "A-2"}), rules)
    assert (finding.field, finding.result, finding.limit) == ("arguments.search.id", FAIL, "exact")


def test_a_crossing_names_its_argument_with_its_rule() -> None:
    reference = passed({"q": "refund of order", "tag": "a", "id": 1})
    crossed = found([reference], passed({"q": "weather", "tag": "b", "id": 1}))
    assert [(one.field, one.limit, one.measured) for one in crossed] == [
        ("arguments.search.q", "similar(0.8)", '"weather"'),
        ("arguments.search.tag", "normalised", '"b"'),
    ]
    assert crossed[0].why == 'no reference called search with q = "weather"'


def test_the_nearest_reference_is_blamed_on() -> None:
    far, near = passed({"id": 1, "tag": "a"}), passed({"id": 2, "tag": "b"})
    (finding,) = found([far, near], passed({"id": 2, "tag": "c"}))
    assert finding.field == "arguments.search.tag"


def test_arguments_that_do_not_go_together_say_so() -> None:
    one, two = passed({"id": 1, "tag": "a"}), passed({"id": 2, "tag": "b"})
    (finding,) = found([one, two], passed({"id": 1, "tag": "b"}))
    assert finding.why.startswith("no single reference attempt called search with all these ")


def test_the_value_of_a_crossing_names_all_that_was_passed_in_any_order() -> None:
    reference = passed({"id": 1}, {"id": 2})
    there, back = (found([reference], passed(*ids)) for ids in (
        ({"id": 1}, {"id": 3}), ({"id": 3}, {"id": 1}),
    ))  # fmt: skip
    assert there[0].value == back[0].value
    assert there[0].value != found([reference], passed({"id": 1}, {"id": 4}))[0].value


@pytest.mark.parametrize(
    ("ours", "theirs", "strict", "soft"),
    [
        (ONE, ONE, PASS, PASS),
        (ONE, TWO, FAIL, OPEN),
        (ONE, {"id": 1}, OPEN, OPEN),
        ("{broken", {"id": 1}, FAIL, FAIL),
        ("{broken", ONE, OPEN, OPEN),
    ],
)
def test_arguments_committed_as_a_whole_are_equal_or_unknown_where_any_may_differ(
    ours: object, theirs: object, strict: Decision, soft: Decision
) -> None:
    for rules, expected in (({}, strict), (SOFT, soft)):
        (finding,) = found([passed(theirs)], passed(ours), rules)
        assert finding.result is expected


def test_what_is_no_object_can_only_cross_as_a_whole() -> None:
    (finding,) = found([passed({"id": 1})], passed("{broken"))
    assert (finding.field, finding.value, finding.measured) == ("arguments", None, '"{broken"')


def by_trying(
    written: BandFields, references: list[list[dict[str, object]]], attempt: list[dict[str, object]]
) -> bool:
    """Try every way to pair the shorter list of calls with the longer one."""
    rules = rules_of(written, LISTED)

    def fits(one: dict[str, object], other: dict[str, object]) -> bool:
        return all(
            rules.of("search", name).inside(one[name], other[name]) is True
            if name in one and name in other
            else rules.of("search", name).level == "ignored"
            for name in one.keys() | other.keys()
        )

    return any(
        any(
            all(fits(one, other) for one, other in zip(attempt, chosen, strict=False))
            for chosen in permutations(route)
        )
        if len(attempt) <= len(route)
        else any(
            all(fits(one, other) for one, other in zip(chosen, route, strict=False))
            for chosen in permutations(attempt)
        )
        for route in references
    )


ARGUMENT_SETS = st.lists(
    st.fixed_dictionaries(
        {"id": st.integers(1, 2), "tag": st.sampled_from(["a", "A", "b"])},
        optional={"q": st.sampled_from(["refund", "refunds", "pay"]), "page": st.integers(1, 2)},
    ),
    min_size=1,
    max_size=3,
)


@given(st.lists(ARGUMENT_SETS, min_size=1, max_size=2), ARGUMENT_SETS)
def test_arguments_are_inside_if_and_only_if_some_pairing_has_them_all(
    references: list[list[dict[str, object]]], attempt: list[dict[str, object]]
) -> None:
    judged = found([passed(*route) for route in references], passed(*attempt))
    inside = by_trying(fields(arguments=SOFT), references, attempt)
    assert worst(finding.result for finding in judged) is (PASS if inside else FAIL)


@given(st.lists(ARGUMENT_SETS, min_size=1, max_size=2), ARGUMENT_SETS)
def test_what_is_blamed_is_all_that_crosses_and_nothing_more(
    references: list[list[dict[str, object]]], attempt: list[dict[str, object]]
) -> None:
    pair = fixture([passed(*route) for route in references], passed(*attempt))
    written = fields(arguments=SOFT)
    crossed = [one for one in arguments.judge(written, pair, LISTED) if one.crosses]
    blamed = {("search", one.field.rpartition(".")[2]) for one in crossed}

    def inside(waived: set[tuple[str, str]]) -> bool:
        (tried,) = pair.attempts
        answer = arguments.without(written, pair, tried, LISTED, frozenset(waived))
        return answer is True

    assert inside(blamed)
    assert not crossed or not any(inside(blamed - {one}) for one in blamed) or len(references) > 1
