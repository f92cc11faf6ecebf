"""Numbers to sign, from the real command line: measured, proposed, and never applied."""

import json
from decimal import Decimal
from pathlib import Path

import pytest
from agentpolicy import GuardTripped, RuntimeGuard
from tests.policy_repo import BAND_PATH, BUDGET_PATH, PolicyRepo, begin, green_run, write_runs

STUDY = """\
value_per_success_usd: 4.00
rows:
  - {cap: 8,  pass_rate: 0.840, mean_cost_usd: 0.21}
  - {cap: 12, pass_rate: 0.913, mean_cost_usd: 0.28}
  - {cap: 18, pass_rate: 0.931, mean_cost_usd: 0.36}
  - {cap: 25, pass_rate: 0.936, mean_cost_usd: 0.47}
  - {cap: 40, pass_rate: 0.938, mean_cost_usd: 0.72}
"""
APART = [("0.95", True), ("0.97", True), ("0.91", False), ("0.5", False)]
OVERLAPPING = [("0.88", True), ("0.97", True), ("0.93", False), ("0.5", False)]


@pytest.fixture
def here(tmp_path: Path) -> PolicyRepo:
    return begin(tmp_path / "repo")


def write(here: PolicyRepo, name: str, text: str) -> str:
    (here.path / name).write_text(text)
    return name


def pairs(here: PolicyRepo, judged: list[tuple[str, bool]]) -> str:
    lines = (f'{{"score": {score}, "equivalent": {json.dumps(same)}}}' for score, same in judged)
    return write(here, "pairs.jsonl", "\n".join(lines) + "\n")


# Text


def test_a_threshold_that_parts_the_pairs_is_proposed_as_a_file_and_applied_nowhere(
    here: PolicyRepo,
) -> None:
    before = (here.path / BAND_PATH).read_bytes()
    asked = ("calibrate", "text", pairs(here, APART), "--scorer", "lexical-indel@1",
             "--band", BAND_PATH)  # fmt: skip
    page = here.must(*asked, "-o", "proposed.yaml")
    assert "separable: 0.93, between max non-equivalent 0.91 and min equivalent 0.95" in page.out
    assert f"next: agentpolicy diff --files {BAND_PATH} proposed.yaml" in page.err
    assert (here.path / BAND_PATH).read_bytes() == before
    proposed = (here.path / "proposed.yaml").read_text()
    assert "threshold: 0.93" in proposed
    assert 'calibrated_on: "4 judged pairs (2 equivalent, 2 not), sha256:' in proposed
    told = here.must(*asked, "--format", "json").json
    assert (told["threshold"], told["proposal"]["class"]) == ("0.93", "tighter")
    assert told["proposal"]["yaml"] == proposed
    assert here.must("diff", "--files", BAND_PATH, "proposed.yaml", "--format", "json").json[
        "class"
    ] == told["proposal"]["class"]  # fmt: skip
    assert here.run(*asked, "-o", "proposed.yaml").code == 2


def test_pairs_that_overlap_are_told_so_and_nothing_is_proposed(here: PolicyRepo) -> None:
    asked = ("calibrate", "text", pairs(here, OVERLAPPING), "--scorer", "e@1")
    ran = here.run(*asked, "-o", "proposed.yaml")
    assert ran.code == 3
    assert "not separable: min equivalent 0.88 < max non-equivalent 0.93" in ran.out
    assert not (here.path / "proposed.yaml").exists()
    told = here.run(*asked, "--format", "json").json
    assert told["separable"] is False
    assert told["proposal"] is None
    assert [(cut["threshold"], cut["let_through"], cut["stopped"]) for cut in told["cuts"]] == [
        ("0.88", 1, 0),
        ("0.93", 1, 1),
        ("0.9301", 0, 1),
    ]


def test_a_class_of_fixtures_gets_a_threshold_of_its_own(here: PolicyRepo) -> None:
    asked = ("calibrate", "text", pairs(here, APART), "--scorer", "lexical-indel@1")
    told = here.must(*asked, "--class", "formatting", "--format", "json").json
    assert told["proposal"]["yaml"] == (
        "fields:\n  text_similarity:\n    classes: {formatting: 0.93}\n"
    )


def test_one_kind_of_pair_cannot_decide(here: PolicyRepo) -> None:
    ran = here.run("calibrate", "text", pairs(here, APART[:2]), "--scorer", "e@1")
    assert ran.code == 3
    assert "next: judge some pairs of each kind" in ran.err


# Budget


def measured(here: PolicyRepo, *more: dict[str, object]) -> str:
    runs = [
        green_run(number)
        | {"steps": 5 + number % 9, "cost_usd": f"0.{30 + number}", "latency_ms": 12000 + number}
        for number in range(40)
    ]
    write_runs(here.path / "runs.jsonl", [*runs, *more])
    return "runs.jsonl"


