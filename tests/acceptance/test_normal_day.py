"""A day with two clones and a server: approvals are given once and outlive how a branch lands."""

from pathlib import Path

import pytest
from tests.policy_repo import BAND_PATH, BUDGET_PATH, KEYS, PolicyRepo
from tests.team import Team, gather

WAYS = ("merge", "squash", "rebase", "cherry-pick")


@pytest.fixture
def team(tmp_path: Path) -> Team:
    """Bring a loosening onto a branch: saved unsigned, signed, approved from the other clone."""
    made = gather(tmp_path)
    alice, pat = made.alice, made.pat
    alice.repo.branch("looser")
    alice.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.91")
    saved = alice.commit("work in progress")
    assert saved.code == 0
    assert "still missing before this can land" in saved.err
    alice.edit(BAND_PATH, "threshold: 0.91", "threshold: 0.90")
    assert alice.sign().code == 0
    assert alice.commit("loosen").code == 0
    alice.repo.git("push", "-q", "origin", "looser")
    key = str(KEYS / "pat")
    words = ("--role", "platform-owner", "--key", key, "--reason", "calibrated")
    said = pat.must("approve", "origin/looser", *words).err
    push = next(line for line in said.splitlines() if line.startswith("next: git push"))
    pat.repo.git(*push.removeprefix("next: git ").split())
    alice.repo.git("pull", "-q", "--ff-only", "origin", "looser")
    return made


def meanwhile(team: Team) -> None:
    """Tighten another document on the policy ref, with one command to sign."""
    alice = team.alice
    alice.repo.git("checkout", "-q", "main")
    alice.edit(BUDGET_PATH, "amber_rate_max: 0.15", "amber_rate_max: 0.10")
    refused = alice.commit("tighten")
    assert refused.code != 0
    assert f"next: agentpolicy sign {BUDGET_PATH} --key KEY" in refused.err
    alice.land("tighten")
    alice.repo.git("push", "-q", "origin", "main")


def bring(alice: PolicyRepo, way: str) -> None:
    """Bring the branch onto main in one of the ways that hosts and people use."""
    if way == "merge":
        alice.repo.git("merge", "-q", "--no-ff", "-m", "merge", "looser")
    if way == "squash":
        alice.repo.git("merge", "-q", "--squash", "looser")
        alice.repo.git("commit", "-q", "-m", "squashed")
    if way == "rebase":
        alice.repo.git("rebase", "-q", "main", "looser")
        alice.repo.git("checkout", "-q", "main")
        alice.repo.git("merge", "-q", "--ff-only", "looser")
    if way == "cherry-pick":
        alice.repo.git("cherry-pick", "main..looser")


@pytest.mark.parametrize("way", WAYS)
def test_no_approval_is_asked_for_twice_however_the_branch_lands(team: Team, way: str) -> None:
    meanwhile(team)
    bring(team.alice, way)
    pushed = team.alice.repo.try_git("push", "-q", "origin", "main")
    assert pushed.returncode == 0, pushed.stderr.decode()
    assert "threshold: 0.90" in team.server.git("show", f"main:{BAND_PATH}")
    assert "amber_rate_max: 0.10" in team.server.git("show", f"main:{BUDGET_PATH}")


def test_after_the_same_document_moved_signing_counts_on_and_names_who_must_sign_again(
    team: Team,
) -> None:
    alice = team.alice
    alice.repo.git("checkout", "-q", "main")
    alice.edit(BAND_PATH, "max: 1.4", "max: 1.3")
    alice.land("tighten the same document")
    alice.repo.git("push", "-q", "origin", "main")
    alice.repo.git("rebase", "-q", "main", "looser")
    signed = alice.sign()
    assert signed.code == 0
    assert f"  {BAND_PATH}: looser, version 3\n" in signed.err
    assert f"pat, as platform-owner: it is for another change of {BAND_PATH}" in signed.err
    assert f"still missing: platform-owner (pat or priya): {BAND_PATH}" in signed.err
    assert alice.approve("pat").code == 0
    assert alice.commit("on top of the new base").code == 0
    assert team.lands(alice, "looser")


def test_taking_a_tightening_back_is_a_loosening_and_the_refusal_says_whose_signature_it_needs(
    team: Team,
) -> None:
    meanwhile(team)
    alice = team.alice
    alice.repo.git("revert", "--no-edit", "HEAD")
    pushed = alice.repo.try_git("push", "-q", "origin", "main")
    assert pushed.returncode != 0
    assert b"append-only" in pushed.stderr
    alice.repo.git("reset", "-q", "--hard", "origin/main")
    alice.edit(BUDGET_PATH, "amber_rate_max: 0.10", "amber_rate_max: 0.15")
    assert "still missing: platform-owner (pat or priya)" in alice.sign().err
    assert alice.commit("take it back").code != 0
    assert alice.approve("pat").code == 0
    assert alice.commit("take it back").code == 0
    assert team.lands(alice)
