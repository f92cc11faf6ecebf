"""Attacks on the release check: a pass that is about something else, or about another time."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from agentpolicy.base.instant import DAY, Instant, day_of, parse_instant
from agentpolicy.gitio.repository import open_repository
from agentpolicy.workflows.policy_source import recorded_policy
from agentpolicy.workflows.release_check import check_release
from tests.attacks.released import (
    AGENT,
    SUBJECT,
    attempt,
    begin_with_baseline,
    release,
)
from tests.policy_repo import BAND, BAND_PATH, KEYS, PolicyRepo, Ran, write_runs
from tests.repositories import GitRepository, clean_environment

OTHER = "sha256:" + "6" * 64


@pytest.fixture(scope="module")
def landed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shipping")
    begin_with_baseline(folder)
    return folder


@pytest.fixture
def made(landed: Path, tmp_path: Path) -> PolicyRepo:
    shutil.copytree(landed, tmp_path, symlinks=True, dirs_exist_ok=True)
    return PolicyRepo(GitRepository(tmp_path / "repo", clean_environment(tmp_path)))


def judged(made: PolicyRepo, run: int = 1, **changed: object) -> Ran:
    """Judge a build and record the verdict, by the gate's own key."""
    tried = [attempt(f"c{run}", fixture, **changed) for fixture in ("one", "two")]
    return release(made, made.path.parent / "baseline.jsonl", tried, "--format", "json")


def ships(made: PolicyRepo, subject: str = SUBJECT, agent: str = AGENT) -> Ran:
    return made.run("report", "release", "--agent", agent, "--subject", subject, "--format", "json")


def reasons(ran: Ran) -> str:
    assert ran.code == 1, ran
    assert ran.json["admitted"] is False
    return "; ".join(ran.json["reasons"])


@pytest.mark.attack("C17", "gate")
def test_c17_the_verdict_of_one_build_ships_no_other(made: PolicyRepo) -> None:
    assert judged(made).code == 0
    ran = ships(made)
    assert (ran.code, ran.json["admitted"]) == (0, True), ran
    assert "no recorded verdict" in reasons(ships(made, OTHER))


@pytest.mark.attack("C17", "gate")
def test_c17_another_agents_band_admits_nothing(made: PolicyRepo) -> None:
    lenient = BAND.replace("threshold: 0.92", "threshold: 0.10")
    made.repo.write("policies/bands/lenient-agent.yaml", lenient)
    made.land("another agent", approver="pat")
    folder = made.path.parent
    trial = write_runs(folder / "candidate.jsonl", [attempt("c", "one"), attempt("c", "two")])
    borrowed = made.run(
        "gate", "release", "--agent", "lenient-agent", "--baseline",
        str(folder / "baseline.jsonl"), "--candidate", str(trial), "--record", "--key",
        str(KEYS / "ci"),
    )  # fmt: skip
    assert borrowed.code == 2, borrowed
    assert "is of agent 'refund-agent'" in borrowed.err
    assert judged(made).code == 0
    assert "no recorded verdict" in reasons(ships(made, agent="lenient-agent"))


@pytest.mark.attack("C17", "gate")
def test_c17_a_verdict_nobody_recorded_or_somebody_else_signed_ships_nothing(
    made: PolicyRepo,
) -> None:
    assert judged(made).code == 0  # so that there is a log the gate wrote
    trial = made.path.parent / "candidate.jsonl"
    write_runs(trial, [attempt("d", one, subject=OTHER) for one in ("one", "two")])
    words = ("gate", "release", "--agent", AGENT, "--baseline",
             str(made.path.parent / "baseline.jsonl"), "--candidate", str(trial))  # fmt: skip
    assert made.run(*words).code == 0
    assert "no recorded verdict" in reasons(ships(made, OTHER))
    made.run(*words, "--record", "--key", str(KEYS / "alice"))
    told = ships(made, OTHER)
    assert "no recorded verdict" in reasons(told)
    assert [one["by_gate"] for one in told.json["attempts"]] == [False]


@pytest.mark.attack("C17", "gate")
def test_c17_a_pass_under_a_rule_that_was_tightened_since_ships_nothing(made: PolicyRepo) -> None:
    assert judged(made).code == 0
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.95")
    made.land("tighter")
    assert f"{BAND_PATH} is not what it was judged under" in reasons(ships(made))
    assert judged(made, run=2).code == 0
    assert ships(made).code == 0


@pytest.mark.attack("C17", "gate")
def test_c17_an_earlier_pass_does_not_outlive_a_later_failure(made: PolicyRepo) -> None:
    assert judged(made).code == 0
    assert judged(made, run=2, cost_usd="9.00").code == 1
    told = ships(made)
    assert "the last verdict of the gate on it is fail" in reasons(told)
    assert [one["decision"] for one in told.json["attempts"]] == ["pass", "fail"]


def test_an_attempt_without_its_answer_is_shown(made: PolicyRepo) -> None:
    assert judged(made).code == 0
    assert judged(made, run=2, agent="another").code == 2
    page = made.run("report", "release", "--agent", AGENT, "--subject", SUBJECT)
    assert page.code == 0, page
    assert page.out.startswith(f"ADMITTED: {SUBJECT} for {AGENT}\n")
    assert "judged 1 time with no answer in the log\n" in page.out


def test_without_a_log_nothing_can_be_told(made: PolicyRepo) -> None:
    ran = made.run("report", "release", "--agent", AGENT, "--subject", SUBJECT)
    assert ran.code == 3, ran


def test_a_pass_that_leans_on_a_waiver_holds_as_long_as_the_waiver_does(made: PolicyRepo) -> None:
    dear: dict[str, Any] = {"tokens": {"input": 1500, "output": 100}}
    failed = judged(made, **dear)
    assert failed.code == 1, failed
    at = parse_instant(failed.json["evaluated_at"])
    ends = day_of(Instant(at + 10 * DAY)).isoformat()
    made.must(
        "waiver", "new", "--from-verdict", failed.json["verdict"], "--field", "token_ratio.max",
        "--fixture", "one", "--fixture", "two", "--owner", "alice", "--id", "w1", "--reason",
        "reads more", "--change-link", "https://git.example.com/1", "--expires-on", ends,
    )  # fmt: skip
    assert made.sign().code == 0
    approved = made.approve("ria", "reviewer")
    assert approved.code == 0, approved
    assert made.commit("waive").code == 0
    assert judged(made, run=2, **dear).json["decision"] == "pass_with_waivers"
    assert ships(made).code == 0
    repository = open_repository(made.path, {**os.environ, **made.repo.environ})
    for days, over in ((10, False), (11, True)):
        then = Instant(at + days * DAY)
        source = recorded_policy(repository, then, None, None)
        found = check_release(repository, source, AGENT, SUBJECT, then)
        assert found.reasons == (("the waiver w1 that it leant on is expired",) if over else ())
