"""What a waiver lets through, and for how long."""

from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Any

import pytest
from agentpolicy.base.instant import Instant, parse_instant
from agentpolicy.documents.models.band import Band
from agentpolicy.documents.models.waiver import Waiver
from agentpolicy.gate.band import BandResult, judge_band
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions.tool_order import sequence_digest
from agentpolicy.gate.verdict import Route
from agentpolicy.gate.waivers import WaiverState, state_of
from agentpolicy.runs.record import RunRecord
from tests.evidence import VERDICT, band, calls, run, run_set, waiver

NOON = parse_instant("2026-03-10T12:00:00Z")
ALIKE = {"text_similarity": {"threshold": Decimal("0.92")}}
RATIO = {"token_ratio": {"min": Decimal("0.7"), "max": Decimal("1.4")}}
FAIL, OPEN, WAIVED = Decision.FAIL, Decision.INCONCLUSIVE, Decision.PASS_WITH_WAIVERS
EIGHTY = "x" * 80 + "y" * 20
"""Scores 0.80 against a hundred x."""


def judge(
    policy: Band,
    before: Sequence[RunRecord],
    after: Sequence[RunRecord],
    *waivers: Waiver,
    confirmed: Collection[str] = (VERDICT,),
    at: Instant = NOON,
) -> BandResult:
    sets = run_set(*before), run_set(*after)
    return judge_band(policy, None, *sets, "refund-agent", waivers, confirmed, at)


def answered(*answers: str | None, fixture: str = "f", side: str = "c") -> list[RunRecord]:
    return [
        run(fixture, number, side, final_answer=answer, tool_calls=())
        for number, answer in enumerate(answers, 1)
    ]


def scored(*answers: str | None, policy: Band | None = None, **changed: Any) -> BandResult:  # noqa: ANN401 - any field of a waiver
    before = answered("x" * 100, side="b")
    return judge(policy or band(None, **ALIKE), before, answered(*answers), waiver(**changed))


def spent(before: int, after: int, **changed: object) -> BandResult:
    runs = [
        run(side=side, tokens=count, tool_calls=()) for side, count in (("b", before), ("c", after))
    ]
    one = waiver(**{"field": "token_ratio.max", "band": Decimal("1.4"), **changed})
    return judge(band(None, **RATIO), runs[:1], runs[1:], one)


def state(result: BandResult) -> WaiverState:
    (report,) = result.waivers
    return report.state


def test_a_known_crossing_passes_with_its_waiver_and_is_still_reviewed() -> None:
    result = scored(EIGHTY)
    assert (result.decision, result.route) == (WAIVED, Route.FAST_REVIEW)
    assert [finding.waived_by for finding in result.crossings] == ["w-1"]
    assert (state(result), result.waivers[0].fixtures) == (WaiverState.USED, ("f",))
    assert result.waivers[0].days_left == 21


@pytest.mark.parametrize(
    ("instant", "expected"),
    [
        ("2026-03-01T23:59:59Z", WaiverState.NOT_YET),
        ("2026-03-02T00:00:00Z", None),
        ("2026-03-31T23:59:59Z", None),
        ("2026-04-01T00:00:00Z", WaiverState.EXPIRED),
    ],
)
def test_a_waiver_is_active_from_its_first_second_through_its_last_day(
    instant: str, expected: WaiverState | None
) -> None:
    at = parse_instant(instant)
    assert state_of(waiver(), at) is expected
    before = answered("x" * 100, side="b")
    result = judge(band(None, **ALIKE), before, answered(EIGHTY), waiver(), at=at)
    assert result.decision is (WAIVED if expected is None else FAIL)
    assert state(result) is (expected or WaiverState.USED)