def test_the_runs_that_passed_propose_soft_and_hard(here: PolicyRepo) -> None:
    failed = green_run(90) | {"steps": 99, "outcome": {"correct": False}}
    silent = {key: value for key, value in green_run(91).items() if key != "cost_usd"}
    asked = ("calibrate", "budget", measured(here, failed, silent), "--budget", BUDGET_PATH)
    told = here.must(*asked, "--format", "json").json
    assert (told["runs"], told["passed"], told["fixtures"]) == (42, 41, 41)
    assert told["measures"]["cost_usd"] == {
        "p75": "0.59", "p95": "0.67", "measured": 40, "lacking": 1,
    }  # fmt: skip
    assert told["measures"]["tokens"] == {
        "p75": None, "p95": None, "measured": 0, "lacking": 41,
    }  # fmt: skip
    assert told["proposal"]["class"] == "tighter"
    page = here.must(*asked).out
    assert "41 of 42 runs passed, over 41 fixtures" in page
    assert "fewer than 59 runs" in page
    assert "+  cost_usd:   { soft: 0.59, hard: 0.67 }" in page


def test_runs_of_several_tasks_have_no_common_budget(here: PolicyRepo) -> None:
    ran = here.run("calibrate", "budget", measured(here, green_run(91) | {"task_type": "refund"}))
    assert ran.code == 2
    assert "these runs are of 2 tasks" in ran.err


# Knee and volume


def test_the_knee_of_the_printed_study(here: PolicyRepo) -> None:
    write(here, "study.yaml", STUDY)
    told = here.must("knee", "study.yaml", "--format", "json").json
    assert told["knee_cap"] == 12
    assert [
        (one["gain_value"], one["added_cost"], one["raise_cap"]) for one in told["transitions"]
    ] == [
        ("0.292", "0.07", True),
        ("0.072", "0.08", False),
        ("0.02", "0.11", False),
        ("0.008", "0.25", False),
    ]
    page = here.must("knee", "study.yaml", "--budget", BUDGET_PATH).out
    assert "knee: 12 steps, the last cap that pays" in page
    assert "no, by a hair" in page
    assert "+value_per_success_usd: 4" in page


def test_the_knee_of_runs_made_at_each_cap(here: PolicyRepo) -> None:
    for cap, correct in ((8, 1), (12, 3)):
        rows = [
            green_run(number) | {"outcome": {"correct": number < correct}, "cost_usd": f"0.{cap}0"}
            for number in range(4)
        ]
        write_runs(here.path / f"cap{cap}.jsonl", rows)
    caps = ("--runs", "8=cap8.jsonl", "--runs", "12=cap12.jsonl")
    told = here.must("knee", *caps, "--value", "4", "--format", "json").json
    assert [row["pass_rate"] for row in told["rows"]] == ["0.25", "0.75"]
    assert told["transitions"][0]["gain_value"] == "2"
    refused = here.run("knee", *caps)
    assert refused.code == 2
    assert "next: estimate it to the nearest factor of two: --value USD" in refused.err


def test_an_unsettled_study_cannot_decide(here: PolicyRepo) -> None:
    for cap in (8, 12):
        row = {key: value for key, value in green_run(cap).items() if key != "cost_usd"}
        write_runs(here.path / f"cap{cap}.jsonl", [row])
    caps = ("--runs", "8=cap8.jsonl", "--runs", "12=cap12.jsonl")
    assert here.run("knee", *caps, "--value", "4").code == 3


def test_the_forty_call_run_at_three_volumes(here: PolicyRepo) -> None:
    figures = ("--cost-usd", "2.10", "--input-tokens", "54000", "--latency-s", "56")
    stray = ("--calls", "drive.write_file", "--budget", BUDGET_PATH)
    told = here.must("volume", *figures, *stray, "--format", "json").json
    assert [one["tasks_per_day"] for one in told["volumes"]] == [100, 10_000, 100_000]
    largest = told["volumes"][-1]
    assert largest["input_tokens_per_day"] == "5400000000"
    assert largest["in_flight_at_peak"] == "583.333333"
    assert told["undeclared_effects"] == {"drive.write_file": 0}
    page = here.must("volume", *figures, *stray).out
    assert page.count("drive.write_file") == 4
    assert "No volume makes one acceptable" in page


def test_volumes_are_measured_on_runs_too(here: PolicyRepo) -> None:
    told = here.must("volume", measured(here), "--budget", BUDGET_PATH, "--format", "json").json
    assert told["run"]["cost_usd"] == "0.495"
    assert told["run"]["lacking"] == {"input_tokens": 40}
    assert told["undeclared_effects"] == {}
    one = here.must("volume", "runs.jsonl", "--run", "r7", "--format", "json").json
    assert one["run"]["cost_usd"] == "0.37"
    assert here.run("volume").code == here.run("volume", "runs.jsonl", "--run", "x").code == 2


# Noise and drift


def self_runs(here: PolicyRepo, repeats: int = 3) -> str:
    rows = []
    for number in range(repeats * 4):
        fixture, attempt = number % 4, number // 4
        rows.append(
            {
                "run_id": f"s{number}", "fixture_id": f"f{fixture}", "attempt": attempt,
                "agent": "refund-agent", "final_answer": f"The refund is on its way{'!' * attempt}",
                "latency_ms": 1000 + 100 * attempt, "tool_calls": [],
                "tokens": {"input": 100 + 20 * attempt, "output": 10, "cached": 0},
            }
        )  # fmt: skip
    write_runs(here.path / "self.jsonl", rows)
    return "self.jsonl"


