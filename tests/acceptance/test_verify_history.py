"""The policy ref's history, verified: what is unusable, what put it right, where the pin is."""

import json
from pathlib import Path

import jsonschema_rs
import pytest
from agentpolicy.workflows.generate import SCHEMAS
from benchmarks.policy_history import make_history, pin_behind
from benchmarks.timing import cpu_seconds
from tests.policy_repo import BAND_PATH, BUDGET_PATH, PolicyRepo, begin, green_run, write_runs
from tests.repositories import GitRepository, clone, make_server

LOOSER = ("pass_rate_min:  0.90", "pass_rate_min:  0.80")
TIGHTER = ("pass_rate_min:  0.90", "pass_rate_min:  0.95")


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    return begin(tmp_path / "repo", gate=True)


def verified(made: PolicyRepo, *args: str, code: int = 0) -> dict[str, object]:
    ran = made.run("verify-history", "--format", "json", *args)
    assert ran.code == code, ran
    answer: dict[str, object] = ran.json
    jsonschema_rs.validate(
        json.loads((SCHEMAS / "output" / "verify-history.schema.json").read_text()), answer
    )
    return answer


def unusable(answer: dict[str, object]) -> list[dict[str, object]]:
    found = answer["unusable"]
    assert isinstance(found, list)
    return found


def loosen_by_web_merge(made: PolicyRepo, server: GitRepository, tmp_path: Path) -> str:
    """Merge a loosening nobody approved as a host's web page does: no hook ever runs."""
    web = PolicyRepo(clone(server, tmp_path / "web"))
    web.repo.branch("looser")
    web.edit(BUDGET_PATH, *LOOSER)
    web.sneak("allow more failures")
    web.repo.git("switch", "-q", "main")
    web.repo.git("merge", "-q", "--no-ff", "--no-verify", "-m", "Merge looser", "looser")
    web.repo.git("push", "-q", "origin", "main")
    made.repo.git("pull", "-q", "--ff-only", "origin", "main")
    return made.head


def test_a_history_that_stands_is_verified_and_the_pin_moves_to_its_tip(made: PolicyRepo) -> None:
    answer = verified(made)
    assert (answer["verified"], answer["commits"], unusable(answer)) == (True, 1, [])
    assert f";verified={made.head}/" in made.pin
    assert answer["pin"] == made.pin


def test_only_what_came_since_is_judged_again_unless_the_whole_is_asked_for(
    made: PolicyRepo,
) -> None:
    verified(made)
    mark = made.head
    made.edit(BUDGET_PATH, *TIGHTER)
    made.land("tighter")
    assert verified(made, "--since", mark)["commits"] == 1
    again = verified(made)
    assert (again["begin"], again["commits"]) == (made.head, 1)
    assert verified(made, "--whole")["commits"] == 2


@pytest.mark.long
def test_what_came_since_costs_a_tenth_of_ten_thousand_commits_at_most(tmp_path: Path) -> None:
    repository, pin, _ = make_history(tmp_path / "repo", 10_000)
    made = PolicyRepo(repository)
    mark = pin_behind(repository, 100)
    cold, since = [], []
    for _ in range(2):
        repository.git("config", "agentpolicy.root", str(pin))
        cold.append(cpu_seconds(lambda: made.must("verify-history")))
        repository.git("config", "agentpolicy.root", mark)
        since.append(cpu_seconds(lambda: made.must("verify-history")))
    assert min(since) <= min(cold) / 10


def test_an_unapproved_tip_is_refused_named_and_does_not_move_the_pin(made: PolicyRepo) -> None:
    pin = made.pin
    made.edit(BUDGET_PATH, *LOOSER)
    bad = made.sneak()
    answer = verified(made, code=1)
    assert made.pin == pin
    (one,) = unusable(answer)
    assert (one["commits"], one["closed_by"], one["restored"]) == ([bad], None, None)
    said = made.run("verify-history")
    assert said.code == 1
    assert f"unusable: {bad}" in said.out
    assert "needs the signature of platform-owner" in said.out
    assert "next: agentpolicy approve" in said.out
    assert "git restore --source=" in said.out


