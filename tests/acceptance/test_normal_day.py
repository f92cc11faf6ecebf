"""A day with two clones and a server: approvals are given once and outlive how a branch lands."""

from pathlib import Path

import pytest
from tests.policy_repo import BAND_PATH, BUDGET_PATH, PolicyRepo
from tests.repositories import clone
from tests.team import Team, gather
from tests.typed import must_type, type_next, typed

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
    type_next(alice, saved.err, "agentpolicy sign")
    assert alice.commit("loosen").code == 0
    alice.repo.git("push", "-q", "origin", "looser")
    approving = 'agentpolicy approve origin/looser --role platform-owner --key KEY --reason "…"'
    type_next(pat, must_type(pat, approving, "pat").err, "git push origin looser")
    alice.repo.git("pull", "-q", "--ff-only", "origin", "looser")
    return made


def meanwhile(team: Team) -> None:
    """Tighten another document on the policy ref, with one command to sign."""
    alice = team.alice
    alice.repo.git("checkout", "-q", "main")
    alice.edit(BUDGET_PATH, "amber_rate_max: 0.15", "amber_rate_max: 0.10")
    refused = alice.commit("tighten")
    assert refused.code != 0
    type_next(alice, refused.err, f"agentpolicy sign {BUDGET_PATH}")
    assert alice.commit("tighten").code == 0
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


@pytest.mark.parametrize("way", ["rebase", "merge"])
def test_signing_again_on_a_moved_base_keeps_what_still_holds(team: Team, way: str) -> None:
    meanwhile(team)
    alice = team.alice
    alice.repo.git("checkout", "-q", "looser")
    alice.repo.git(way, "-q", "main")
    said = must_type(alice, "agentpolicy sign --rebase --key KEY").err
    assert f"alice has signed already: {BAND_PATH}\n" in said
    assert "missing" not in said
    assert alice.repo.git("status", "--porcelain") == ""
    if way == "rebase":
        assert team.lands(alice, "looser")


def move_main_on(team: Team) -> None:
    """Tighten the same document twice, so that the number on the branch is behind."""
    alice = team.alice
    alice.repo.git("checkout", "-q", "main")
    for old, new in (("max: 1.4", "max: 1.3"), ("max: 1.3", "max: 1.2")):
        alice.edit(BAND_PATH, old, new)
        alice.land("tighten the same document")
    alice.repo.git("push", "-q", "origin", "main")


@pytest.mark.parametrize("way", ["rebase", "merge"])
def test_a_conflict_in_the_number_alone_is_settled_and_who_must_sign_again_is_named(
    team: Team, way: str
) -> None:
    move_main_on(team)
    alice = team.alice
    alice.repo.git("checkout", "-q", "looser")
    assert alice.repo.try_git(way, "main").returncode != 0
    said = must_type(alice, "agentpolicy sign --rebase --key KEY").err
    assert f"settled {BAND_PATH}\n" in said
    assert f"  {BAND_PATH}: looser, version 4\n" in said
    type_next(alice, said, f"git {way} --continue")
    said = must_type(alice, "agentpolicy sign --rebase --key KEY").err
    assert f"alice has signed already: {BAND_PATH}\n" in said
    assert f"still missing: platform-owner (pat or priya): {BAND_PATH}\n" in said
    alice.repo.git("commit", "-q", "--allow-empty", "-m", "on the new base")
    text = (alice.path / BAND_PATH).read_text()
    assert "threshold: 0.90" in text
    assert "max: 1.2" in text
    alice.repo.git("push", "-q", "--force", "origin", "looser")
    type_next(alice, said, "agentpolicy approve", "pat")
    assert alice.commit("approved again").code == 0
    alice.repo.git("checkout", "-q", "main")
    alice.repo.git("merge", "-q", "--squash", "looser")
    assert alice.commit("as one").code == 0
    assert team.lands(alice)


