"""`gate release`: the band and every budget in one verdict, with the real command line."""

import hashlib
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.policy_repo import KEYS, PolicyRepo, Ran, begin, write_runs
from tests.repositories import GitRepository, clean_environment

AGENT = "refund-agent"
SUBJECT = "sha256:" + "5" * 64
TASK = {"task_type": "schedule_meeting", "variant": "multi_attendee_cross_tz"}
Run = dict[str, Any]


def attempt(side: str, fixture: str, **changed: object) -> Run:
    return {
        "run_id": f"{side}-{fixture}", "fixture_id": fixture, "agent": AGENT, "subject": SUBJECT,
        "outcome": {"correct": True}, "latency_ms": 1000, "cost_usd": "0.30", "steps": 6,
        "tokens": {"input": 900, "output": 100}, "output": {"a": 1}, "final_answer": "x" * 100,
        "tool_calls": [], **changed,
    }  # fmt: skip


BASELINE = [attempt("b", "one"), attempt("b", "two")]
CANDIDATE = [attempt("c", "one"), attempt("c", "two")]


def document(reference: Path, fixtures: Sequence[Run]) -> str:
    tree = {
        "baseline_version": 1,
        "runs": f"sha256:{hashlib.sha256(reference.read_bytes()).hexdigest()}",
        "fixtures": list(fixtures),
    }
    return json.dumps(tree, indent=2) + "\n"