def test_a_web_merge_is_repaired_by_one_commit_and_gave_no_verdict_meanwhile(
    made: PolicyRepo, tmp_path: Path
) -> None:
    server = make_server(tmp_path / "server.git")
    made.repo.git("remote", "add", "origin", str(server.path))
    made.repo.git("push", "-q", "-u", "origin", "main")
    good = made.head
    bad = loosen_by_web_merge(made, server, tmp_path)
    runs = write_runs(tmp_path / "runs.jsonl", [green_run(1)])
    judged = made.gate(runs)
    assert judged.code == 3
    assert "was never admitted, so no verdict can be had from it" in judged.err
    assert verified(made, code=1)["verified"] is False

    made.repo.git("restore", f"--source={good}", "--staged", "--worktree", "policies")
    repair = made.commit("Take back what nobody approved")
    assert repair.code == 0, repair
    made.repo.git("push", "-q", "origin", "main")
    assert made.gate(runs).code == 0
    assert made.gate(runs, "--policy-commit", bad).code == 3
    (one,) = unusable(verified(made))
    assert (one["commits"], one["closed_by"]) == ([bad], made.head)
    assert (one["restored"], one["verdicts"]) == (True, [])
    said = made.must("verify-history", "--whole").out
    assert said.startswith("1 unusable commit, all put right: refs/heads/main, 3 commits judged")
    assert f"put right by {made.head[:12]}, which restored the state before it" in said
    assert made.repo.git("merge-base", bad, "HEAD") == bad


def test_an_approved_change_on_top_puts_right_what_was_slipped_in(made: PolicyRepo) -> None:
    made.edit(BUDGET_PATH, *LOOSER)
    first = made.sneak("looser")
    made.edit(BAND_PATH, "max: 1.4", "max: 1.3")
    second = made.sneak("and more")
    made.edit(BAND_PATH, "max: 1.3", "max: 1.4")
    made.sign()
    made.approve()
    assert made.commit("agreed").code == 0
    found = unusable(verified(made))
    assert [one["commits"] for one in found] == [[first], [second]]
    assert {(str(one["closed_by"]), one["restored"]) for one in found} == {(made.head, False)}


def test_a_verdict_recorded_under_an_unusable_commit_is_named(
    made: PolicyRepo, tmp_path: Path
) -> None:
    pin, good = made.pin, made.head
    made.edit(BUDGET_PATH, *LOOSER)
    bad = made.sneak()
    # Somebody judges with a pin of their own, under which history begins at the bad commit.
    made.repo.git("config", "agentpolicy.root", f"{pin.partition(';commit')[0]};commit={bad}")
    runs = write_runs(tmp_path / "runs.jsonl", [green_run(1)])
    key = Path(__file__).parent.parent / "data" / "keys" / "ci"
    judged = made.gate(runs, "--record", "--key", str(key))
    assert judged.code == 0, judged
    made.repo.git("config", "agentpolicy.root", pin)
    made.repo.git("restore", f"--source={good}", "--staged", "--worktree", "policies")
    assert made.commit("take back").code == 0
    (one,) = unusable(verified(made, code=1))
    verdicts = one["verdicts"]
    assert isinstance(verdicts, list)
    assert [verdict["verdict"] for verdict in verdicts] == [judged.json["verdict"]]
    assert verdicts[0]["commit"] == bad


def test_main_moved_back_behind_the_pin_is_refused_by_every_road(
    made: PolicyRepo, tmp_path: Path
) -> None:
    older = made.head
    made.edit(BUDGET_PATH, *TIGHTER)
    made.land("tighter")
    mark = made.head
    verified(made)
    made.repo.git("reset", "-q", "--hard", older)
    judged = made.gate(write_runs(tmp_path / "runs.jsonl", [green_run(1)]))
    assert judged.code == 3
    assert "[behind-the-pin]" in judged.err
    assert f"next: git fetch && git merge --ff-only {mark}" in judged.err
    made.repo.stage("code.txt", "new")
    made.edit(BUDGET_PATH, "0.75", "0.70")
    assert "[behind-the-pin]" in made.commit("fork").err
    assert made.run("verify-history").code == 3
    assert made.run("verify-history", "--whole").code == 3
    made.repo.git("reset", "-q", "--hard", mark)
    assert verified(made)["verified"] is True


