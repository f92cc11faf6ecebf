"""A candidate against its reference: pairing, combining, routing."""

from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Any

import pytest
from agentpolicy.base.errors import InputError
from agentpolicy.base.instant import Instant, parse_instant
from agentpolicy.documents.models.band import Band
from agentpolicy.documents.models.tools import Tools
from agentpolicy.documents.models.waiver import Waiver
from agentpolicy.gate.band import BandResult, judge_band
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.verdict import Route
from agentpolicy.runs.record import RunRecord
from agentpolicy.runs.run_set import RunSet
from tests.evidence import band, calls, run, run_set

NOON = parse_instant("2026-03-10T12:00:00Z")
PASS, FAIL, OPEN = Decision.PASS, Decision.FAIL, Decision.INCONCLUSIVE
TEXT = {"threshold": Decimal("0.92")}


def judge(
    policy: Band,
    baseline: Sequence[RunRecord],
    candidate: Sequence[RunRecord],
    tools: Tools | None = None,
    waivers: Sequence[Waiver] = (),
    confirmed: Collection[str] = (),
    at: Instant = NOON,
) -> BandResult:
    before, after = run_set(*baseline), run_set(*candidate)
    return judge_band(policy, tools, before, after, "refund-agent", waivers, confirmed, at)


def base(fixture: str = "f", attempt: int = 1, **known: object) -> RunRecord:
    return run(fixture, attempt, "b", **{"tool_calls": (), **known})


def cand(fixture: str = "f", attempt: int = 1, **known: object) -> RunRecord:
    return run(fixture, attempt, "c", **{"tool_calls": (), **known})


def results(result: BandResult, field: str) -> list[tuple[str | None, int | None, Decision]]:
    return [
        (finding.fixture_id, finding.attempt, finding.result) for finding in result.by_field[field]
    ]


def test_a_candidate_that_stays_inside_passes_and_needs_no_review() -> None:
    result = judge(band(text_similarity=TEXT), [base(final_answer="hi")], [cand(final_answer="hi")])
    assert (result.decision, result.route, result.crossings) == (PASS, Route.NO_OP, ())
    assert result.baseline == "unpinned"
    assert result.comparability == "unknown"


def test_any_crossing_fails_and_is_reviewed() -> None:
    result = judge(band(), [base(tool_calls=calls("a"))], [cand(tool_calls=calls("b"))])
    assert (result.decision, result.route) == (FAIL, Route.FAST_REVIEW)
    assert [finding.field for finding in result.crossings] == ["tool_order"]


def test_sequence_and_arguments_are_judged_even_by_an_empty_band() -> None:
    assert set(judge(band(), [base()], [cand()]).by_field) == {"tool_order", "arguments"}


def test_every_attempt_must_be_inside() -> None:
    policy = band(text_similarity=TEXT)
    answers = [cand(attempt=1, final_answer="yes"), cand(attempt=2, final_answer="no way")]
    result = judge(policy, [base(final_answer="yes")], answers)
    assert results(result, "text_similarity.threshold") == [("f", 1, PASS), ("f", 2, FAIL)]
    assert result.decision is FAIL


def test_every_baseline_attempt_is_a_reference_in_any_order() -> None:
    routes = [base(attempt=1, tool_calls=calls("a")), base(attempt=2, tool_calls=calls("b"))]
    for order in (routes, routes[::-1]):
        assert judge(band(), order, [cand(tool_calls=calls("b"))]).decision is PASS


def test_a_fixture_that_the_candidate_left_out_is_inconclusive() -> None:
    result = judge(band(), [base("f"), base("g")], [cand("f")])
    assert (result.decision, result.route) == (OPEN, None)
    assert result.missing_fixtures == ("g",)


def test_a_proved_crossing_beats_a_missing_fixture() -> None:
    result = judge(band(), [base("f"), base("g")], [cand("f", tool_calls=calls("x"))])
    assert (result.decision, result.route) == (FAIL, Route.FAST_REVIEW)


def test_a_fixture_that_the_baseline_does_not_name_is_refused() -> None:
    with pytest.raises(InputError, match="does not name fixture 'g'"):
        judge(band(), [base("f")], [cand("f"), cand("g")])


def test_a_candidate_is_never_its_own_baseline() -> None:
    shared = run_set(cand())
    for other in (shared, RunSet((base(),), shared.files, {})):
        with pytest.raises(InputError, match="shares"):
            judge_band(band(), None, other, shared, "refund-agent", (), (), NOON)


@pytest.mark.parametrize("side", ["baseline", "candidate"])
def test_runs_of_another_agent_are_refused(side: str) -> None:
    baseline, candidate = [base(agent="refund-agent")], [cand(agent="refund-agent")]
    assert judge(band(), baseline, candidate).decision is PASS
    other = [base(agent="x")] if side == "baseline" else [cand(agent="x")]
    with pytest.raises(InputError, match=f"{side} run .* is of agent 'x'"):
        judge(
            band(),
            other if side == "baseline" else baseline,
            other if side == "candidate" else candidate,
        )


@pytest.mark.parametrize("side", ["baseline", "candidate"])
def test_an_outage_on_either_side_is_unknown_not_inside(side: str) -> None:
    down: dict[str, Any] = {"status": "infra_error"}
    broken = [base(**down)] if side == "baseline" else [base()]
    result = judge(band(), broken, [cand(**(down if side == "candidate" else {}))])
    assert result.decision is OPEN


def test_no_dimension_hides_another() -> None:
    policy = band(
        text_similarity=TEXT,
        required_keys="exact",
        optional_keys="forbidden",
        latency_ms_p50={"fail": "3.0x"},
        token_ratio={"min": Decimal("0.7"), "max": Decimal("1.4")},
    )
    before = base(
        final_answer="yes", output={"k": 1}, latency_ms=10, tokens=10, tool_calls=calls("a")
    )
    after = cand(
        final_answer="no", output={"j": 1}, latency_ms=31, tokens=15, tool_calls=calls("a", "b")
    )
    assert [finding.field for finding in judge(policy, [before], [after]).crossings] == [
        "tool_order",
        "required_keys",
        "optional_keys",
        "text_similarity.threshold",
        "token_ratio.max",
        "latency_ms_p50.fail",
    ]


def test_the_answer_does_not_depend_on_the_order_of_the_runs() -> None:
    policy = band(text_similarity=TEXT)
    before = [base(name, 1, final_answer=name) for name in "abc"]
    after = [cand(name, number, final_answer=name) for name in "abc" for number in (1, 2)]
    assert judge(policy, before, after) == judge(policy, before[::-1], after[::-1])
