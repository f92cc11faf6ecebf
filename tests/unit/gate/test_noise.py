"""The noise floor: runs of one version set against each other, by the real measures."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from agentpolicy.gate.catalogue import catalogue_of
from agentpolicy.gate.noise import Floor, beside, floors, self_rounds
from agentpolicy.gate.noise_floor import NoiseFloor, noise_floor_of
from agentpolicy.runs.evidence import evidence_of
from agentpolicy.runs.record import RunRecord, ToolCall
from tests.evidence import calls, fields, fixture, run, tools

NO_TOOLS = catalogue_of(None)


def attempts(*known: Mapping[str, Any], name: str = "f") -> list[RunRecord]:
    return [run(name, number, **one) for number, one in enumerate(known)]


def measured(*runs: RunRecord, scorer: str | None = None) -> NoiseFloor:
    by_fixture: dict[str, list[RunRecord]] = {}
    for one in runs:
        by_fixture.setdefault(one.fixture_id, []).append(one)
    shown = {name: [evidence_of(one) for one in own] for name, own in by_fixture.items()}
    reads = catalogue_of(tools(a={"effect": "read", "idempotent": True}))
    return noise_floor_of(shown, reads, scorer)


def number(found: NoiseFloor, field: str) -> Floor:
    return next(one for one in found.numbers if one.field == field)


def level(found: NoiseFloor, field: str, limit: str) -> Floor:
    return next(one for one in found.levels if (one.field, one.limit) == (field, limit))


def test_each_attempt_is_held_against_the_others_at_its_fixture() -> None:
    shown = fixture(attempts({}, {}, {}))
    rounds = list(self_rounds([shown, fixture(attempts({}))]))
    assert [
        (one.attempts[0].run_id, [other.run_id for other in one.references])
        for (one,) in rounds
    ] == [
        ("c-f-0", ["c-f-1", "c-f-2"]),
        ("c-f-1", ["c-f-0", "c-f-2"]),
        ("c-f-2", ["c-f-0", "c-f-1"]),
    ]  # fmt: skip


def test_the_floor_of_a_number_is_the_worst_that_was_seen() -> None:
    found = measured(
        *attempts({"tokens": 100}, {"tokens": 110}, {"tokens": 90}),
        *attempts({"tokens": 100}, {"tokens": 130}, name="g"),
    )
    assert number(found, "token_ratio.max").worst == Fraction(13, 10)
    assert number(found, "token_ratio.max").where == "g"
    # 100 over 130 is 0.76923…, cut: the recorded floor is never better than what was measured
    assert number(found, "token_ratio.min").number == "0.7692"
    assert number(found, "token_ratio.max").judged == 5


def test_an_answer_is_scored_against_its_best_sibling() -> None:
    found = measured(*attempts(
        {"final_answer": "aaaa"}, {"final_answer": "aaab"}, {"final_answer": "aaab"},
    ))  # fmt: skip
    text = number(found, "text_similarity.threshold")
    assert (text.worst, text.judged) == (Decimal("0.75"), 3)


def test_recorded_scores_are_taken_where_another_scorer_is_named() -> None:
    found = measured(
        *attempts({"scores": {"e@1": Decimal("0.97")}}, {"scores": {"e@1": Decimal("0.9")}}),
        scorer="e@1",
    )
    assert number(found, "text_similarity.threshold").worst == Decimal("0.9")


def test_the_latency_floor_is_of_whole_rounds() -> None:
    found = measured(
        *attempts({"latency_ms": 100}, {"latency_ms": 200}),
        *attempts({"latency_ms": 100}, {"latency_ms": 150}, name="g"),
    )
    latency = number(found, "latency_ms_p50.fail")
    assert (latency.worst, latency.where, latency.judged) == (Fraction(3, 2), None, 2)


def test_each_level_is_tried() -> None:
    found = measured(*attempts(
        {"tool_calls": calls("a", "b")}, {"tool_calls": calls("a", "b")},
        {"tool_calls": calls("b", "a")},
    ))  # fmt: skip
    assert level(found, "tool_order", "exact").crossed == 1
    assert level(found, "tool_order", "same_unless_idempotent").crossed == 1  # `b` is destructive
    assert level(found, "tool_order", "any").crossed == 0


def test_an_argument_that_varies_by_itself_is_named() -> None:
    def passing(value: object) -> dict[str, object]:
        return {"tool_calls": (ToolCall("a", {"id": 1, "q": value}, status="ok"),)}

    found = measured(*attempts(passing("x"), passing("x"), passing("y")))
    assert [(one.field, one.limit, one.crossed, one.judged) for one in found.arguments] == [
        ("arguments.a.q", "exact", 1, 3),
        ("arguments.a.q", "normalised", 1, 3),
    ]
    cased = measured(*attempts(passing("x"), passing("x"), passing(" x")))
    assert [one.limit for one in cased.arguments] == ["exact"]


def test_what_was_not_recorded_has_no_floor() -> None:
    found = measured(*attempts({}, {}))
    tokens = number(found, "token_ratio.max")
    assert (tokens.worst, tokens.judged, tokens.unknown, tokens.text) == (None, 0, 2, None)


def test_any_call_where_others_make_none_is_beyond_every_multiple() -> None:
    found = measured(*attempts({"tool_calls": ()}, {"tool_calls": calls("a")}))
    ratio = number(found, "tool_calls_ratio")
    assert (ratio.number, ratio.crossed) == (None, 1)


def test_runs_that_did_not_finish_and_fixtures_alone_are_counted_and_left_out() -> None:
    found = measured(
        *attempts({}, {}, {"status": "cancelled"}),
        *attempts({}, name="g"),
        *attempts({}, {"infra_error": "down"}, name="h"),
    )
    assert (found.runs, found.unfinished, found.fixtures, found.alone) == (6, 2, 1, 2)
    assert found.fewest == 2


# Beside a crossing


def told(references: list[RunRecord], attempt: RunRecord, **rules: object) -> list[str]:
    from agentpolicy.gate.dimensions import every  # noqa: PLC0415 - named where it is used

    judged = fixture(references, attempt)
    found = [one for one in every.findings(fields(**rules), [judged], NO_TOOLS) if one.crosses]
    return list(beside(fields(**rules), [judged], found, NO_TOOLS).values())


@pytest.mark.parametrize(
    ("references", "expected"),
    [
        (attempts({"tokens": 100}, {"tokens": 130}), ["1.3"]),
        (attempts({"tokens": 100}), []),
        (attempts({}, {"tokens": 130}), []),
    ],
    ids=["repeats", "one reference", "not recorded"],
)
def test_the_floor_beside_a_crossing_is_of_the_baseline_s_own_repeats(
    references: list[RunRecord], expected: list[str]
) -> None:
    limits = {"max": Decimal("1.4")}
    assert told(references, run("f", 9, tokens=900), token_ratio=limits) == expected


def test_the_floor_of_a_level_is_how_many_self_runs_cross_it_too() -> None:
    steady = attempts(*({"tool_calls": calls("a")} for _ in range(3)))
    assert told(steady, run("f", 9, tool_calls=calls("b"))) == ["0 of 3 self-runs cross it"]
    mixed = [*steady, run("f", 8, tool_calls=calls("a", "a"))]
    assert told(mixed, run("f", 9, tool_calls=calls("b"))) == ["1 of 4 self-runs cross it"]


def test_an_argument_that_no_self_run_passes_otherwise_is_told_as_such() -> None:
    one = {"tool_calls": (ToolCall("a", {"id": 1}, status="ok"),)}
    other = run("f", 9, tool_calls=(ToolCall("a", {"id": 2}, status="ok"),))
    assert told(attempts(one, one), other) == ["0 of 2 self-runs cross it"]


def test_a_crossing_of_the_whole_set_has_the_floor_of_the_whole_set() -> None:
    references = attempts({"latency_ms": 100}, {"latency_ms": 120})
    found = told(references, run("f", 9, latency_ms=900), latency_ms_p50={"fail": "3.0x"})
    assert found == ["1.2"]


def test_floors_say_nothing_without_repeats() -> None:
    assert floors(fields(), [fixture(attempts({}))], NO_TOOLS) == {}