@pytest.mark.parametrize(
    ("max_days", "expires_on", "expected"),
    [
        (None, "2026-04-01", WaiverState.USED),
        (None, "2026-04-02", WaiverState.TOO_LONG),
        (29, "2026-03-31", WaiverState.USED),
        (28, "2026-03-31", WaiverState.TOO_LONG),
        (90, "2026-05-31", WaiverState.USED),
    ],
)
def test_a_waiver_that_lasts_longer_than_the_band_allows_does_not_count(
    max_days: int | None, expires_on: str, expected: WaiverState
) -> None:
    rules = None if max_days is None else {"max_days": max_days}
    result = scored(EIGHTY, policy=band(rules, **ALIKE), expires_on=expires_on)
    assert state(result) is expected


def test_only_a_recorded_verdict_signed_by_the_gate_supports_a_waiver() -> None:
    before = answered("x" * 100, side="b")
    result = judge(band(None, **ALIKE), before, answered(EIGHTY), waiver(), confirmed=())
    assert (result.decision, state(result)) == (FAIL, WaiverState.UNCONFIRMED)


def test_evidence_that_the_band_in_force_asks_for_must_be_there() -> None:
    rules = {
        "required_evidence": (
            "fixture_id",
            "field",
            "measured",
            "band",
            "reason",
            "change_link",
            "ticket",
        )
    }
    policy = band(rules, **ALIKE)
    assert state(scored(EIGHTY, policy=policy)) is WaiverState.INCOMPLETE
    assert state(scored(EIGHTY, policy=policy, evidence={"ticket": "T-1"})) is WaiverState.USED


@pytest.mark.parametrize(
    ("granted", "expected"),
    [("0.91", WaiverState.STALE), ("0.92", WaiverState.USED), ("0.95", WaiverState.USED)],
)
def test_a_waiver_granted_against_a_looser_limit_is_stale(
    granted: str, expected: WaiverState
) -> None:
    assert state(scored(EIGHTY, band=Decimal(granted))) is expected


def test_tightening_back_to_the_limit_a_waiver_was_granted_at_revives_nothing() -> None:
    loose, tight = (
        scored(
            EIGHTY,
            policy=band(None, text_similarity={"threshold": Decimal(limit)}),
            band=Decimal("0.95"),
        )
        for limit in ("0.92", "0.95")
    )
    assert loose.decision.rank >= tight.decision.rank


@pytest.mark.parametrize(
    ("waived", "expected"),
    [("0.80", WaiverState.USED), ("0.79", WaiverState.USED), ("0.8001", WaiverState.EXCEEDED)],
)
def test_a_worse_value_than_the_waived_one_is_not_covered(
    waived: str, expected: WaiverState
) -> None:
    result = scored(EIGHTY, cases=({"fixture_id": "f", "measured": Decimal(waived)},))
    assert state(result) is expected
    assert result.decision is (WAIVED if expected is WaiverState.USED else FAIL)


def test_every_failing_attempt_must_be_no_worse_than_the_waived_value() -> None:
    worse = "x" * 70 + "y" * 30
    result = scored(EIGHTY, worse)
    assert result.decision is FAIL
    assert [finding.waived_by for finding in result.crossings] == ["w-1", ""]


def test_a_covered_failure_does_not_hide_a_missing_value() -> None:
    result = scored(EIGHTY, None)
    assert result.decision is OPEN
    assert state(result) is WaiverState.USED


def test_a_waiver_of_another_fixture_covers_nothing() -> None:
    other = ({"fixture_id": "g", "measured": Decimal("0.1")},)
    result = scored(EIGHTY, cases=other)
    assert (result.decision, state(result)) == (FAIL, WaiverState.UNUSED)


@pytest.mark.parametrize("name", ["f-large", "ff", "g"])
def test_a_waiver_of_a_fixture_covers_none_that_begins_like_it(name: str) -> None:
    both = [answered("x" * 100, fixture=one, side="b") for one in ("f", name)]
    tried = [answered(EIGHTY, fixture=one) for one in ("f", name)]
    before, after = ([run for runs in side for run in runs] for side in (both, tried))
    result = judge(band(None, **ALIKE), before, after, waiver())
    covered = {finding.fixture_id for finding in result.findings if finding.waived_by}
    assert (result.decision, covered) == (FAIL, {"f"})