@pytest.fixture(scope="module")
def landed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Land a baseline document once; every test has a copy of the repository."""
    folder = tmp_path_factory.mktemp("landed")
    repository = begin(folder / "repo", gate=True)
    reference = write_runs(folder / "baseline.jsonl", BASELINE)
    fixtures = [{"id": "one", **TASK}, {"id": "two", **TASK}]
    repository.repo.write(f"policies/baselines/{AGENT}.yaml", document(reference, fixtures))
    repository.land("baseline", approver="pat", evidence=[reference])
    return folder


@pytest.fixture
def made(landed: Path, tmp_path: Path) -> PolicyRepo:
    shutil.copytree(landed, tmp_path, symlinks=True, dirs_exist_ok=True)
    return PolicyRepo(GitRepository(tmp_path / "repo", clean_environment(tmp_path)))


def release(made: PolicyRepo, candidate: Sequence[Run], *args: str) -> Ran:
    folder = made.path.parent
    trial = write_runs(folder / "candidate.jsonl", list(candidate))
    return made.run(
        "gate", "release", "--agent", AGENT, "--baseline", str(folder / "baseline.jsonl"),
        "--candidate", str(trial), *args,
    )  # fmt: skip


def answer(made: PolicyRepo, candidate: Sequence[Run], *args: str) -> Any:  # noqa: ANN401 - JSON
    return release(made, candidate, "--format", "json", *args).json


def test_a_release_that_is_inside_everywhere_passes_and_needs_no_review(made: PolicyRepo) -> None:
    ran = release(made, CANDIDATE, "--format", "json")
    assert ran.code == 0, ran
    found = ran.json
    assert (found["decision"], found["route"]) == ("pass", "no_op")
    assert found["baseline"] == "version 1"
    assert found["partition"]["green_pass"] == found["runs"] == 2
    assert list(found["budgets"]) == ["schedule-meeting"]
    assert {check["document"] for check in found["checks"]} == {
        f"bands/{AGENT}",
        "budgets/schedule-meeting",
    }


def test_a_budget_fails_a_release_that_its_band_would_pass(made: PolicyRepo) -> None:
    dear = [attempt("c", "one", cost_usd="9.00"), CANDIDATE[1]]
    ran = release(made, dear, "--format", "json")
    assert (ran.code, ran.json["decision"], ran.json["route"]) == (1, "fail", "no_op")


def test_a_band_fails_a_release_that_its_budgets_would_pass(made: PolicyRepo) -> None:
    ran = release(made, [attempt("c", "one", output={"b": 1}), CANDIDATE[1]], "--format", "json")
    assert (ran.code, ran.json["route"]) == (1, "fast_review")


@pytest.mark.parametrize("label", ["agent", "subject"])
def test_runs_that_do_not_all_name_what_would_ship_decide_nothing(
    made: PolicyRepo, label: str
) -> None:
    silent = [attempt("c", "one", **{label: None}), CANDIDATE[1]]
    ran = release(made, silent)
    assert ran.code == 3
    assert f"1 of 2 runs do not name their {label}" in ran.out


def test_runs_of_two_subjects_decide_nothing(made: PolicyRepo) -> None:
    ran = release(made, [attempt("c", "one", subject="other"), CANDIDATE[1]])
    assert ran.code == 3
    assert "the runs are of 2 subjects" in ran.out


def test_a_label_filled_in_by_hand_decides_nothing_where_a_check_reads_it(
    made: PolicyRepo,
) -> None:
    silent = [attempt("c", name, subject=None) for name in ("one", "two")]
    ran = release(made, silent, "--set", f"subject={SUBJECT}")
    assert ran.code == 3
    assert "filled in by hand" in ran.out
    read_nowhere = release(made, CANDIDATE, "--set", "task_type=anything")
    assert read_nowhere.code == 0, read_nowhere


def test_a_fixture_under_no_budget_decides_nothing(made: PolicyRepo) -> None:
    path = f"policies/baselines/{AGENT}.yaml"
    made.edit(path, '"variant": "multi_attendee_cross_tz"', '"variant": "nobody knows"')
    made.land("another variant", approver="pat")
    ran = release(made, CANDIDATE)
    assert ran.code == 3
    assert "no budget governs fixture one" in ran.out


def test_without_a_baseline_document_no_release_is_decided(tmp_path: Path) -> None:
    bare = begin(tmp_path / "repo")
    write_runs(tmp_path / "baseline.jsonl", BASELINE)
    ran = release(bare, CANDIDATE)
    assert ran.code == 3
    assert "no baseline document says which fixtures there are" in ran.out


def test_a_fixture_that_is_left_out_still_counts_in_every_budget(made: PolicyRepo) -> None:
    found = answer(made, CANDIDATE[:1])
    assert found["decision"] == "inconclusive"
    assert found["partition"]["undecided"] == 1
    assert sum(found["partition"].values()) == 2


def test_a_candidate_does_not_choose_its_budget(made: PolicyRepo) -> None:
    relabelled = [attempt("c", name, task_type="cheap", cost_usd="9.00") for name in ("one", "two")]
    assert answer(made, relabelled)["decision"] == "fail"


def test_other_reference_runs_than_the_document_names_are_refused(made: PolicyRepo) -> None:
    write_runs(made.path.parent / "baseline.jsonl", [attempt("b", "one"), attempt("b", "three")])
    ran = release(made, CANDIDATE)
    assert ran.code == 2
    assert "baseline document in force names" in ran.err


def records(made: PolicyRepo) -> list[str]:
    """List the kinds of the log's records, oldest first."""
    commits = made.repo.git("rev-list", "--reverse", "refs/heads/agentpolicy/log").split()
    lines = [
        line
        for commit in commits
        for line in made.repo.git("show", f"{commit}:segment.jsonl").splitlines()
    ]
    return [json.loads(line)["kind"] for line in lines]


def test_with_a_gate_key_the_log_shows_that_a_release_is_judged_before_it_is(
    made: PolicyRepo,
) -> None:
    ran = release(made, CANDIDATE, "--record", "--key", str(KEYS / "ci"))
    assert ran.code == 0, ran
    assert records(made) == ["opened", "verdict"]
    assert made.run("audit", "verify").code == 0


def test_an_answer_that_never_came_leaves_its_opening(made: PolicyRepo) -> None:
    strangers = [attempt("c", "one", agent="another")]
    assert release(made, strangers, "--record", "--key", str(KEYS / "ci")).code == 2
    assert records(made) == ["opened"]


def test_who_is_not_the_gate_opens_nothing(made: PolicyRepo) -> None:
    assert release(made, CANDIDATE, "--record", "--key", str(KEYS / "alice")).code == 0
    assert records(made) == ["verdict"]


def test_the_band_gate_takes_its_fixtures_from_the_document_too(made: PolicyRepo) -> None:
    folder = made.path.parent
    trial = write_runs(folder / "candidate.jsonl", CANDIDATE)
    ran = made.run(
        "gate", "band", "--agent", AGENT, "--baseline", str(folder / "baseline.jsonl"),
        "--candidate", str(trial), "--format", "json",
    )  # fmt: skip
    assert (ran.code, ran.json["baseline"]) == (0, "version 1")
