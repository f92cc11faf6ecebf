"""Readings that a first gate falls into, each with the smallest evidence that tells them apart.

The names C1 to R4 are those of the list of counterexamples: a change that only tightens, and the
reading under which it would have accepted what was refused.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from agentpolicy.base.instant import parse_instant
from agentpolicy.documents.models.band import Band
from agentpolicy.documents.models.tools import Tools
from agentpolicy.documents.models.waiver import Waiver
from agentpolicy.gate.band import BandResult, judge_band
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions.tool_order import sequence_digest
from agentpolicy.gate.verdict import Route
from agentpolicy.runs.record import RunRecord, ToolCall
from agentpolicy.runs.run_set import RunSet
from tests.evidence import VERDICT, band, calls, run, run_set, tools, waiver, whole_band

AT = parse_instant("2026-03-10T12:00:00Z")
PASS, FAIL, OPEN = Decision.PASS, Decision.FAIL, Decision.INCONCLUSIVE
WAIVED = Decision.PASS_WITH_WAIVERS
SAFE = tools(
    a={"effect": "read", "idempotent": True, "identity_args": ("id",)},
    b={"effect": "read", "idempotent": True},
)


def judge(
    policy: Band,
    before: Sequence[RunRecord],
    after: Sequence[RunRecord],
    listed: Tools | None = SAFE,
    waivers: Sequence[Waiver] = (),
) -> BandResult:
    sets = run_set(*before), run_set(*after)
    return judge_band(policy, listed, *sets, "refund-agent", waivers, {VERDICT}, AT)


def base(attempt: int = 1, **known: Any) -> RunRecord:  # noqa: ANN401 - any field of a run
    return run("f", attempt, "b", **{"tool_calls": (), **known})


def cand(attempt: int = 1, **known: Any) -> RunRecord:  # noqa: ANN401 - any field of a run
    return run("f", attempt, "c", **{"tool_calls": (), **known})


def text(threshold: str) -> dict[str, Decimal]:
    return {"threshold": Decimal(threshold)}


def passed(**args: object) -> tuple[ToolCall, ...]:
    return (ToolCall("a", args, "ok"),)


EIGHTY = "x" * 80 + "y" * 20


def test_c1_an_absent_grade_fails() -> None:
    written: list[dict[str, Any]] = [{}, {"grades": {}}, {"grades": {"text_similarity": "fail"}}]
    for grades in written:
        policy = whole_band(grades, text_similarity=text("1"))
        assert judge(policy, [base(final_answer="a")], [cand(final_answer="b")]).decision is FAIL


def test_c2_an_absent_argument_rule_is_exact_whatever_the_value_looks_like() -> None:
    before, after = [base(tool_calls=passed(note="a b"))], [cand(tool_calls=passed(note="A b"))]
    assert judge(band(), before, after).decision is FAIL
    softer = band(None, arguments={"a": {"note": "similar(0.9)"}})
    assert judge(softer, before, after).decision is PASS


def test_c3_an_absent_tolerance_is_0() -> None:
    before, after = [base(tool_calls=passed(n=1))], [cand(tool_calls=passed(n=Decimal("1.1")))]
    for rule, decision in (
        ("normalised", FAIL),
        ({"rule": "normalised", "tolerance": Decimal(0)}, FAIL),
        ({"rule": "normalised", "tolerance": Decimal("0.5")}, PASS),
    ):
        assert judge(band(None, arguments={"a": {"n": rule}}), before, after).decision is decision


@pytest.mark.parametrize("entry", [None, {"effect": "read"}, {"effect": "write"}])
def test_c4_a_tool_that_is_not_called_idempotent_is_not(entry: dict[str, str] | None) -> None:
    policy = band(None, tool_order="same_unless_idempotent")
    before, after = [base(tool_calls=calls("x", "b"))], [cand(tool_calls=calls("b", "x"))]
    free = tools(b={"effect": "read", "idempotent": True}, x={"effect": "read", "idempotent": True})
    bound = tools(b={"effect": "read", "idempotent": True}, **({"x": entry} if entry else {}))
    assert judge(policy, before, after, free).decision is PASS
    assert judge(policy, before, after, bound).decision is FAIL


def test_c6_tightening_back_to_a_waivers_limit_revives_nothing() -> None:
    one = waiver(band=Decimal("0.95"))
    before, after = [base(final_answer="x" * 100)], [cand(final_answer=EIGHTY)]
    for limit in ("0.92", "0.95"):
        result = judge(band(None, text_similarity=text(limit)), before, after, waivers=[one])
        assert result.decision is WAIVED
    stricter = judge(band(None, text_similarity=text("0.96")), before, after, waivers=[one])
    assert stricter.decision is FAIL


def test_c7_a_listed_key_is_required_though_no_reference_shows_it() -> None:
    before, after = [base(output={"k1": 1})], [cand(output={"k1": 1})]
    assert judge(band(None, required_keys=("k2",)), before, after).decision is FAIL
    assert judge(band(None, required_keys="exact"), before, after).decision is PASS


def test_c8_a_required_key_is_not_thereby_allowed() -> None:
    before, after = [base(output={})], [cand(output={"k3": 1})]
    for listed in ((), ("k3",)):
        policy = band(None, required_keys=listed, optional_keys="forbidden")
        assert judge(policy, before, after).decision is FAIL


def test_c9_similar_accepts_what_normalised_does() -> None:
    before, after = [base(tool_calls=passed(n="x1"))], [cand(tool_calls=passed(n="X1"))]
    for rule in ("normalised", "similar(0.9)", "similar(1)"):
        assert judge(band(None, arguments={"a": {"n": rule}}), before, after).decision is PASS


def test_c10_equal_commitments_satisfy_every_rule_and_unequal_ones_cross_only_exact() -> None:
    one, two = "sha256:" + "1" * 64, "sha256:" + "2" * 64
    before = [base(tool_calls=passed(n=one))]
    answers = {
        rule: [
            judge(
                band(None, arguments={"a": {"n": rule}}), before, [cand(tool_calls=passed(n=other))]
            ).decision
            for other in (one, two)
        ]
        for rule in ("exact", "normalised", "similar(0)", "ignored")
    }
    assert answers == {
        "exact": [PASS, FAIL],
        "normalised": [PASS, OPEN],
        "similar(0)": [PASS, OPEN],
        "ignored": [PASS, PASS],
    }


def test_c11_no_reference_attempt_is_chosen_before_another() -> None:
    one = (ToolCall("a", {"id": "x1"}, "ok"), ToolCall("b", {}, "ok"))
    two = (ToolCall("b", {}, "ok"), ToolCall("a", {"id": "y9"}, "ok"))
    for routes in ((one, two), (two, one)):
        before = [base(number, tool_calls=route) for number, route in enumerate(routes)]
        for order in ("same_unless_idempotent", "exact"):
            result = judge(band(None, tool_order=order), before, [cand(tool_calls=two)])
            assert result.decision is PASS


def test_c12_arguments_are_judged_though_the_order_crosses_and_is_waived() -> None:
    wrong = (ToolCall("b", {}, "ok", "done"), ToolCall("a", {"id": "other"}, "ok", "done"))
    cover = waiver(
        field="tool_order",
        band="exact",
        cases=({"fixture_id": "f", "measured": sequence_digest(wrong)},),
    )
    right = (ToolCall("a", {"id": "x"}, "ok", "done"), ToolCall("b", {}, "ok", "done"))
    before = [base(tool_calls=right)]
    result = judge(band(), before, [cand(tool_calls=wrong)], waivers=[cover])
    assert result.decision is FAIL
    assert {one.field: one.waived_by for one in result.crossings} == {
        "tool_order": "w-1",
        "arguments.a.id": "",
    }


@pytest.mark.parametrize("order", ["exact", "same_unless_idempotent", "any"])
def test_c13_prerequisites_hold_in_every_mode_though_the_reference_breaks_them(order: str) -> None:
    listed = tools(pay={"effect": "write", "requires": ("look",)})
    policy = band(None, tool_order=order)
    before, after = [base(tool_calls=calls("pay"))], [cand(tool_calls=calls("pay"))]
    assert judge(policy, before, after, listed).decision is FAIL


@pytest.mark.parametrize("effect", ["read", "write", "destructive"])
def test_c14_a_prerequisite_counts_whatever_its_effect(effect: str) -> None:
    listed = tools(pay={"effect": "write", "requires": ("look",)}, look={"effect": effect})
    order = calls("pay", "look")
    before, after = [base(tool_calls=order)], [cand(tool_calls=order)]
    assert judge(band(), before, after, listed).decision is FAIL


def test_c15_how_many_waivers_are_open_is_not_the_gates_business() -> None:
    before, after = [base(final_answer="x" * 100)], [cand(final_answer=EIGHTY)]
    policy = band({"max_open": 0}, text_similarity=text("0.92"))
    one = waiver()
    others = [waiver(id=f"w-{number}", agent="refund-agent") for number in (2, 3)]
    assert judge(policy, before, after, waivers=[one]).decision is WAIVED
    assert judge(policy, before, after, waivers=[one, *others]).decision is WAIVED


def test_c16_every_attempt_counts_and_no_majority_does() -> None:
    before = [base(final_answer="yes")]
    answers = [cand(number, final_answer=said) for number, said in enumerate(["no", "yes", "yes"])]
    for repeats in (1, 3):
        policy = whole_band({"repeats": repeats}, text_similarity=text("0.9"))
        assert judge(policy, before, answers).decision is FAIL


@pytest.mark.parametrize("repeats", [1, 3])
def test_c17_all_attempts_are_measured_however_many_are_asked_for(repeats: int) -> None:
    policy = whole_band({"repeats": repeats}, latency_ms_p50={"fail": "1.5x"})
    before = [base(number, latency_ms=100) for number in range(3)]
    slow_first = [cand(number, latency_ms=one) for number, one in enumerate([900, 100, 100])]
    assert judge(policy, before, slow_first).decision is PASS
    fast_first = [cand(number, latency_ms=one) for number, one in enumerate([100, 900, 900])]
    assert judge(policy, before, fast_first).decision is FAIL


def test_c17_fewer_attempts_than_asked_for_are_open_and_a_failure_still_wins() -> None:
    policy = whole_band({"repeats": 3})
    inside, outside = cand(1), cand(2, tool_calls=calls("x"))
    assert judge(policy, [base()], [inside]).decision is OPEN
    assert judge(policy, [base()], [inside, outside]).decision is FAIL


def test_c18_pairs_below_the_minimum_are_not_left_out() -> None:
    known: dict[str, Any] = {
        "test_case_id": "t",
        "prompt_template_version": "p",
        "available_tools_commitment": "a",
        "resolved_model": "m",
    }
    before = [base(final_answer="yes", **known)]
    attempts = [cand(1, final_answer="yes", **known), cand(2, final_answer="no")]
    for minimum, decision in (("unknown", FAIL), ("comparable", FAIL)):
        policy = whole_band({"comparability": {"minimum": minimum}}, text_similarity=text("0.9"))
        result = judge(policy, before, attempts)
        assert (result.decision, result.comparability) == (decision, "unknown")
    strict = whole_band({"comparability": {"minimum": "comparable"}}, text_similarity=text("0.9"))
    inside = judge(strict, before, [attempts[0], cand(2, final_answer="yes")])
    assert (inside.decision, inside.route) == (OPEN, None)


def test_c22_a_covered_failure_does_not_hide_a_missing_score() -> None:
    before = [base(final_answer="x" * 100)]
    after = [cand(1, final_answer=EIGHTY), cand(2)]
    policy = band(None, text_similarity=text("0.92"))
    assert judge(policy, before, after, waivers=[waiver()]).decision is OPEN


def test_c23_a_content_gate_stands_beside_the_score() -> None:
    before, after = [base(final_answer="x" * 100)], [cand(final_answer=EIGHTY)]
    gates = {"all": ({"contains": "z"},)}
    policy = band(None, text_similarity=text("0.92"), required_content=gates)
    result = judge(policy, before, after, waivers=[waiver()])
    assert result.decision is FAIL
    assert {one.field: one.waived_by for one in result.crossings} == {
        "text_similarity.threshold": "w-1",
        "required_content": "",
    }


def routed(policy: Band, *answers: str | None) -> BandResult:
    after = [cand(number, final_answer=answer) for number, answer in enumerate(answers)]
    return judge(policy, [base(final_answer="x" * 100)], after)


def risky(threshold: str, **fields: Any) -> Band:  # noqa: ANN401 - any field of a band
    weights = {"shortfall_weight": 100, "nondeterminism_penalty": 5, "full_gate_from": 18}
    routing = {name: Decimal(weight) for name, weight in weights.items()}
    return whole_band({"routing": routing}, text_similarity=text(threshold), **fields)


def test_r1_the_penalty_reads_evidence_and_not_what_crossed() -> None:
    ninety = "x" * 90 + "y" * 10
    scores = [routed(risky(limit), ninety, EIGHTY).risk.score for limit in ("0.85", "0.95")]
    assert scores == [11, 21]
    assert routed(risky("0.95"), ninety, EIGHTY).route is Route.FULL_GATE


def test_r2_shortfalls_add_up() -> None:
    policy = risky("0.92")
    before = [run(name, side="b", final_answer="x" * 100, tool_calls=()) for name in "fg"]
    one, two = ("x" * (100 - lost) + "y" * lost for lost in (20, 10))
    both = [
        run(name, final_answer=answer, tool_calls=()) for name, answer in (("f", one), ("g", two))
    ]
    assert judge(policy, before, both).risk.score == 2 + 12 + 2


def test_r3_a_false_gate_leaves_the_shortfall_in_the_score() -> None:
    gates = {"all": ({"contains": "z"},)}
    assert routed(risky("0.92"), EIGHTY).risk.score == 13
    assert routed(risky("0.92", required_content=gates), EIGHTY).risk.score == 13


def test_r4_what_is_inconclusive_has_no_route() -> None:
    result = routed(band(None, text_similarity=text("0.9")), None)
    assert (result.decision, result.crossings, result.route) == (OPEN, (), None)


def test_an_empty_set_decides_nothing() -> None:
    nothing = RunSet((), {}, {})
    policy = band(None, latency_ms_p50={"fail": "2x"})
    result = judge_band(policy, None, nothing, nothing, "a", (), (), AT)
    assert (result.decision, result.route) == (OPEN, None)
