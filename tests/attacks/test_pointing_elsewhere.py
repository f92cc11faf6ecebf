"""Attacks that show the gate another policy than the one in force, or too little of history."""

import shlex
from pathlib import Path

import pytest
from tests.policy_repo import BUDGET_PATH, ROLES_PATH, PolicyRepo, begin, green_run, write_runs
from tests.repositories import clone, make_server

LOOSER = ("pass_rate_min:  0.90", "pass_rate_min:  0.10")
TIGHTER = ("pass_rate_min:  0.90", "pass_rate_min:  0.95")


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    return begin(tmp_path / "repo")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return write_runs(tmp_path / "runs.jsonl", [green_run(1)])


def tightened(made: PolicyRepo, tmp_path: Path) -> str:
    """Publish the first policy, land and publish a tighter one, and give the older commit."""
    server = make_server(tmp_path / "server.git")
    made.repo.git("remote", "add", "origin", str(server.path))
    older = made.head
    made.edit(BUDGET_PATH, *TIGHTER)
    made.land("tighter")
    made.repo.git("push", "-q", "origin", "main")
    return older


@pytest.mark.attack("C10", "check", "gate", "history")
def test_c10_a_shallow_clone_never_passes_and_says_what_to_fetch(
    made: PolicyRepo, tmp_path: Path, runs: Path
) -> None:
    tightened(made, tmp_path)
    shallow = PolicyRepo(clone(made.repo, tmp_path / "shallow", "--depth=1"))
    shallow.repo.git("config", "agentpolicy.root", made.pin)
    for ran in (
        shallow.run("check", "--base", "HEAD", "--head", "HEAD"),
        shallow.gate(runs),
        shallow.run("verify-history"),
    ):
        assert ran.code == 3
        assert "git fetch --unshallow" in ran.err


@pytest.mark.attack("C11", "gate", "history")
def test_c11_no_verdict_comes_from_a_commit_nobody_approved(made: PolicyRepo, runs: Path) -> None:
    made.edit(BUDGET_PATH, *LOOSER)
    bad = made.sneak()
    made.repo.git("branch", "elsewhere")
    judged = made.gate(runs, "--policy-commit", bad)
    assert (judged.code, judged.out) == (3, "")
    assert "was never admitted" in judged.err
    on_a_branch = made.gate(runs, "--policy-ref", "refs/heads/elsewhere")
    assert (on_a_branch.code, on_a_branch.out) == (3, "")
    listed = made.run("verify-history", "--format", "json")
    assert listed.code == 1
    assert [one["commits"] for one in listed.json["unusable"]] == [[bad]]


@pytest.mark.attack("C12", "gate")
@pytest.mark.parametrize("pin_moved", [False, True])
def test_c12_an_old_looser_commit_gives_its_decision_and_admits_nothing(
    made: PolicyRepo, tmp_path: Path, runs: Path, pin_moved: bool
) -> None:
    older = tightened(made, tmp_path)
    if pin_moved:
        made.must("verify-history")
    judged = made.gate(runs, "--policy-commit", older)
    assert judged.code == 3
    assert judged.json["decision"] == "pass"
    assert judged.json["policy"] == {
        "commit": older, "ref": "refs/heads/main", "state": "superseded",
    }  # fmt: skip
    assert "not in force, so this pass admits nothing" in judged.err
    _, _, hint = judged.err.rpartition("next: agentpolicy ")
    assert "--policy-commit" not in hint
    assert made.must(*shlex.split(hint)).json["policy"]["state"] == "in_force"


@pytest.mark.attack("C13", "gate")
@pytest.mark.parametrize("reachable", [True, False])
def test_c13_main_moved_back_is_not_in_force_where_the_pin_names_a_remote(
    made: PolicyRepo, tmp_path: Path, runs: Path, reachable: bool
) -> None:
    older = tightened(made, tmp_path)
    made.repo.git("config", "agentpolicy.root", f"{made.pin};remote=origin")
    assert made.gate(runs).json["policy"]["state"] == "in_force"
    made.repo.git("reset", "-q", "--hard", older)
    if not reachable:
        made.repo.git("remote", "set-url", "origin", str(tmp_path / "nowhere"))
    judged = made.gate(runs)
    assert judged.code == 3
    assert (judged.json["decision"], judged.json["policy"]["state"]) == ("pass", "unconfirmed")
    assert judged.err.endswith("next: git pull --ff-only origin main\n")


@pytest.mark.attack("C13", "commit", "gate", "history")
def test_c13_main_moved_back_is_refused_where_the_pin_has_moved_past_it(
    made: PolicyRepo, tmp_path: Path, runs: Path
) -> None:
    older = tightened(made, tmp_path)
    made.must("verify-history")
    made.repo.git("reset", "-q", "--hard", older)
    for ran in (made.gate(runs), made.run("verify-history"), made.run("check", "--staged")):
        assert (ran.code, ran.out) == (3, "")
        assert "[behind-the-pin]" in ran.err


@pytest.mark.attack("C13", "commit", "push", "gate")
def test_c13_a_fork_made_before_a_retirement_is_refused_where_the_pin_has_moved_past_it(
    made: PolicyRepo, tmp_path: Path, runs: Path
) -> None:
    before = made.head
    roles = (made.path / ROLES_PATH).read_text().replace("roles_version: 1", "roles_version: 2")
    line = next(line for line in roles.splitlines() if line.strip().startswith("alice:"))
    made.repo.write(ROLES_PATH, roles.replace(line, line.replace("since: 1", "since: 1, until: 2")))
    assert made.sign("alice").code == 0
    assert made.approve("pat").code == made.approve("priya").code == 0
    assert made.commit("retire alice's key").code == 0
    server = make_server(tmp_path / "server.git")
    made.repo.git("remote", "add", "origin", str(server.path))
    made.repo.git("push", "-q", "origin", "main")
    made.must("verify-history")
    made.must(
        "hook", "install", "--mode", "server", "--git-dir", str(server.path), "--root", made.pin
    )
    made.repo.git("reset", "-q", "--hard", before)
    made.edit(BUDGET_PATH, *TIGHTER)
    made.sneak("signed by the retired key, on the fork")
    judged = made.gate(runs)
    assert (judged.code, judged.out) == (3, "")
    assert "[behind-the-pin]" in judged.err
    pushed = made.repo.try_git("push", "-q", "--no-verify", "--force", "origin", "main")
    assert pushed.returncode != 0
    assert b"[not-fast-forward]" in pushed.stderr


@pytest.mark.attack("A9", "history")
@pytest.mark.attack("A14", "history")
def test_what_was_slipped_in_stays_unusable_whatever_is_put_on_top(made: PolicyRepo) -> None:
    good = made.head
    made.edit(BUDGET_PATH, *LOOSER)
    loose = made.sneak("loosen")
    made.edit(BUDGET_PATH, "declared: 2025-02-11", "declared: 2025-02-12")
    neutral = made.sneak("only words")
    made.repo.git("restore", f"--source={good}", "--staged", "--worktree", "policies")
    restored = made.sneak("tighten back")
    listed = made.must("verify-history", "--format", "json").json["unusable"]
    assert [one["commits"] for one in listed] == [[loose], [neutral]]
    assert {one["closed_by"] for one in listed} == {restored}
