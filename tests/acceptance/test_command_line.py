"""What every command keeps to: exit codes, where output goes, and words instead of tracebacks."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.policy_repo import BAND, BAND_PATH, BUDGET_PATH, KEYS, PolicyRepo, begin
from tests.repositories import GitRepository, clean_environment, make_repository


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    return begin(tmp_path / "repo")


@pytest.fixture
def empty(tmp_path: Path) -> PolicyRepo:
    return PolicyRepo(make_repository(tmp_path / "empty"))


@pytest.mark.parametrize(
    "words",
    [
        ["nonsense"],
        ["check"],
        ["check", "--staged", "--base", "a", "--head", "b"],
        ["init"],
        ["init", "--person", "alice"],
        ["gate", "budget"],
        ["gate", "budget", "--budget", "x", "--runs", "r", "--as-of", "yesterday"],
        ["validate", "no-such-file.yaml"],
        ["hook", "install", "--root", "not a pin"],
    ],
)
def test_wrong_usage_is_exit_2_and_says_so_on_standard_error(
    empty: PolicyRepo, words: list[str]
) -> None:
    ran = empty.run(*words)
    assert ran.code == 2, ran
    assert ran.out == ""
    assert ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("words", [["sign"], ["check", "--staged"], ["audit", "verify"]])
def test_without_a_pin_nothing_is_in_force(empty: PolicyRepo, words: list[str]) -> None:
    key = ["--key", str(KEYS / "alice")] if words == ["sign"] else []
    ran = empty.run(*words, *key)
    assert ran.code == 3
    assert "git config agentpolicy.root" in ran.err


def test_outside_a_repository_the_words_say_what_to_do(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "agentpolicy", "check", "--staged"],
        cwd=tmp_path, env={"PATH": "/usr/bin:/bin"},
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert b"git init" in done.stderr


def test_validate_reads_every_file_and_gathers_every_problem(tmp_path: Path) -> None:
    repo = PolicyRepo(make_repository(tmp_path / "repo"))
    repo.repo.write("policies/bands/a.yaml", BAND.replace("0.92", "yes"))
    repo.repo.write("policies/bands/b.yaml", BAND.replace("max: 1.4", "max: 0.5"))
    ran = repo.run("validate", "--format", "json")
    assert ran.code == 2
    assert ran.json["files"] == 2
    assert {problem["document"] for problem in ran.json["problems"]} == {
        "policies/bands/a.yaml", "policies/bands/b.yaml",
    }  # fmt: skip


def test_check_gives_the_published_json(made: PolicyRepo) -> None:
    before = made.head
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.90")
    assert made.sign().code == 0
    head = made.sneak()
    ran = made.check(before, head)
    assert ran.code == 1
    assert ran.json["class"] == "looser"
    assert ran.json["approvals_needed"] == ["agent-owner", "platform-owner"]
    assert [given["role"] for given in ran.json["approvals_present"]] == ["agent-owner"]
    assert ran.json["problems"][0]["location"] == {"path": BAND_PATH, "line": 6, "column": 16}


def test_check_of_a_document_that_cannot_be_read_is_exit_2(made: PolicyRepo) -> None:
    before = made.head
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: .nan")
    assert made.check(before, made.sneak()).code == 2


def test_a_proposal_on_a_branch_is_saved_and_says_what_is_missing(made: PolicyRepo) -> None:
    made.repo.branch("proposal")
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.90")
    committed = made.commit("draft")
    assert committed.code == 0
    assert "platform-owner" in committed.err
    assert "next: agentpolicy sign" in committed.err


def test_a_malformed_document_is_not_saved_on_any_branch(made: PolicyRepo) -> None:
    made.repo.branch("proposal")
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: .nan")
    assert made.commit("draft").code != 0


def test_signing_counts_the_version_on_and_changes_one_line(made: PolicyRepo) -> None:
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.95")
    signed = made.sign()
    assert f"{BAND_PATH}: tighter, version 2" in signed.err
    changed = made.repo.git("diff", "--cached", "--numstat", "--", BAND_PATH)
    assert changed.split() == ["2", "2", BAND_PATH]


def test_a_budget_without_a_version_gets_one_with_its_first_change(made: PolicyRepo) -> None:
    made.edit(BUDGET_PATH, "amber_rate_max: 0.15", "amber_rate_max: 0.10")
    made.land("tighten")
    assert (made.path / BUDGET_PATH).read_text().startswith("budget_version: 2\n")


def test_signing_again_replaces_what_was_signed_of_an_earlier_draft(made: PolicyRepo) -> None:
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.90")
    assert made.sign().code == 0
    assert made.approve("pat").code == 0
    made.edit(BAND_PATH, "threshold: 0.90", "threshold: 0.93")
    assert made.sign().code == 0
    assert made.commit("a tightening after all").code == 0
    landed = made.repo.git("diff", "--name-only", "HEAD~1", "HEAD").splitlines()
    assert len([path for path in landed if "approvals/" in path]) == 1


def test_signing_part_of_a_change_leaves_the_rest_and_says_so(made: PolicyRepo) -> None:
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.95")
    made.edit(BUDGET_PATH, "amber_rate_max: 0.15", "amber_rate_max: 0.10")
    assert made.sign("alice", BAND_PATH).code == 0
    assert made.repo.git("diff", "--cached", "--name-only", "--", BUDGET_PATH) == ""


def test_a_stranger_signs_nothing(made: PolicyRepo) -> None:
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.95")
    ran = made.sign("ci")
    assert ran.code == 1
    assert "no live key of anybody" in ran.err


def test_an_old_repository_begins_at_its_present_commit(tmp_path: Path) -> None:
    old = PolicyRepo(make_repository(tmp_path / "old"))
    old.repo.commit_files({"src/code.py": "1\n"})
    start = old.repo.commit_files({"src/code.py": "2\n"})
    old.must("init", f"--person=pat={KEYS / 'pat'}.pub", f"--person=priya={KEYS / 'priya'}.pub",
             "--platform-owner=pat")  # fmt: skip
    assert f"commit={start}" in old.pin
    old.must("hook", "install")
    assert old.sign("priya").code == 0
    assert old.approve("pat").code == 0
    assert old.commit("first policy").code == 0
    before = old.head
    assert old.check(before, before).code == 0


def test_a_history_that_does_not_pass_through_the_pinned_commit_decides_nothing(
    tmp_path: Path,
) -> None:
    test_an_old_repository_begins_at_its_present_commit(tmp_path)
    old = PolicyRepo(begin_other(tmp_path / "old"))
    ran = old.run("check", "--base", "other", "--head", "other")
    assert ran.code == 3
    assert "does not pass through the pinned commit" in ran.err


def begin_other(path: Path) -> GitRepository:
    """Start a second history beside the first, past the hooks."""
    repo = GitRepository(path, clean_environment(path.parent))
    repo.git("checkout", "-q", "--orphan", "other")
    repo.git("commit", "-q", "--no-verify", "-m", "another history")
    return repo


def test_a_shallow_clone_cannot_decide_and_says_how_to_fetch(
    made: PolicyRepo, tmp_path: Path
) -> None:
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.95")
    made.land("tighten")
    made.repo.git("clone", "-q", "--depth=1", f"file://{made.path}", str(tmp_path / "shallow"))
    shallow = PolicyRepo(GitRepository(tmp_path / "shallow", made.repo.environ))
    shallow.repo.git("config", "agentpolicy.root", made.pin)
    ran = shallow.run("check", "--base", "HEAD", "--head", "HEAD")
    assert ran.code == 3
    assert "git fetch --unshallow" in ran.err