def test_the_noise_floor_is_measured_recorded_and_heeded(here: PolicyRepo) -> None:
    asked = ("calibrate", "noise", self_runs(here), "--band", BAND_PATH)
    told = here.must(*asked, "--format", "json").json
    assert (told["runs"], told["fixtures"], told["fewest_attempts"]) == (12, 4, 3)
    floor = {one["field"]: one["floor"] for one in told["numbers"]}
    assert floor["token_ratio.max"] == "1.3637"  # 150 over the lower median of 110 and 130
    assert floor["text_similarity.threshold"] == "0.9795"
    assert told["proposal"]["class"] == "neutral"
    page = here.must(*asked, "-o", "proposed.yaml").out
    assert "3 attempts at some fixture; with 10 or more it may be lower" in page
    (here.path / BAND_PATH).write_text((here.path / "proposed.yaml").read_text())
    here.land("record the noise floor")
    here.edit(BAND_PATH, "max: 1.4", "max: 1.3")
    assert "token_ratio.max 1.3 is tighter than the noise floor 1.3637" in here.must("diff").out


def test_runs_without_repeats_have_no_noise_floor(here: PolicyRepo) -> None:
    ran = here.run("calibrate", "noise", self_runs(here, repeats=1))
    assert ran.code == 3
    assert "next: run the same instructions again" in ran.err


def test_a_noise_floor_of_no_known_field_is_refused_with_its_place(here: PolicyRepo) -> None:
    text = (here.path / BAND_PATH).read_text()
    (here.path / BAND_PATH).write_text(text + "noise_floor: {fields: {token_ratio: 1.3}}\n")
    ran = here.run("validate")
    assert ran.code == 2
    assert f"{BAND_PATH}:19:24: " in ran.err
    assert "token_ratio.max" in ran.err


def test_drift_flags_sessions_and_says_where_to_look(here: PolicyRepo) -> None:
    usual = [green_run(n) | {"latency_ms": 1000 + n} for n in range(12)]
    far = green_run(90, effects=("drive.write_file",) * 14) | {"latency_ms": 1005}
    write_runs(here.path / "usual.jsonl", usual)
    write_runs(here.path / "now.jsonl", [far, green_run(91) | {"latency_ms": 1006}])
    asked = ("drift", "--baseline", "usual.jsonl", "--candidate", "now.jsonl")
    page = here.must(*asked).out
    assert page.startswith("1 of 2 sessions flagged, against 12 usual ones\n")
    assert "18 tool calls, where every usual one has 5; most of it drive.write_file" in page
    assert "note: all 12 usual sessions have 5 tool calls" in page
    told = here.must(*asked, "--format", "json").json
    assert {one["run_id"] for one in told["alerts"]} == {"r90"}
    assert here.run(*asked, "--warmup", "13").code == 3
    band = "drift: {warmup_sessions: 13}\n"
    (here.path / BAND_PATH).write_text((here.path / BAND_PATH).read_text() + band)
    assert here.run(*asked, "--band", BAND_PATH).code == 3
    here.must(*asked, "--band", BAND_PATH, "--warmup", "12")


# Guard


def test_a_guard_is_exported_from_the_policy_in_force_and_stops_a_run(here: PolicyRepo) -> None:
    text = (here.path / BUDGET_PATH).read_text()
    guard = "runtime_guard: {steps: 40, cost_usd: 3.00, identical_calls: 3}\n"
    (here.path / BUDGET_PATH).write_text(text + guard)
    asked = ("guard", "export", "--budget", "schedule-meeting")
    unsigned = here.run(*asked)
    assert unsigned.code == 3
    assert "next: write one, or say how far above" in unsigned.err
    here.land("guard runs")
    here.must(*asked, "-o", "guard.json")
    export = json.loads((here.path / "guard.json").read_text())
    assert export["limits"] == {"steps": 40, "cost_usd": "3", "identical_calls": 3}
    assert export["policy"]["state"] == "in_force"
    assert export["policy"]["commit"] == here.head
    watch = RuntimeGuard.from_json((here.path / "guard.json").read_bytes())
    watch.after_model(cost_usd=Decimal(3))
    for _ in range(3):
        watch.before_call("calendar.search", {"q": 1})
    with pytest.raises(GuardTripped):
        watch.before_call("calendar.search", {"q": 1})


def test_a_headroom_stands_above_the_hard_limit(here: PolicyRepo) -> None:
    asked = ("guard", "export", "--budget", "schedule-meeting", "--proposed", BUDGET_PATH)
    told = here.must(*asked, "--headroom", "2", "--format", "json").json
    assert told["limits"] == {"steps": 50, "cost_usd": "3"}
    assert told["derived"] == ["steps", "cost_usd"]
    assert "nothing stops a run by its identical_calls" in here.must(*asked, "--headroom", "2").out
    assert here.run(*asked, "--headroom", "1").code == 2
