"""Each dimension by itself, with the readings that would break the soundness theorem."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import pytest
from agentpolicy.documents.models.band import BandFields
from agentpolicy.gate.catalogue import catalogue_of
from agentpolicy.gate.decision import Decision, worst
from agentpolicy.gate.dimensions import arguments, keys, latency, requires, text, tokens, tool_order
from agentpolicy.gate.finding import Finding
from agentpolicy.gate.pairing import Fixture
from agentpolicy.runs.deltas import similarity
from agentpolicy.runs.evidence import evidence_of
from agentpolicy.runs.record import RunRecord, ToolCall
from tests.evidence import band, calls, run, tools

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


def fixture(references: list[RunRecord], *attempts: RunRecord) -> Fixture:
    return Fixture(
        "f",
        tuple(evidence_of(reference) for reference in references),
        tuple(evidence_of(attempt) for attempt in attempts),
    )


def fields(**written: object) -> BandFields:
    return band(None, **written).fields


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


def required(*attempts: RunRecord) -> list[Decision]:
    return [finding.result for finding in requires.judge(fixture([run()], *attempts), CATALOGUE)]


def test_a_prerequisite_must_have_succeeded_before() -> None:
    assert required(called("fetch", "write")) == [PASS]
    assert required(called("write", "fetch")) == [FAIL]
    assert required(called("write")) == [FAIL]
    assert required(called("search")) == [PASS]


@pytest.mark.parametrize(("status", "result"), [("ok", PASS), ("error", FAIL), (None, OPEN)])
def test_only_a_call_known_to_have_succeeded_counts(status: str | None, result: Decision) -> None:
    assert required(called(ToolCall("fetch", {}, status), "write")) == [result]


def test_a_later_certain_breach_beats_an_earlier_doubt() -> None:
    doubtful = ToolCall("fetch", {}, None)
    other = catalogue_of(
        tools(
            write={"effect": "write", "requires": ("fetch",)},
            pay={"effect": "write", "requires": ("check",)},
        )
    )
    found = requires.judge(fixture([run()], called(doubtful, "write", "pay")), other)
    assert only(found).result is FAIL


@pytest.mark.parametrize("effect", ["read", "write", "destructive"])
def test_a_prerequisite_is_one_whatever_its_own_effect(effect: str) -> None:
    other = catalogue_of(
        tools(write={"effect": "write", "requires": ("fetch",)}, fetch={"effect": effect})
    )
    found = requires.judge(fixture([run()], called("write", "fetch")), other)
    assert only(found).result is FAIL


def test_prerequisites_hold_though_the_reference_breaks_them() -> None:
    broken = fixture([called("write")], called("write"))
    assert only(requires.judge(broken, CATALOGUE)).result is FAIL


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


@pytest.mark.parametrize(
    ("one", "other", "score"),
    [
        ("", "", "1"),
        ("a", "", "0"),
        ("same", "same", "1"),
        ("abc", "abd", "0.6666"),
        ("\u00e9", "e\u0301", "0"),
        ("x" * 92 + "a" * 8, "x" * 92 + "b" * 8, "0.92"),
        ("x" * 99_999 + "a", "x" * 99_999 + "b", "0.9999"),
    ],
)
def test_a_score_is_cut_to_four_decimals(one: str, other: str, score: str) -> None:
    assert similarity(one, other) == similarity(other, one) == Decimal(score)


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


def tokened(
    before: list[int | None], after: list[int | None], **sides: str
) -> dict[str, tuple[Decision, str | None]]:
    written = {"token_ratio": {side: Decimal(limit) for side, limit in sides.items()}}
    pair = fixture([run(tokens=count) for count in before], *[run(tokens=count) for count in after])
    return {
        finding.field: (finding.result, finding.measured)
        for finding in tokens.judge(fields(**written), pair)
    }


@pytest.mark.parametrize(
    ("before", "after", "highest", "lowest"),
    [
        ([100], [140], (PASS, "1.4"), (PASS, "1.4")),
        ([100], [141], (FAIL, "1.41"), (PASS, "1.41")),
        ([100], [70], (PASS, "0.7"), (PASS, "0.7")),
        ([100], [69], (PASS, "0.69"), (FAIL, "0.69")),
        ([3], [5], (FAIL, "1.6667"), (PASS, "1.6666")),
        ([3], [2], (PASS, "0.6667"), (FAIL, "0.6666")),
        ([100, 100, 1], [900, 100, 100], (PASS, "1"), (PASS, "1")),
        ([0], [5], (OPEN, None), (OPEN, None)),
        ([None], [5], (OPEN, None), (OPEN, None)),
        ([100], [None], (OPEN, None), (OPEN, None)),
        ([100, 100, 100], [100, 100, None], (PASS, "1"), (PASS, "1")),
        ([100, 100, 100], [999, 999, None], (FAIL, "9.99"), (PASS, "9.99")),
        ([100], [None, 999, 9999], (FAIL, None), (PASS, None)),
    ],
)
def test_tokens_compare_median_to_median_without_dividing(
    before: list[int | None],
    after: list[int | None],
    highest: tuple[Decision, str | None],
    lowest: tuple[Decision, str | None],
) -> None:
    found = tokened(before, after, min="0.7", max="1.4")
    assert found == {"token_ratio.max": highest, "token_ratio.min": lowest}


def test_only_the_sides_a_band_writes_are_judged() -> None:
    assert set(tokened([1], [1], max="1.4")) == {"token_ratio.max"}
    assert set(tokened([1], [1], min="0.7")) == {"token_ratio.min"}


def timed(before: list[int | None], after: list[int | None], **limits: str) -> list[Decision]:
    sets = fixture([run(latency_ms=one) for one in before], *[run(latency_ms=one) for one in after])
    return [finding.result for finding in latency.judge(fields(latency_ms_p50=limits), [sets])]


@pytest.mark.parametrize(
    ("before", "after", "result"),
    [
        ([1000], [3000], PASS),
        ([1000], [3001], FAIL),
        ([1000, 1000], [2000, 9000], PASS),
        ([1000], [None], OPEN),
        ([0], [1], OPEN),
        ([1000] * 3, [9000, 9000, None], FAIL),
        ([1000] * 3, [1000, 1000, None], PASS),
    ],
)
def test_latency_compares_the_median_of_the_set(
    before: list[int | None], after: list[int | None], result: Decision
) -> None:
    assert timed(before, after, fail="3.0x") == [result]


def test_a_warning_is_a_note_and_never_a_finding() -> None:
    assert timed([1000], [2000], warn="1.5x") == []
    slow = fixture([run(latency_ms=1000)], run(latency_ms=1501))
    written = fields(latency_ms_p50={"warn": "1.5x"})
    assert [note.measured for note in latency.notes(written, [slow])] == ["1.501"]
    level = fixture([run(latency_ms=1000)], run(latency_ms=1500))
    assert not list(latency.notes(written, [level]))


def test_a_fixture_left_out_is_an_unknown_latency() -> None:
    written = fields(latency_ms_p50={"fail": "3.0x"})
    there = fixture([run(latency_ms=1)], run(latency_ms=1))
    gone = fixture([run(latency_ms=1)])
    assert only(latency.judge(written, [there, gone, gone])).result is OPEN


JUDGES: Mapping[str, Callable[[BandFields, Fixture], Any]] = {
    "tool_order": lambda written, pair: tool_order.judge(written, pair, CATALOGUE),
    "text": text.judge,
    "tokens": tokens.judge,
    "keys": keys.judge,
}


@pytest.mark.parametrize("name", ["text", "tokens", "keys"])
def test_an_absent_field_is_not_judged(name: str) -> None:
    assert not list(JUDGES[name](fields(), fixture([run()], run())))