def test_the_waiver_of_another_agent_is_not_looked_at() -> None:
    result = scored(EIGHTY, agent="other-agent")
    assert (result.decision, result.waivers) == (FAIL, ())


def test_a_waiver_of_one_field_does_not_cover_another() -> None:
    before = [run(side="b", final_answer="x" * 100, tool_calls=())]
    after = [run(final_answer=EIGHTY, tool_calls=calls("extra"))]
    result = judge(band(None, **ALIKE), before, after, waiver())
    assert result.decision is FAIL
    assert [(one.field, one.waived_by) for one in result.crossings] == [
        ("tool_order", ""),
        ("text_similarity.threshold", "w-1"),
    ]


def case(measured: str | Decimal) -> tuple[dict[str, object]]:
    return ({"fixture_id": "f", "measured": measured},)


def test_a_waiver_covers_one_side_of_a_ratio() -> None:
    above = case(Decimal("1.6"))
    assert spent(100, 160, cases=above).decision is WAIVED
    assert spent(100, 161, cases=above).decision is FAIL
    below = spent(100, 60, cases=above)
    assert (below.decision, state(below)) == (FAIL, WaiverState.UNUSED)
    low = {"field": "token_ratio.min", "band": Decimal("0.7"), "cases": case(Decimal("0.6"))}
    assert spent(100, 60, **low).decision is WAIVED
    assert spent(100, 59, **low).decision is FAIL
    assert spent(100, 160, **low).decision is FAIL


@pytest.mark.parametrize(("before", "after"), [(3, 5), (7, 11), (999, 1501)])
def test_the_printed_value_of_a_crossing_waives_exactly_that_crossing(
    before: int, after: int
) -> None:
    shown = spent(before, after).crossings[0].measured
    assert shown is not None
    assert spent(before, after, cases=case(Decimal(shown))).decision is WAIVED


def test_a_sequence_is_waived_by_its_digest() -> None:
    before = [run(side="b", tool_calls=calls("a", "b"))]
    wanted = sequence_digest(calls("b", "a"))

    def reordered(*named: str, limit: str = "exact", level: str = "exact") -> BandResult:
        one = waiver(field="tool_order", band=limit, cases=case(wanted))
        return judge(band(None, tool_order=level), before, [run(tool_calls=calls(*named))], one)

    assert reordered("b", "a").decision is WAIVED
    assert state(reordered("b", "b")) is WaiverState.EXCEEDED
    assert state(reordered("b", "a", limit="same_unless_idempotent")) is WaiverState.STALE
    looser = reordered("b", "a", level="same_unless_idempotent")
    assert looser.decision is WAIVED


def test_an_order_waiver_does_not_cover_arguments() -> None:
    before = [run(side="b", tool_calls=calls("a", "b"))]
    (one, two) = calls("b", "a")
    after = [run(tool_calls=(type(one)("b", {"n": 1}, "ok"), two))]
    cover = waiver(field="tool_order", band="exact", cases=case(sequence_digest(calls("b", "a"))))
    result = judge(band(), before, after, cover)
    assert (result.decision, state(result)) == (FAIL, WaiverState.USED)


def test_a_limit_that_cannot_be_compared_covers_nothing() -> None:
    assert state(scored(EIGHTY, band="strict")) is WaiverState.STALE


def test_an_unused_waiver_is_reported_and_changes_nothing() -> None:
    result = scored("x" * 100)
    assert (result.decision, state(result)) == (Decision.PASS, WaiverState.UNUSED)


def test_what_cannot_be_waived_has_no_field_to_name() -> None:
    for field in ("requires", "arguments", "required_keys", "optional_keys", "undeclared_effect"):
        with pytest.raises(ValueError, match="field"):
            waiver(field=field)


def test_a_waiver_at_the_end_of_the_calendar_is_judged_like_any_other() -> None:
    late = waiver(granted_on="9999-12-20", expires_on="9999-12-31")
    assert state_of(late, parse_instant("9999-12-25")) is None
    assert state_of(late, parse_instant("9999-12-25"), 5) is WaiverState.TOO_LONG
