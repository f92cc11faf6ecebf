"""The numbers printed in the sources about bands: what crosses, and where it is routed."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from agentpolicy.base.instant import parse_instant
from agentpolicy.base.numbers import plain
from agentpolicy.documents.models.band import Band
from agentpolicy.documents.models.waiver import Waiver
from agentpolicy.gate.band import BandResult, judge_band
from agentpolicy.gate.comparability import class_of
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.drift import JACCARD_MIN, WARMUP_SESSIONS, Z_MAX
from agentpolicy.gate.verdict import Route
from agentpolicy.runs.commitments import text_digest
from agentpolicy.runs.record import RunRecord
from tests.evidence import VERDICT, band, baseline, calls, run, run_set, tools, waiver, whole_band

SHARED = Path(__file__).resolve().parents[4] / "shared/cases/worked-examples.yaml"
AT = parse_instant("2026-03-10T12:00:00Z")
PASS, FAIL, WAIVED = Decision.PASS, Decision.FAIL, Decision.PASS_WITH_WAIVERS
CATALOGUE = tools(
    search={"effect": "read", "idempotent": True},
    fetch={"effect": "read", "idempotent": True},
    write={"effect": "write", "idempotent": True, "requires": ("fetch",)},
)
BAND = band(
    None,
    text_similarity={"threshold": Decimal("0.92")},
    required_keys="exact",
    optional_keys="allowed",
    tool_order="same_unless_idempotent",
    latency_ms_p50={"warn": "1.5x", "fail": "3.0x"},
    token_ratio={"min": Decimal("0.7"), "max": Decimal("1.4")},
)
OLD = "x" * 100
NEW = "x" * 88 + "y" * 12
"""Scores 0.88."""


@pytest.fixture(scope="module")
def examples() -> Mapping[str, Any]:
    if not SHARED.exists():
        pytest.skip("the worked examples are not beside this checkout")
    written = yaml.load(SHARED.read_text(encoding="utf-8"), yaml.BaseLoader)  # noqa: TID251 - test data, every scalar as text
    assert isinstance(written, dict)
    return written


def name(number: int) -> str:
    return f"f{number:03}"


def reference(number: int) -> RunRecord:
    route = ("fetch", "write") if number == 2 else ("search", "fetch")
    return run(
        name(number), side="b", final_answer=OLD, output={"answer": 1}, latency_ms=1800,
        tokens=100, tool_calls=calls(*route),
    )  # fmt: skip


def changed(number: int, *, fixed: bool) -> RunRecord:
    """A stricter citation prompt: 16 answers, 30 outputs, 3 sequences and 40 token counts move."""
    route = {0: ("fetch", "search"), 1: ("fetch", "search")}.get(number, ("search", "fetch"))
    if number == 2:
        route = ("fetch", "write") if fixed else ("write", "fetch")
    return run(
        name(number),
        final_answer=OLD if number < 284 else NEW,
        output={"answer": 1, "sources": []} if number < 30 else {"answer": 1},
        latency_ms=2100,
        tokens=160 if number < 40 else 100,
        tool_calls=calls(*route),
    )


def judged(accepted: int, *waivers: Waiver, fixed: bool = False) -> BandResult:
    references = run_set(*(reference(number) for number in range(300)))
    tried = run_set(*(changed(number, fixed=fixed) for number in range(300)))
    entries = [
        {"fixture_id": name(number), "before": text_digest(OLD), "after": text_digest(NEW)}
        for number in range(284, 284 + accepted)
    ]
    planned = ({"id": name(number)} for number in range(300))
    document = baseline(references, *planned, accepted=entries)
    return judge_band(
        BAND, CATALOGUE, references, tried, "refund-agent", waivers, {VERDICT}, AT, document
    )


def crossings(result: BandResult) -> dict[str, int]:
    counted = {field: sum(one.crosses for one in found) for field, found in result.by_field.items()}
    return {field: count for field, count in counted.items() if count}


def test_the_printed_band_example_comes_out_as_printed() -> None:
    result = judged(accepted=4)
    assert crossings(result) == {
        "requires": 1,
        "text_similarity.threshold": 12,
        "token_ratio.max": 40,
        "tool_order": 1,
    }
    assert (result.decision, result.notes) == (FAIL, ())
    assert result.by_field["latency_ms_p50.fail"][0].measured == "1.1667"
    assert {one.measured for one in result.crossings if one.field == "token_ratio.max"} == {"1.6"}
    assert len(crossings(judged(accepted=0))) == 4
    assert crossings(judged(accepted=0))["text_similarity.threshold"] == 16


def test_with_texts_accepted_and_tokens_waived_the_sequence_still_blocks() -> None:
    cases = tuple({"fixture_id": name(one), "measured": Decimal("1.6")} for one in range(40))
    growth = waiver(field="token_ratio.max", band=Decimal("1.4"), cases=cases)
    blocked = judged(16, growth)
    assert blocked.decision is FAIL
    assert {one.field for one in blocked.crossings if not one.waived_by} == {
        "tool_order",
        "requires",
    }
    shipped = judged(16, growth, fixed=True)
    assert (shipped.decision, shipped.route) == (WAIVED, Route.FAST_REVIEW)
    assert len(shipped.waivers[0].fixtures) == 40


def test_the_printed_counts_are_those_of_the_shared_example(examples: Mapping[str, Any]) -> None:
    printed, result = examples["band"], judged(accepted=4)
    text, spent = printed["text"], printed["tokens"]
    found = result.by_field["text_similarity.threshold"]
    assert sum(one.value == 1 for one in found) == int(text["at_or_above_0_92"]) + 4
    assert crossings(result)["text_similarity.threshold"] == int(text["crossings"])
    assert crossings(result)["token_ratio.max"] == int(spent["crossings"])
    assert crossings(result)["tool_order"] == int(printed["tool_calls"]["crossings"])
    measured = result.by_field["latency_ms_p50.fail"][0].measured
    assert str(round(Decimal(measured or ""), 2)) == printed["latency"]["ratio"]


ROUTING = whole_band(
    {
        "routing": {
            "base": Decimal(0),
            "crossing_weight": Decimal(1),
            "criticality": {"normal": Decimal(1), "critical": Decimal(10)},
            "fast_review_from": Decimal(1),
            "full_gate_from": Decimal(10),
        }
    },
    text_similarity={"threshold": Decimal("0.92"), "classes": {"formatting": Decimal(0)}},
)
SUITE = [
    {
        "id": name(number),
        "class": "formatting" if 4 <= number < 10 else "ordinary",
        "criticality": "critical" if number < 4 else "normal",
    }
    for number in range(30)
]
"""Thirty fixtures of which four are critical."""
PRINTED: Mapping[str, tuple[Sequence[int], int, str, Route]] = {
    "one-real-crossing": ((4, 5, 20), 1, "1", Route.FAST_REVIEW),
    "one-critical-crossing": ((0,), 1, "10", Route.FULL_GATE),
    "nothing-crossed": ((), 0, "0", Route.NO_OP),
}
"""Which fixtures changed, how many cross, the score and the route."""


def routed(policy: Band, moved: Sequence[int]) -> BandResult:
    needs = {"effect": "write", "requires": ("read_policy",)}
    listed = tools(read_policy={"effect": "read"}, refund=needs)
    route = calls("read_policy", "refund")
    before = run_set(
        *(run(name(one), side="b", final_answer=OLD, tool_calls=route) for one in range(30))
    )
    after = run_set(
        *(
            run(
                name(one),
                final_answer=NEW if one in moved and one >= 4 else OLD,
                tool_calls=route[1:] if one in moved and one < 4 else route,
            )
            for one in range(30)
        )
    )
    return judge_band(policy, listed, before, after, "a", (), (), AT, baseline(before, *SUITE))


@pytest.mark.parametrize("row", PRINTED)
def test_every_printed_release_has_its_route(row: str) -> None:
    moved, crossed, score, route = PRINTED[row]
    result = routed(ROUTING, moved)
    assert (len(result.risk.crossed), result.route) == (crossed, route)
    assert plain(result.risk.score) == score


def test_the_routes_are_those_of_the_shared_example(examples: Mapping[str, Any]) -> None:
    for row in examples["routing"]:
        moved, crossed, _, route = PRINTED[row["id"]]
        assert (len(SUITE), str(route)) == (int(row["fixtures"]), row["route"])
        assert len(moved) == len(row["crossings"])
        if "crossing_rate" in row:
            assert f"{crossed / len(SUITE):.4f}" == row["crossing_rate"]


def test_the_printed_pairs_have_their_class(examples: Mapping[str, Any]) -> None:
    for case in examples["comparability"]["cases"]:
        one = dict.fromkeys(case["shared"], "same")
        other = one | dict.fromkeys(case["conflict"], "other")
        found, _ = class_of(one | dict.fromkeys(case["conflict"], "one"), other)
        assert (case, str(found)) == (case, case["class"])


def test_the_printed_structure_passes_with_thirty_new_keys(examples: Mapping[str, Any]) -> None:
    printed, result = examples["band"]["structure"], judged(accepted=4)
    found = result.by_field["required_keys"]
    assert sum(one.crosses for one in found) == int(printed["required_failures"])
    assert {one.result for one in found} == {PASS}
    assert BAND.fields.optional_keys == printed["optional_keys"]
    gained = [run for run in range(300) if "sources" in str(changed(run, fixed=False).output)]
    assert len(gained) == int(printed["gained_optional_key"])
    assert str(PASS) == printed["result"]
    forbidden = band(None, required_keys="exact", optional_keys="forbidden")
    references = run_set(*(reference(number) for number in range(300)))
    tried = run_set(*(changed(number, fixed=False) for number in range(300)))
    strict = judge_band(forbidden, CATALOGUE, references, tried, "refund-agent", (), (), AT)
    assert crossings(strict)["optional_keys"] == int(printed["gained_optional_key"])


def test_the_printed_latency_passes_with_its_ratio_and_no_warning(
    examples: Mapping[str, Any],
) -> None:
    printed, result = examples["band"]["latency"], judged(accepted=4)
    limits = BAND.fields.latency_ms_p50
    assert limits is not None
    assert [f"{limits.warn}x", f"{limits.fail}x"] == [printed["warn"], printed["fail"]]
    (found,) = result.by_field["latency_ms_p50.fail"]
    assert str(found.result) == printed["result"]
    before, after = reference(0).latency_ms, changed(0, fixed=False).latency_ms
    assert (before, after) == (
        Decimal(printed["baseline_p50_s"]) * 1000,
        Decimal(printed["candidate_p50_s"]) * 1000,
    )
    assert not [note for note in result.notes if note.field == "latency_ms_p50.warn"]


def test_the_printed_tokens_fail_and_are_waived(examples: Mapping[str, Any]) -> None:
    printed = examples["band"]["tokens"]
    limits = BAND.fields.token_ratio
    assert limits is not None
    assert str(limits.max) == printed["max"]
    found = judged(accepted=4).by_field["token_ratio.max"]
    assert str(max(one.result for one in found if one.crosses)) == printed["result"]
    cases = tuple({"fixture_id": name(one), "measured": Decimal("1.6")} for one in range(40))
    growth = waiver(field="token_ratio.max", band=Decimal("1.4"), cases=cases)
    covered = judged(4, growth).by_field["token_ratio.max"]
    assert sum(bool(one.waived_by) for one in covered) == int(printed["cases_at_1_6x"])
    assert not [one for one in covered if one.result is FAIL]


def test_the_printed_reordered_reads_pass_and_the_early_write_crosses(
    examples: Mapping[str, Any],
) -> None:
    printed, result = examples["band"]["tool_calls"], judged(accepted=4)
    found = {one.fixture_id: one.result for one in result.by_field["tool_order"]}
    reordered = int(printed["reordered_read_only_idempotent"])
    assert {found[name(one)] for one in range(reordered)} == {PASS}
    assert found[name(reordered)] is FAIL
    early = int(printed["write_before_prerequisite_read"])
    assert sum(one.crosses for one in result.by_field["requires"]) == early


def test_the_printed_drift_rules_are_those_that_stand_unwritten(
    examples: Mapping[str, Any],
) -> None:
    printed = examples["drift"]
    assert int(printed["warmup_sessions"]) == WARMUP_SESSIONS
    rules = {name: Decimal(text) for name, text in printed["rules"].items()}
    assert rules == {"z_max": Z_MAX, "jaccard_min": JACCARD_MIN}


def test_runs_without_provenance_pass_an_ordinary_check(examples: Mapping[str, Any]) -> None:
    assert examples["comparability"]["ordinary_check_fails_without_provenance"] == "false"
    silent = band(None, tool_order="exact")
    before = run_set(run("f", side="b", tool_calls=calls("look")))
    after = run_set(run("f", tool_calls=calls("look")))
    result = judge_band(silent, None, before, after, "a", (), (), AT)
    assert (result.decision, result.comparability) == (PASS, "unknown")
