"""Attacks on the rule itself: each is tried by commit, by push, by check, and through the gate."""

from pathlib import Path

import pytest
from tests.attacks.roads import refused_after_commit, refused_everywhere
from tests.policy_repo import (
    BAND_PATH,
    BUDGET,
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


@pytest.mark.attack("A1", "commit", "check", "pre-push", "push", "gate")
def test_a01_a_lowered_threshold_with_the_owners_signature_alone_is_refused(
    made: PolicyRepo, tmp_path: Path
) -> None:
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.90")
    assert made.sign().code == 0
    refused_everywhere(made, tmp_path, "platform-owner", "agentpolicy approve")


@pytest.mark.attack("A2", "commit", "check", "pre-push", "push", "gate")
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


@pytest.mark.attack("A3", "commit", "check", "pre-push", "push", "gate")
def test_a03_a_deleted_optional_limit_is_refused_as_a_loosening(
    made: PolicyRepo, tmp_path: Path
) -> None:
    made.edit(BUDGET_PATH, "    amber_rate_max: 0.15      # runs between soft and hard\n", "")
    assert made.sign().code == 0
    refused_everywhere(made, tmp_path, "amber_rate_max", "platform-owner")


@pytest.mark.attack("A6", "commit", "check", "pre-push", "push", "gate")
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
    tool = old.partition(":")[0]
    user = BUDGET_PATH if tool == "mail.reply" else "no document"
    said = made.must("diff")
    assert f"{tool} counts for every agent; it is named in: {user}" in said.said
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


@pytest.mark.attack("A9", "commit", "check", "pre-push", "push", "gate")
def test_a09_a_push_does_not_stand_while_its_tip_is_the_loosening(
    made: PolicyRepo, tmp_path: Path
) -> None:
    made.edit(BUDGET_PATH, "amber_rate_max: 0.15", "amber_rate_max: 0.30")
    refused_everywhere(made, tmp_path, "amber_rate_max")


@pytest.mark.attack("A4", "commit", "check", "pre-push", "push", "gate")
@pytest.mark.parametrize("path", [BAND_PATH, BUDGET_PATH])
def test_a04_a_file_deleted_with_the_owners_signature_alone_is_refused(
    made: PolicyRepo, tmp_path: Path, path: str
) -> None:
    (made.path / path).unlink()
    assert made.sign().code == 0
    refused_everywhere(made, tmp_path, path, "platform-owner")


@pytest.mark.attack("A5", "commit", "check", "pre-push", "push", "gate")
@pytest.mark.parametrize("to", ["attic/refund-agent.yaml", "policies/bands/other-agent.yaml"])
def test_a05_a_band_moved_away_is_a_deletion_whatever_stands_elsewhere(
    made: PolicyRepo, tmp_path: Path, to: str
) -> None:
    (made.path / to).parent.mkdir(exist_ok=True)
    made.repo.git("mv", BAND_PATH, to)
    assert made.sign().code == 0
    refused_everywhere(made, tmp_path, BAND_PATH, "platform-owner")


@pytest.mark.attack("A5", "commit")
def test_a05_a_band_moved_to_another_agent_is_seen_on_both_sides(made: PolicyRepo) -> None:
    to = "policies/bands/other-agent.yaml"
    made.repo.git("mv", BAND_PATH, to)
    made.sign()
    committed = made.commit("rename")
    assert committed.code != 0
    assert BAND_PATH in committed.err
    assert to in committed.err


@pytest.mark.attack("A7", "commit", "check", "pre-push", "push", "gate")
def test_a07_an_unlisted_tool_called_harmless_is_refused_though_nothing_names_it(
    made: PolicyRepo, tmp_path: Path
) -> None:
    made.repo.write(TOOLS_PATH, (made.path / TOOLS_PATH).read_text() + "  sh.run: {effect: read}\n")
    assert made.sign().code == 0
    refused_everywhere(made, tmp_path, "sh.run", "looser", "platform-owner")


@pytest.mark.attack("A8", "commit", "check", "pre-push", "push", "gate")
def test_a08_a_grade_turned_to_warn_is_refused_though_no_number_moves(
    made: PolicyRepo, tmp_path: Path
) -> None:
    made.edit(BAND_PATH, "waivers:\n", "grades:\n  token_ratio: warn\nwaivers:\n")
    assert made.sign().code == 0
    refused_everywhere(made, tmp_path, "/grades/token_ratio", "looser", "platform-owner")


@pytest.mark.attack("A10", "check", "pre-push", "push", "gate")
def test_a10_a_reverted_tightening_is_refused(made: PolicyRepo, tmp_path: Path) -> None:
    made.edit(BUDGET_PATH, "amber_rate_max: 0.15", "amber_rate_max: 0.10")
    tight = made.land("tighten")
    serve(made, tmp_path / "server.git")
    made.repo.git("revert", "--no-edit", "HEAD")
    assert "amber_rate_max: 0.15" in (made.path / BUDGET_PATH).read_text()
    refused_after_commit(made, tmp_path, tight)


@pytest.mark.attack("A10", "commit", "check", "pre-push", "push", "gate")
def test_a10_a_revert_that_counts_its_version_on_is_still_a_loosening(
    made: PolicyRepo, tmp_path: Path
) -> None:
    made.edit(BUDGET_PATH, "amber_rate_max: 0.15", "amber_rate_max: 0.10")
    made.land("tighten")
    made.edit(BUDGET_PATH, "amber_rate_max: 0.10", "amber_rate_max: 0.15")
    assert made.sign().code == 0
    refused_everywhere(made, tmp_path, "amber_rate_max", "platform-owner")


SECOND = "policies/budgets/second.yaml"


@pytest.mark.attack("A17", "commit", "check", "pre-push", "push", "gate")
def test_a17_a_second_budget_for_one_task_and_variant_is_refused_whoever_signs(
    made: PolicyRepo, tmp_path: Path
) -> None:
    made.repo.write(SECOND, BUDGET.replace("0.90", "0.10"))
    made.sign()
    made.approve("pat")
    refused_everywhere(made, tmp_path, "schedule_meeting", "multi_attendee_cross_tz")


@pytest.mark.attack("A17", "commit", "check", "pre-push", "push", "gate")
@pytest.mark.parametrize("how", ["a new file", "the old file"])
def test_a17_a_new_variant_is_not_the_owners_alone_to_make(
    made: PolicyRepo, tmp_path: Path, how: str
) -> None:
    pair = ("variant: multi_attendee_cross_tz", "variant: easy")
    if how == "a new file":
        made.repo.write(SECOND, BUDGET.replace(*pair).replace("0.90", "0.10"))
    else:
        made.edit(BUDGET_PATH, *pair)
    assert made.sign().code == 0
    refused_everywhere(made, tmp_path, "platform-owner")


@pytest.mark.attack("A18", "commit", "gate")
def test_a18_a_lower_hard_limit_lands_with_the_owner_and_makes_nothing_pass(
    made: PolicyRepo, tmp_path: Path
) -> None:
    """Of 16 runs past soft, one becomes over budget: by shares, 15 amber of 100 would pass."""
    effect = "calendar.create_event"
    rows = [green_run(n) for n in range(84)]
    rows += [green_run(n, effects=(effect,) * 12) for n in range(84, 99)]
    rows.append(green_run(99, effects=(effect,) * 18))
    runs = write_runs(tmp_path / "runs.jsonl", rows)
    before = made.gate(runs)
    made.edit(BUDGET_PATH, "soft: 12,   hard: 25", "soft: 12,   hard: 20")
    made.land("lower hard")
    after = made.gate(runs)
    assert (before.code, after.code) == (1, 1)
    assert before.json["partition"]["amber_pass"] == 16
    assert after.json["partition"]["amber_pass"] == 15
    for judged in (before, after):
        (amber,) = (one for one in judged.json["checks"] if "amber_rate_max" in one["id"])
        assert (amber["measured"], amber["result"]) == ("0.16", "fail")


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
