"""What somebody sees who types the commands for the first time: every hint leads on."""

import shlex
import subprocess
from pathlib import Path

import pytest
from tests.policy_repo import (
    BAND,
    BAND_PATH,
    KEYS,
    PolicyRepo,
    begin,
    green_run,
    write_runs,
)
from tests.repositories import make_repository, make_server


@pytest.fixture
def fresh(tmp_path: Path) -> PolicyRepo:
    return PolicyRepo(make_repository(tmp_path / "fresh"))


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    return begin(tmp_path / "repo", gate=True)


def init(repo: PolicyRepo) -> list[str]:
    """Begin a policy repository, and give the commands it says come next."""
    people = [f"--person={name}={KEYS / name}.pub" for name in ("alice", "pat")]
    ran = repo.must("init", *people, "--platform-owner=pat", "--owner=bands/refund-agent=alice")
    return [line.removeprefix("next: ") for line in ran.err.splitlines() if "next: " in line]


def test_the_commands_that_init_names_lead_to_a_first_policy_as_they_stand(
    fresh: PolicyRepo,
) -> None:
    commands = init(fresh)
    assert len(commands) == 5
    fresh.repo.write(BAND_PATH, BAND)
    keys = {"sign": KEYS / "alice", "approve": KEYS / "pat"}
    for command in commands:
        words = shlex.split(command)
        if words[0] == "agentpolicy":
            typed = [str(keys[words[1]]) if word == "KEY" else word for word in words[1:]]
            fresh.must(*typed)
        else:
            subprocess.run(words, cwd=fresh.path, env=fresh.repo.environ, check=True)
    assert fresh.repo.git("status", "--porcelain") == ""


def test_checking_before_anything_is_staged_says_what_to_stage(fresh: PolicyRepo) -> None:
    init(fresh)
    ran = fresh.run("check", "--staged")
    assert ran.code == 3
    assert ran.err == "no policy is staged yet [no-policies]\nnext: git add policies\n"


def test_checking_what_was_edited_and_not_staged_says_so(made: PolicyRepo) -> None:
    assert "git add" not in made.must("check", "--staged").said
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.90")
    ran = made.must("check", "--staged")
    assert ran.out.startswith("admitted: no change, ")
    assert ran.err.endswith("next: git add policies\n")


def test_the_state_of_hooks_that_are_not_installed_ends_with_the_command(
    fresh: PolicyRepo, tmp_path: Path
) -> None:
    ran = fresh.run("hook", "status")
    assert ran.code == 1
    assert ran.err.endswith("next: agentpolicy hook install\n")
    server = make_server(tmp_path / "server.git")
    where = ["--mode", "server", "--git-dir", str(server.path)]
    shown = fresh.run("hook", "status", *where)
    assert shown.err.endswith(f"next: agentpolicy hook install {' '.join(where)}\n")
    init(fresh)
    fresh.must("hook", "install")
    assert fresh.must("hook", "status").err == ""


def test_nothing_is_judged_for_the_log_without_a_key_that_counts(tmp_path: Path) -> None:
    made = begin(tmp_path / "without-a-gate")
    asked = ["gate", "budget", "--budget", "schedule-meeting", "--runs", "absent", "--record"]
    without = made.run(*asked)
    assert (without.code, without.out) == (2, "")
    assert without.err.endswith(f"next: agentpolicy {' '.join(asked)} --key KEY\n")
    for key in (KEYS / "ci", KEYS / "no-such-key"):  # ci is nobody here
        ran = made.run(*asked, "--key", str(key))
        assert (ran.code, ran.out) == (2, "")
        assert "absent" not in ran.err.partition("\n")[0]


def test_an_answer_that_could_not_be_recorded_is_not_shown(made: PolicyRepo) -> None:
    runs = write_runs(made.path.parent / "runs.jsonl", [green_run(1)])
    made.repo.git("update-ref", "refs/heads/agentpolicy", made.head)
    ran = made.gate(runs, "--record", "--key", str(KEYS / "ci"))
    assert ran.code != 0
    assert ran.out == ""


@pytest.mark.parametrize("instant", ["2026-13-01", "2026-02-30", "2026-03-01T25:00:00Z", "soon"])
def test_an_instant_that_does_not_exist_is_named(made: PolicyRepo, instant: str) -> None:
    ran = made.run("gate", "budget", "--budget", "b", "--runs", "r", "--as-of", instant)
    assert ran.code == 2
    assert repr(instant) in ran.err


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (["gate", "budget", "--budget", "x", "--runs", "r"], "policies/budgets/x.yaml"),
        (["gate", "budget", "--budget", "schedule-meeting", "--runs", "no/run"], "no/run"),
        (["gate", "budget", "--budget", "b", "--runs", "r", "--proposed", "no/file"], "no/file"),
        (["gate", "budget", "--budget", "schedule-meeting", "--runs", "b**"], "b**"),
        (["validate", "no/file"], "no/file"),
        (["diff", "--files", "no/file", "no/file"], "no/file"),
        (["sign", "--key", "no/key"], "no/key"),
        (["sign", BAND_PATH, "--key", str(KEYS / "alice")], BAND_PATH),
    ],
)
def test_a_path_is_named_once_and_a_command_follows(
    made: PolicyRepo, words: list[str], path: str
) -> None:
    ran = made.run(*words)
    assert ran.code == 2, ran
    first, *rest = ran.err.splitlines()
    assert first.count(path) == 1
    assert rest[-1].startswith("next: ")


def test_a_budget_that_is_not_there_is_answered_with_one_that_is(made: PolicyRepo) -> None:
    ran = made.run("gate", "budget", "--budget", "x", "--runs", "r")
    assert "there are: schedule-meeting" in ran.err
    assert "next: agentpolicy gate budget --budget schedule-meeting --runs FILE" in ran.err


def test_one_problem_in_one_file_is_not_written_as_many(fresh: PolicyRepo) -> None:
    fresh.repo.write(BAND_PATH, BAND.replace("0.92", "yes"))
    assert "1 file read, 1 problem\n" in fresh.run("validate").err
    fresh.repo.write(BAND_PATH, BAND)
    assert fresh.must("validate").out == "1 file read, no problems\n"