def test_a_conflict_in_the_rule_is_left_to_the_person_and_then_signed(team: Team) -> None:
    alice = team.alice
    alice.repo.git("checkout", "-q", "main")
    alice.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.95")
    alice.land("tighten the same line")
    alice.repo.git("push", "-q", "origin", "main")
    alice.repo.git("checkout", "-q", "looser")
    assert alice.repo.try_git("merge", "main").returncode != 0
    refused = typed(alice, "agentpolicy sign --rebase --key KEY")
    assert refused.code == 1
    assert "both sides changed the same lines, and not in their version alone" in refused.err
    text = (alice.path / BAND_PATH).read_text()
    start, end = text.index("<<<<<<<"), text.index(">>>>>>>")
    end = text.index("\n", end) + 1
    (alice.path / BAND_PATH).write_text(text[:start] + "    threshold: 0.93\n" + text[end:])
    said = type_next(alice, refused.err, "agentpolicy sign").err
    assert f"  {BAND_PATH}: looser, version 3\n" in said
    type_next(alice, said, "git merge --continue")
    assert "threshold: 0.93" in (alice.path / BAND_PATH).read_text()


def rebase_merged(team: Team, folder: Path, branch: str) -> PolicyRepo:
    """Bring a branch onto main as a host does: each commit made anew, where no hook runs."""
    host = PolicyRepo(clone(team.server, folder))
    host.repo.git("config", "agentpolicy.root", team.alice.pin)
    host.repo.git(
        "cherry-pick",
        f"origin/main..origin/{branch}",
        env={"GIT_COMMITTER_NAME": "host", "GIT_COMMITTER_EMAIL": "host@example.invalid"},
    )
    return host


def two_tightenings(team: Team, second: str, old: str, new: str) -> None:
    """Push a branch of two commits, each signed and admissible by itself."""
    alice = team.alice
    alice.repo.git("checkout", "-q", "main")
    alice.repo.branch("tighter")
    alice.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.94")
    for path, before, after in ((BAND_PATH, "max: 1.4", "max: 1.3"), (second, old, new)):
        alice.edit(path, before, after)
        must_type(alice, "agentpolicy sign --key KEY")
        assert alice.commit("tighten").code == 0
    alice.repo.git("push", "-q", "origin", "tighter")


def test_two_documents_tightened_one_by_one_survive_a_rebase_merge(
    team: Team, tmp_path: Path
) -> None:
    two_tightenings(team, BUDGET_PATH, "amber_rate_max: 0.15", "amber_rate_max: 0.10")
    checked = must_type(team.alice, "agentpolicy check --base main --head tighter")
    assert "rebase-merge" not in checked.err
    host = rebase_merged(team, tmp_path / "host", "tighter")
    assert team.lands(host)
    verified = must_type(host, "agentpolicy verify-history")
    assert "unusable" not in verified.out


def test_one_document_tightened_twice_is_refused_one_by_one_and_lands_by_what_is_typed_then(
    team: Team, tmp_path: Path
) -> None:
    """The first commit lands, and the second counts on from it: it cannot have the same number."""
    two_tightenings(team, BAND_PATH, "max: 1.3", "max: 1.2")
    checked = must_type(team.alice, "agentpolicy check --base main --head tighter")
    assert "would land by itself" in checked.err
    assert "do not rebase-merge" in checked.err
    host = rebase_merged(team, tmp_path / "host", "tighter")
    refused = host.repo.try_git("push", "origin", "main")
    assert refused.returncode != 0
    said = refused.stderr.decode()
    assert "would land by itself" in said
    type_next(host, said, "git reset --keep")
    assert team.lands(host)
    assert "max: 1.2" in team.server.git("show", f"main:{BAND_PATH}")


def test_taking_a_tightening_back_is_a_loosening_and_every_command_to_type_does_its_work(
    team: Team,
) -> None:
    meanwhile(team)
    alice = team.alice
    alice.repo.git("revert", "--no-edit", "HEAD")
    pushed = alice.repo.try_git("push", "-q", "origin", "main")
    assert pushed.returncode != 0
    said = type_next(alice, pushed.stderr.decode(), "agentpolicy revert").err
    assert "still missing: platform-owner (pat or priya)" in said
    refused = alice.commit("take it back")
    assert refused.code != 0
    type_next(alice, refused.err, "agentpolicy approve", "pat")
    assert alice.commit("take it back").code == 0
    assert team.lands(alice)
    assert "amber_rate_max: 0.15" in team.server.git("show", f"main:{BUDGET_PATH}")
