"""Attacks on the rule itself: each is tried by commit, by push, by check, and through the gate."""

from pathlib import Path

import pytest
from tests.policy_repo import (
    BAND_PATH,
    BUDGET_PATH,
    TOOLS_PATH,
    PolicyRepo,
    begin,
    green_run,
    serve,
    write_runs,
)


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    return begin(tmp_path / "repo")


def refused_everywhere(made: PolicyRepo, tmp_path: Path, *words: str) -> None:
    """Try the staged change by every road; the refusal says the words."""
    server = serve(made, tmp_path / "server.git")
    before = made.head
    committed = made.commit("attack")
    assert committed.code != 0
    for word in words:
        assert word in committed.err
    sneaked = made.sneak()
    assert made.check(before, sneaked).code == 1
    pushed = made.repo.try_git("push", "-q", "--no-verify", "origin", "main")
    assert pushed.returncode != 0
    assert server.oid("refs/heads/main") == before
    judged = made.gate(write_runs(tmp_path / "runs.jsonl", [green_run(1)]))
    assert judged.code == 3, judged


@pytest.mark.attack("A1", "commit", "check", "push", "gate")
def test_a01_a_lowered_threshold_with_the_owners_signature_alone_is_refused(
    made: PolicyRepo, tmp_path: Path
) -> None:
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.90")
    assert made.sign().code == 0
    refused_everywhere(made, tmp_path, "platform-owner", "agentpolicy approve")


@pytest.mark.attack("A2", "commit", "check", "push", "gate")
def test_a02_one_loosening_among_tightenings_is_refused_and_listed(
    made: PolicyRepo, tmp_path: Path
) -> None:
    made.edit(BUDGET_PATH, "soft: 12,   hard: 25", "soft: 10,   hard: 20")
    made.edit(BUDGET_PATH, "soft: 0.60, hard: 1.50", "soft: 0.50, hard: 1.20")
    made.edit(BUDGET_PATH, "soft: 20,   hard: 60", "soft: 15,   hard: 50")
    made.edit(BUDGET_PATH, "amber_rate_max: 0.15", "amber_rate_max: 0.10")
    made.edit(BUDGET_PATH, "p95_cost_usd:   0.75", "p95_cost_usd:   0.70")
    made.edit(BUDGET_PATH, "pass_rate_min:  0.90", "pass_rate_min:  0.89")
    assert made.sign().code == 0
    refused_everywhere(made, tmp_path, "/gate/aggregate/pass_rate_min", "platform-owner")


@pytest.mark.attack("A3", "commit", "check", "push", "gate")
def test_a03_a_deleted_optional_limit_is_refused_as_a_loosening(
    made: PolicyRepo, tmp_path: Path
) -> None:
    made.edit(BUDGET_PATH, "    amber_rate_max: 0.15      # runs between soft and hard\n", "")
    assert made.sign().code == 0
    refused_everywhere(made, tmp_path, "amber_rate_max", "platform-owner")


@pytest.mark.attack("A6", "commit", "check", "push", "gate")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("drive.write_file:      {effect: write}", "drive.write_file:      {effect: read}"),
        ("mail.reply:            {effect: write}", "mail.reply: {effect: write, idempotent: true}"),
    ],
)
def test_a06_a_write_tool_called_harmless_is_refused(
    made: PolicyRepo, tmp_path: Path, old: str, new: str
) -> None:
    made.edit(TOOLS_PATH, old, new)
    assert made.sign().code == 0
    refused_everywhere(made, tmp_path, "looser", "platform-owner")


@pytest.mark.attack("A9", "gate", "push")
def test_a09_no_verdict_comes_from_a_loosening_that_was_taken_back(
    made: PolicyRepo, tmp_path: Path
) -> None:
    serve(made, tmp_path / "server.git")
    original = (made.path / BUDGET_PATH).read_text()
    made.edit(BUDGET_PATH, "amber_rate_max: 0.15", "amber_rate_max: 0.30")
    loose = made.sneak("loosen")
    made.repo.write(BUDGET_PATH, original)
    restored = made.sneak("tighten back")
    runs = write_runs(tmp_path / "runs.jsonl", [green_run(1)])
    at_the_loosening = made.gate(runs, "--policy-commit", loose)
    assert at_the_loosening.code == 3
    assert "amber_rate_max" in at_the_loosening.err
    at_the_tip = made.gate(runs)
    assert at_the_tip.code == 0
    assert at_the_tip.json["policy"]["commit"] == restored
    pushed = made.repo.try_git("push", "-q", "origin", "main")
    assert pushed.returncode == 0, pushed.stderr


@pytest.mark.attack("A9", "commit", "check", "push", "gate")
def test_a09_a_push_does_not_stand_while_its_tip_is_the_loosening(
    made: PolicyRepo, tmp_path: Path
) -> None:
    made.edit(BUDGET_PATH, "amber_rate_max: 0.15", "amber_rate_max: 0.30")
    refused_everywhere(made, tmp_path, "amber_rate_max")


@pytest.mark.attack("A14", "commit", "gate")
def test_a14_a_neutral_change_on_top_of_a_sneaked_loosening_is_held_against_the_last_admitted(
    made: PolicyRepo, tmp_path: Path
) -> None:
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.80")
    made.edit(BAND_PATH, "band_version: 1", "band_version: 2")
    made.sneak("web merge")
    made.edit(BAND_PATH, "200 judged-equivalent edits", "the same 200 edits")
    made.edit(BAND_PATH, "band_version: 2", "band_version: 3")
    signed = made.sign()
    assert signed.code == 0
    committed = made.commit("only words")
    assert committed.code != 0
    assert "0.92 -> 0.8" in committed.err
    neutral = made.sneak("only words")
    judged = made.gate(write_runs(tmp_path / "runs.jsonl", [green_run(1)]))
    assert judged.code == 3
    assert made.repo.oid("HEAD") == neutral


def test_an_honest_tightening_still_lands_by_every_road(made: PolicyRepo, tmp_path: Path) -> None:
    serve(made, tmp_path / "server.git")
    before = made.head
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.94")
    after = made.land("tighten")
    assert made.check(before, after).json["class"] == "tighter"
    assert made.repo.try_git("push", "-q", "origin", "main").returncode == 0
    judged = made.gate(write_runs(tmp_path / "runs.jsonl", [green_run(1)]))
    assert judged.code == 0
    assert judged.json["policy"] == {"commit": after, "ref": "refs/heads/main", "state": "in_force"}
