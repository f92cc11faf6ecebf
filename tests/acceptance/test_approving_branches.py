"""Approving what somebody else proposes on a branch: from another clone, or by a file."""

from pathlib import Path

import pytest
from tests.policy_repo import BAND_PATH, BUDGET_PATH, KEYS, ROLES_PATH, PolicyRepo
from tests.team import Team, gather

LOOSER = ("threshold: 0.92", "threshold: 0.90")
AS_OWNER = ("--role", "platform-owner", "--key", str(KEYS / "pat"), "--reason", "calibrated")


@pytest.fixture
def team(tmp_path: Path) -> Team:
    return gather(tmp_path)


def propose(who: PolicyRepo, branch: str = "looser") -> None:
    """Loosen on a branch, signed by alice, and push it."""
    who.repo.branch(branch)
    who.edit(BAND_PATH, *LOOSER)
    assert who.sign().code == 0
    assert who.commit("loosen").code == 0
    who.repo.git("push", "-q", "origin", branch)


def pushes(who: PolicyRepo, said: str) -> None:
    """Type the push that a command named."""
    command = next(line for line in said.splitlines() if line.startswith("next: git push"))
    who.repo.git(*command.removeprefix("next: git ").split())


@pytest.mark.parametrize("name", ["origin/looser", "looser"])
def test_a_branch_of_the_remote_is_fetched_shown_signed_and_its_push_is_named(
    team: Team, name: str
) -> None:
    propose(team.alice)
    before = team.pat.repo.git("status", "--porcelain"), team.pat.head
    ran = team.pat.must("approve", name, *AS_OWNER)
    assert "looser" in ran.out
    assert "0.92 -> 0.9" in ran.out
    assert "pat signed as platform-owner" in ran.err
    assert "still missing" not in ran.err
    assert (team.pat.repo.git("status", "--porcelain"), team.pat.head) == before
    assert not team.lands(team.alice, "looser")
    pushes(team.pat, ran.err)
    team.alice.repo.git("pull", "-q", "origin", "looser")
    assert team.lands(team.alice, "looser")


def test_an_approval_is_added_to_a_branch_that_is_checked_out_without_touching_other_work(
    team: Team,
) -> None:
    propose(team.alice)
    team.pat.repo.git("fetch", "-q", "origin")
    team.pat.repo.git("checkout", "-q", "looser")
    team.pat.repo.stage("notes.txt", "mine")
    team.pat.must("approve", "looser", *AS_OWNER)
    assert team.pat.repo.git("status", "--porcelain") == "A  notes.txt"
    assert team.lands(team.pat, "looser")


def test_a_branch_that_is_checked_out_elsewhere_is_not_moved_under_anybodys_feet(
    team: Team, tmp_path: Path
) -> None:
    propose(team.alice)
    team.alice.repo.git("checkout", "-q", "main")
    team.alice.repo.git("worktree", "add", "-q", str(tmp_path / "there"), "looser")
    ran = team.alice.run("approve", "looser", *AS_OWNER)
    assert ran.code == 3
    assert "is checked out in" in ran.err


def test_a_pull_request_ref_is_fetched_by_its_number(team: Team) -> None:
    propose(team.alice)
    tip = team.alice.repo.oid("looser")
    team.server.git("update-ref", "refs/pull/7/head", tip)
    for name, said in (("pull/7", "committed policies/"), ("refs/pull/7/head", "signed already")):
        ran = team.pat.must("approve", name, *AS_OWNER)
        assert said in ran.err
        assert "pull-7:BRANCH" in ran.err
    assert team.lands(team.pat, "pull-7")


def test_two_approvers_follow_each_other_on_the_same_branch(team: Team) -> None:
    alice, pat = team.alice, team.pat
    alice.repo.branch("roles")
    alice.edit(ROLES_PATH, "reviewer: {people: [ria]", "reviewer: {people: [ria, alice]")
    assert alice.sign().code == 0
    assert alice.commit("more reviewers").code == 0
    alice.repo.git("push", "-q", "origin", "roles")
    first = pat.must("approve", "origin/roles", *AS_OWNER)
    assert "still missing: platform-owner (priya)" in first.err
    assert not team.lands(pat, "roles")
    priya = ("--role", "platform-owner", "--key", str(KEYS / "priya"), "--reason", "agreed")
    assert "still missing" not in pat.must("approve", "origin/roles", *priya).err
    assert team.lands(pat, "roles")


def test_a_branch_that_went_another_way_here_is_left_alone(team: Team) -> None:
    propose(team.alice)
    team.pat.repo.git("branch", "looser", "main")
    team.pat.repo.git("commit-tree", "-m", "x", "main^{tree}")
    other = team.pat.repo.git("commit-tree", "-m", "other", "-p", "main", "main^{tree}")
    team.pat.repo.git("branch", "-f", "looser", other)
    ran = team.pat.run("approve", "origin/looser", *AS_OWNER)
    assert ran.code == 3
    assert "went different ways" in ran.err
    assert team.pat.repo.oid("looser") == other


def test_the_policy_ref_itself_is_not_approved_afterwards(team: Team) -> None:
    ran = team.pat.run("approve", "origin/main", *AS_OWNER)
    assert ran.code == 2
    assert "has landed" in ran.err


def test_what_the_policy_ref_changed_meanwhile_is_no_part_of_a_proposal(team: Team) -> None:
    propose(team.alice)
    team.alice.repo.git("checkout", "-q", "main")
    team.alice.edit(BUDGET_PATH, "amber_rate_max: 0.15", "amber_rate_max: 0.10")
    team.alice.land("tighten another")
    assert team.lands(team.alice)
    ran = team.pat.must("approve", "origin/looser", *AS_OWNER)
    assert BUDGET_PATH not in ran.said
    team.pat.repo.git("fetch", "-q", "origin")
    team.pat.repo.git("checkout", "-q", "-B", "main", "origin/main")
    team.pat.repo.git("merge", "-q", "--no-ff", "-m", "merge", "looser")
    assert team.lands(team.pat)


