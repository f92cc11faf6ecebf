"""Waivers of facts, single arguments, ratios of calls, and limits on the whole set."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from agentpolicy.base.instant import parse_instant
from agentpolicy.documents.models.band import Band
from agentpolicy.documents.models.waiver import Waiver
from agentpolicy.gate.band import BandResult, judge_band
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions.tool_order import sequence_digest
from agentpolicy.gate.verdict import Route
from agentpolicy.gate.waivers import WaiverState
from agentpolicy.runs.record import RunRecord, ToolCall
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace
from tests.evidence import VERDICT, band, calls, run, run_set, tools, waiver

AT = parse_instant("2026-03-10T12:00:00Z")
FAIL, OPEN, WAIVED = Decision.FAIL, Decision.INCONCLUSIVE, Decision.PASS_WITH_WAIVERS
SUBJECT = "sha256:" + "5" * 64
CATALOGUE = tools(look={"effect": "read"}, pay={"effect": "write", "identity_args": ("id",)})


def judge(
    policy: Band, before: Sequence[RunRecord], after: Sequence[RunRecord], *waivers: Waiver
) -> BandResult:
    sets = run_set(*before), run_set(*after)
    return judge_band(policy, CATALOGUE, *sets, "refund-agent", waivers, {VERDICT}, AT)


def states(result: BandResult) -> list[WaiverState]:
    return [report.state for report in result.waivers]


def named(result: BandResult, field: str) -> str:
    """Give what a waiver of a crossing cites."""
    (finding,) = [one for one in result.crossings if one.field == field]
    assert isinstance(finding.value, str)
    return finding.value


# Facts and ratios of calls


def stated(answer: str, level: str = "kept", **changed: object) -> BandResult:
    one = waiver(**{"field": "facts", "band": "kept", **changed})
    before = [run(side="b", final_answer="A-1", tool_calls=())]
    after = [run(final_answer=answer, tool_calls=())]
    return judge(band(None, facts=level), before, after, one)


def test_facts_are_waived_by_their_digest_at_no_stricter_level() -> None:
    seen = named(stated("A-2"), "facts")
    cases = ({"fixture_id": "f", "measured": seen},)
    assert stated("now it is A-2", cases=cases).decision is WAIVED
    assert states(stated("A-3", cases=cases)) == [WaiverState.EXCEEDED]
    assert states(stated("A-2", "equal", cases=cases)) == [WaiverState.STALE]
    assert stated("A-2", "kept", band="equal", cases=cases).decision is WAIVED


def test_a_waiver_of_the_text_covers_no_facts() -> None:
    policy = band(None, facts="kept", text_similarity={"threshold": Decimal("0.92")})
    before = [run(side="b", final_answer="A-1", tool_calls=())]
    after = [run(final_answer="A-2", tool_calls=())]
    result = judge(
        policy, before, after, waiver(cases=({"fixture_id": "f", "measured": Decimal(0)},))
    )
    assert [(one.field, one.waived_by) for one in result.crossings] == [
        ("text_similarity.threshold", "w-1"),
        ("facts", ""),
    ]
    assert result.decision is FAIL


@pytest.mark.parametrize(
    ("count", "granted", "state"),
    [
        (4, "1.5", WaiverState.USED),
        (5, "1.5", WaiverState.EXCEEDED),
        (4, "1.6", WaiverState.STALE),
        (4, "1.4", WaiverState.USED),
        (3, "1.5", WaiverState.UNUSED),
    ],
)
def test_more_calls_than_waived_are_not_covered(
    count: int, granted: str, state: WaiverState
) -> None:
    cases = ({"fixture_id": "f", "measured": Decimal(2)},)
    one = waiver(field="tool_calls_ratio", band=Decimal(granted), cases=cases)
    policy = band(None, tool_calls_ratio=Decimal("1.5"))
    before = [run(side="b", tool_calls=calls("look", "look"))]
    after = [run(tool_calls=calls(*["look"] * count))]
    assert states(judge(policy, before, after, one)) == [state]


# Limits on the whole set


def timed(
    *latencies: int,
    subjects: Sequence[str | None] = (SUBJECT,),
    rule: str = "latency_ms_p50.fail",
    **changed: Any,  # noqa: ANN401 - any field of a waiver
) -> BandResult:
    policy = band(None, latency_ms_p50={"fail": "1.5x"}, latency_ms_p95="1.5x")
    before = [run(side="b", latency_ms=100, tool_calls=())]
    after = [
        run(attempt=number, latency_ms=latency, subject=subject, tool_calls=())
        for number, (latency, subject) in enumerate(
            zip(latencies, list(subjects) * len(latencies), strict=False)
        )
    ]
    one = Waiver.model_validate(
        {
            key: value
            for key, value in waiver().model_dump(exclude_none=True).items()
            if key not in {"field", "cases"}
        }
        | {
            "scope": "aggregate",
            "metric": rule,
            "measured": Decimal(2),
            "subject": SUBJECT,
            "band": Decimal("1.5"),
        }
        | changed
    )
    return judge(policy, before, after, one)


def test_a_waiver_of_an_aggregate_covers_one_limit_of_one_subject() -> None:
    both = timed(200)
    assert (both.decision, states(both)) == (FAIL, [WaiverState.USED])
    assert {one.field: one.waived_by for one in both.crossings} == {
        "latency_ms_p50.fail": "w-1",
        "latency_ms_p95": "",
    }
    tail = timed(100, 100, 200, rule="latency_ms_p95")
    assert (tail.decision, tail.route) == (WAIVED, Route.FAST_REVIEW)
    assert tail.waivers[0].fixtures == ("whole set",)


@pytest.mark.parametrize(
    ("changed", "state"),
    [
        ({}, WaiverState.USED),
        ({"measured": Decimal("1.99")}, WaiverState.EXCEEDED),
        ({"band": "1.5x"}, WaiverState.USED),
        ({"band": "1.4x"}, WaiverState.USED),
        ({"band": Decimal("1.6")}, WaiverState.STALE),
        ({"band": "soon"}, WaiverState.STALE),
        ({"subject": "another"}, WaiverState.UNUSED),
        ({"expires_on": "2026-03-09"}, WaiverState.EXPIRED),
    ],
)
def test_a_waiver_of_an_aggregate_is_held_to_what_it_says(
    changed: dict[str, Any], state: WaiverState
) -> None:
    assert states(timed(100, 100, 200, rule="latency_ms_p95", **changed)) == [state]


@pytest.mark.parametrize("subjects", [(None,), (SUBJECT, "another"), (SUBJECT, None)])
def test_runs_that_do_not_all_name_the_subject_are_not_covered(
    subjects: Sequence[str | None],
) -> None:
    assert states(timed(200, 200, subjects=subjects)) == [WaiverState.UNUSED]


def test_a_waiver_of_fixtures_covers_no_limit_on_the_whole_set() -> None:
    policy = band(None, latency_ms_p95="1.5x")
    before, after = [run(side="b", latency_ms=1, tool_calls=())], [run(latency_ms=9, tool_calls=())]
    assert states(judge(policy, before, after, waiver())) == [WaiverState.UNUSED]


# Single arguments


def paid(*argument_sets: Any, side: str = "c", attempt: int = 1) -> RunRecord:  # noqa: ANN401 - JSON
    made = tuple(ToolCall("pay", shown, "ok") for shown in argument_sets)
    return run(attempt=attempt, side=side, tool_calls=made)


def of(argument: str, measured: str, limit: str = "exact", name: str = "w-1") -> Waiver:
    cases = ({"fixture_id": "f", "measured": measured},)
    return waiver(id=name, field=f"arguments.pay.{argument}", band=limit, cases=cases)


BEFORE = [paid({"id": 1, "note": "a", "tag": "x"}, side="b")]


def test_a_waiver_of_one_argument_covers_the_values_it_names() -> None:
    crossed = [paid({"id": 1, "note": "b", "tag": "x"})]
    seen = named(judge(band(), BEFORE, crossed), "arguments.pay.note")
    result = judge(band(), BEFORE, crossed, of("note", seen))
    assert (result.decision, states(result)) == (WAIVED, [WaiverState.USED])
    assert result.waivers[0].fixtures == ("f",)
    other = judge(band(), BEFORE, [paid({"id": 1, "note": "c", "tag": "x"})], of("note", seen))
    assert (other.decision, states(other)) == (FAIL, [WaiverState.EXCEEDED])


def test_every_crossing_argument_needs_its_waiver() -> None:
    crossed = [paid({"id": 1, "note": "b", "tag": "y"})]
    found = judge(band(), BEFORE, crossed)
    note, tag = (
        of(one, named(found, f"arguments.pay.{one}"), name=f"w-{one}") for one in ("note", "tag")
    )
    half = judge(band(), BEFORE, crossed, note)
    assert half.decision is FAIL
    assert {one.field: one.waived_by for one in half.crossings} == {
        "arguments.pay.note": "w-note",
        "arguments.pay.tag": "",
    }
    assert judge(band(), BEFORE, crossed, note, tag).decision is WAIVED


def test_a_stricter_rule_makes_a_waiver_of_an_argument_stale() -> None:
    crossed = [paid({"id": 1, "note": "b", "tag": "x"})]
    seen = named(judge(band(), BEFORE, crossed), "arguments.pay.note")
    assert states(judge(band(), BEFORE, crossed, of("note", seen, "normalised"))) == [
        WaiverState.STALE
    ]
    assert states(judge(band(), BEFORE, crossed, of("note", seen, "0.9"))) == [WaiverState.STALE]
    looser = band(None, arguments={"pay": {"note": "similar(0.9)"}})
    assert judge(looser, BEFORE, crossed, of("note", seen, "normalised")).decision is WAIVED


def test_an_identity_is_held_to_exact_whatever_the_waiver_was_granted_against() -> None:
    soft = band(None, arguments={"pay": {"id": "ignored"}})
    crossed = [paid({"id": 2, "note": "a", "tag": "x"})]
    seen = named(judge(soft, BEFORE, crossed), "arguments.pay.id")
    assert states(judge(soft, BEFORE, crossed, of("id", seen, "normalised"))) == [WaiverState.STALE]
    assert judge(soft, BEFORE, crossed, of("id", seen)).decision is WAIVED


def test_arguments_are_judged_together_with_what_is_waived_out_of_sight() -> None:
    """What a crossing blames is one choice; a waiver may name the other one."""
    before = [
        paid({"id": 1, "note": "a", "tag": "x"}, {"id": 1, "note": "b", "tag": "y"}, side="b")
    ]
    crossed = [paid({"id": 1, "note": "a", "tag": "y"}, {"id": 1, "note": "b", "tag": "x"})]
    found = judge(band(), before, crossed)
    (blamed,) = found.crossings
    assert blamed.field in {"arguments.pay.note", "arguments.pay.tag"}
    same = judge(band(), [paid({"id": 1, "note": "z", "tag": "z"}, side="b")], crossed)
    for argument in ("note", "tag"):
        field = f"arguments.pay.{argument}"
        result = judge(band(), before, crossed, of(argument, named(same, field)))
        assert (result.decision, states(result)) == (WAIVED, [WaiverState.USED])


def test_an_unknown_argument_beside_a_waived_one_stays_unknown() -> None:
    hidden = "sha256:" + "1" * 64
    soft = band(None, arguments={"pay": {"tag": "normalised"}})
    crossed = [paid({"id": 1, "note": "b", "tag": hidden})]
    seen = named(judge(soft, BEFORE, crossed), "arguments.pay.note")
    result = judge(soft, BEFORE, crossed, of("note", seen))
    assert (result.decision, result.route) == (OPEN, None)


def test_arguments_that_are_no_object_are_never_waived() -> None:
    result = judge(band(), BEFORE, [paid("{broken")], of("note", "sha256:" + "1" * 64))
    assert (result.decision, states(result)) == (FAIL, [WaiverState.UNUSED])


SETS = st.lists(
    st.fixed_dictionaries(
        {"id": st.just(1), "note": st.sampled_from("ab"), "tag": st.sampled_from("xyX")}
    ),
    min_size=1,
    max_size=2,
)


@given(SETS, SETS, st.sets(st.sampled_from(["note", "tag"]), min_size=1))
def test_waivers_of_arguments_never_revive_under_a_stricter_rule(
    before: list[dict[str, object]], after: list[dict[str, object]], covered: set[str]
) -> None:
    references, tried = [paid(*before, side="b")], [paid(*after)]
    shown = judge(band(), [paid({"id": 2, "note": "?", "tag": "?"}, side="b")], tried)
    cited = {one.field: str(one.value) for one in shown.crossings}
    given_ = [
        of(name, cited.get(f"arguments.pay.{name}", "sha256:" + "0" * 64), "exact", f"w-{name}")
        for name in sorted(covered)
    ]
    chain = ["ignored", "similar(0.5)", "normalised", "exact"]
    ranks = [
        judge(
            band(None, arguments={"pay": {"tag": rule}}), references, tried, *given_
        ).decision.rank
        for rule in chain
    ]
    assert ranks == sorted(ranks, reverse=True)


def test_what_a_softer_rule_would_leave_open_stays_open_under_a_waiver() -> None:
    """Else to tighten the rule, which proves the crossing, would let the waiver in."""
    one, other = ("sha256:" + digit * 64 for digit in "12")
    before = [paid({"id": 1, "note": one, "tag": "x"}, side="b")]
    crossed = [paid({"id": 1, "note": other, "tag": "x"})]
    seen = named(judge(band(), before, crossed), "arguments.pay.note")
    for policy in (band(), band(None, arguments={"pay": {"note": "normalised"}})):
        assert judge(policy, before, crossed, of("note", seen)).decision is OPEN


@pytest.mark.parametrize(("result", "answer"), [("done", WAIVED), (UNSET, OPEN)])
def test_an_order_that_may_or_may_not_matter_stays_open_under_a_waiver(
    result: object, answer: Decision
) -> None:
    listed = tools(
        look={"effect": "read", "idempotent": True},
        note={"effect": "read", "idempotent": True, "identity_args": ("id",)},
    )
    made = (ToolCall("look", {}, "ok", result), ToolCall("note", {"id": "A"}, "ok", result))
    cover = waiver(
        field="tool_order",
        band="exact",
        cases=({"fixture_id": "f", "measured": sequence_digest(made[::-1])},),
    )
    found = judge_band(
        band(), listed, run_set(run(side="b", tool_calls=made)),
        run_set(run(tool_calls=made[::-1])), "refund-agent", [cover], {VERDICT}, AT,
    )  # fmt: skip
    assert found.decision is answer


def test_a_waiver_of_an_argument_covers_nothing_else_of_its_attempt() -> None:
    crossed = [paid({"id": 1, "note": "b", "tag": "x"})]
    seen = named(judge(band(), BEFORE, crossed), "arguments.pay.note")
    policy = band(None, required_content={"all": ({"contains": "z"},)})
    answered = [replace(crossed[0], final_answer="no")]
    result = judge(policy, BEFORE, answered, of("note", seen))
    assert result.decision is FAIL
    assert {one.field: one.waived_by for one in result.crossings} == {
        "arguments.pay.note": "w-1",
        "required_content": "",
    }


def test_one_of_several_cases_suffices() -> None:
    one, two = ({"id": 1, "note": note, "tag": "x"} for note in "bc")
    crossed = [paid(one), paid(two, attempt=2)]
    found = judge(band(), BEFORE, crossed)
    cases = tuple({"fixture_id": "f", "measured": str(one.value)} for one in found.crossings)
    assert len(cases) == 2
    cover = waiver(field="arguments.pay.note", band="exact", cases=cases)
    assert judge(band(), BEFORE, crossed, cover).decision is WAIVED


def test_calls_where_the_baseline_makes_none_are_no_ratio_to_waive() -> None:
    cases = ({"fixture_id": "f", "measured": Decimal(99)},)
    one = waiver(field="tool_calls_ratio", band=Decimal("1.5"), cases=cases)
    policy = band(None, tool_calls_ratio=Decimal("1.5"), tool_order="any")
    before, after = [run(side="b", tool_calls=())], [run(tool_calls=calls("look"))]
    result = judge(policy, before, after, one)
    assert (result.decision, states(result)) == (FAIL, [WaiverState.EXCEEDED])