def test_a_server_whose_pin_moved_takes_neither_a_fork_nor_a_founding_anew(
    made: PolicyRepo, tmp_path: Path
) -> None:
    server = make_server(tmp_path / "server.git")
    made.repo.git("remote", "add", "origin", str(server.path))
    founding = made.head
    made.edit(BUDGET_PATH, *TIGHTER)
    made.land("tighter")
    made.repo.git("push", "-q", "origin", "main")
    verified(made)
    made.must(
        "hook", "install", "--mode", "server", "--git-dir", str(server.path), "--root", made.pin
    )
    server.git("update-ref", "-d", "refs/heads/main")
    again = made.repo.try_git("push", "-q", "--no-verify", "origin", f"{founding}:refs/heads/main")
    assert again.returncode != 0
    assert b"[behind-the-pin]" in again.stderr
    assert made.repo.try_git("push", "-q", "origin", "main").returncode == 0
    made.edit(BUDGET_PATH, "0.75", "0.70")
    made.land("tighter still")
    assert made.repo.try_git("push", "-q", "origin", "main").returncode == 0


def test_the_pin_moves_only_to_what_its_remote_shows(made: PolicyRepo, tmp_path: Path) -> None:
    server = make_server(tmp_path / "server.git")
    made.repo.git("remote", "add", "origin", str(server.path))
    made.repo.git("push", "-q", "origin", "main")
    made.repo.git("config", "agentpolicy.root", f"{made.pin};remote={server.path}")
    made.edit(BUDGET_PATH, *TIGHTER)
    made.land("tighter")
    assert verified(made)["pin_held_back"] == f"{server.path} does not show this tip"
    assert "verified=" not in made.pin
    made.repo.git("push", "-q", "origin", "main")
    assert verified(made)["pin_held_back"] is None
    assert f"verified={made.head}/" in made.pin


def test_the_pin_does_not_move_past_what_was_published(made: PolicyRepo, tmp_path: Path) -> None:
    server = make_server(tmp_path / "server.git")
    made.repo.git("remote", "add", "origin", str(server.path))
    made.repo.git("push", "-q", "origin", "main")
    made.edit(BUDGET_PATH, *TIGHTER)
    made.land("tighter")
    held_back = verified(made)["pin_held_back"]
    assert isinstance(held_back, str)
    assert "what is not published may still be rewritten" in held_back


def test_a_pin_that_names_another_state_than_its_commit_holds_decides_nothing(
    made: PolicyRepo,
) -> None:
    verified(made)
    made.repo.git("config", "agentpolicy.root", made.pin[:-64] + "0" * 64)
    made.edit(BUDGET_PATH, *TIGHTER)
    made.sign()
    refused = made.commit("tighter")
    assert "[pin-mismatch]" in refused.err


def test_a_shallow_clone_cannot_verify_and_says_what_to_fetch(
    made: PolicyRepo, tmp_path: Path
) -> None:
    made.edit(BUDGET_PATH, *TIGHTER)
    made.land("tighter")
    shallow = PolicyRepo(clone(made.repo, tmp_path / "shallow", "--depth=1"))
    shallow.repo.git("config", "agentpolicy.root", made.pin)
    ran = shallow.run("verify-history")
    assert ran.code == 3
    assert "next: git fetch --unshallow" in ran.err
    # From a pin that has moved to what is here, nothing older is needed.
    verified(made)
    shallow.repo.git("config", "agentpolicy.root", made.pin)
    assert shallow.run("verify-history").code == 0


def test_without_a_pin_or_a_commit_there_is_nothing_to_verify(made: PolicyRepo) -> None:
    assert "[unknown-commit]" in made.run("verify-history", "--since", "nowhere").err
    made.repo.git("config", "--unset", "agentpolicy.root")
    ran = made.run("verify-history")
    assert (ran.code, "[no-pin]" in ran.err) == (3, True)