def test_work_is_saved_on_a_branch_that_the_policy_ref_has_left_behind(team: Team) -> None:
    alice = team.alice
    alice.repo.branch("work")
    alice.repo.git("checkout", "-q", "main")
    alice.edit(BUDGET_PATH, "amber_rate_max: 0.15", "amber_rate_max: 0.10")
    alice.land("tighten another")
    assert team.lands(alice)
    alice.repo.git("fetch", "-q", "origin")
    alice.repo.git("checkout", "-q", "work")
    alice.edit(BAND_PATH, *LOOSER)
    saved = alice.commit("work in progress")
    assert saved.code == 0, saved
    assert "approval-altered" not in saved.err
    assert BUDGET_PATH not in saved.err
    signed = alice.sign()
    assert f"alice signed as agent-owner: {BAND_PATH}\n" in signed.err


def test_a_branch_whose_document_was_overtaken_is_not_approved_but_sent_back(team: Team) -> None:
    propose(team.alice)
    team.alice.repo.git("checkout", "-q", "main")
    team.alice.edit(BAND_PATH, "max: 1.4", "max: 1.3")
    team.alice.land("tighten the same")
    assert team.lands(team.alice)
    ran = team.pat.run("approve", "origin/looser", *AS_OWNER)
    assert ran.code == 1
    assert "next: git rebase main looser && agentpolicy sign --rebase --key KEY" in ran.err


def test_a_bundle_carries_an_approval_for_somebody_who_cannot_push(
    team: Team, tmp_path: Path
) -> None:
    propose(team.alice)
    file = tmp_path / "yes.json"
    before = team.pat.repo.git("for-each-ref", "refs/heads"), team.pat.head
    ran = team.pat.must("approve", "origin/looser", *AS_OWNER, "--bundle", str(file))
    assert f"wrote {file}" in ran.err
    assert (team.pat.repo.git("for-each-ref", "refs/heads"), team.pat.head) == before
    took = team.alice.must("approve", "import", str(file))
    assert "pat signed as platform-owner" in took.err
    assert "still missing" not in took.err
    assert team.alice.commit("with pat's approval").code == 0
    assert team.lands(team.alice, "looser")


def test_a_commit_without_a_branch_is_approved_into_a_bundle_only(
    team: Team, tmp_path: Path
) -> None:
    propose(team.alice)
    team.pat.repo.git("fetch", "-q", "origin")
    commit = team.pat.repo.oid("origin/looser")
    ran = team.pat.run("approve", commit, *AS_OWNER)
    assert ran.code == 2
    assert "--bundle FILE" in ran.err
    team.pat.must("approve", commit, *AS_OWNER, "--bundle", str(tmp_path / "yes.json"))


def test_a_bundle_for_other_bytes_is_not_taken_and_says_so(team: Team, tmp_path: Path) -> None:
    propose(team.alice)
    file = tmp_path / "yes.json"
    team.pat.must("approve", "origin/looser", *AS_OWNER, "--bundle", str(file))
    team.alice.edit(BAND_PATH, "threshold: 0.90", "threshold: 0.50")
    before = team.alice.repo.git("status", "--porcelain", "-uall")
    ran = team.alice.run("approve", "import", str(file))
    assert ran.code == 1
    assert f"it is for another change of {BAND_PATH}" in ran.err
    assert team.alice.repo.git("status", "--porcelain", "-uall") == before


@pytest.mark.parametrize("lie", [b"", b"{}", b"x" * 20_000])
def test_a_bundle_that_is_no_approval_is_refused(team: Team, tmp_path: Path, lie: bytes) -> None:
    file = tmp_path / "no.json"
    file.write_bytes(lie)
    ran = team.alice.run("approve", "import", str(file))
    assert ran.code == 2
    assert "it is no approval" in ran.err


def test_a_bundle_changed_on_its_way_is_refused(team: Team, tmp_path: Path) -> None:
    propose(team.alice)
    file = tmp_path / "yes.json"
    team.pat.must("approve", "origin/looser", *AS_OWNER, "--bundle", str(file))
    data = file.read_bytes()
    at = data.index(b'"sig":"') + 200
    file.write_bytes(data[:at] + (b"A" if data[at : at + 1] != b"A" else b"B") + data[at + 1 :])
    ran = team.alice.run("approve", "import", str(file))
    assert ran.code in (1, 2)
    assert "approval" in ran.err


def test_nothing_is_approved_elsewhere_than_where_the_trust_root_belongs(
    team: Team, tmp_path: Path
) -> None:
    alice = team.alice
    url = str(team.server.path)
    alice.edit(ROLES_PATH, "protected:", f"url: {url}\nprotected:")
    assert alice.sign().code == 0
    for who in ("pat", "priya"):
        assert alice.approve(who).code == 0
    assert alice.commit("belong somewhere").code == 0
    assert team.lands(alice)
    alice.edit(BAND_PATH, *LOOSER)
    assert alice.sign().code == 0
    alice.repo.git("remote", "set-url", "origin", str(tmp_path / "elsewhere.git"))
    ran = alice.approve("pat")
    assert ran.code == 1
    assert f"next: git clone {url}" in ran.err
    alice.repo.git("remote", "set-url", "origin", url + "/")
    assert alice.approve("pat").code == 0
    assert alice.commit("loosen").code == 0
