"""`agentpolicy diff --explain` and `--runs`: what a change lets through, shown and replayed."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.golden import EXAMPLES

RAISED = EXAMPLES / "refused/budget-steps-soft/raised"


def typed(*args: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "agentpolicy", "diff", *args],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def files(case: Path = RAISED, name: str = "budgets/task.yaml") -> tuple[str, str, str]:
    return "--files", str(case / "before" / name), str(case / "after" / name)


def answer(*args: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(typed(*args, "--format", "json"))
    return found


def test_explain_derives_the_class_and_shows_a_witness() -> None:
    page = typed(*files(), "--explain")
    assert "looser, since 1 finding loosens and none goes the other way" in page
    assert "    witness: a run of 13 steps was refused and is accepted\n" in page


def test_without_explain_there_is_neither() -> None:
    page = typed(*files())
    assert "since" not in page
    assert "witness" not in page


def test_explain_says_where_there_is_no_witness() -> None:
    case = EXAMPLES / "refused/band-text-scorer/another-scorer"
    assert "no witness: opaque" in typed(*files(case, "bands/agent.yaml"), "--explain")


def test_json_carries_the_evidence() -> None:
    (finding,) = answer(*files())["findings"]
    assert finding["witness"]["kind"] == "release"
    assert (finding["witness"]["old"], finding["witness"]["new"]) == ("fail", "pass")
    (run,) = finding["witness"]["runs"]
    assert run["steps"] == 13


def test_json_of_a_tightening_has_no_witness() -> None:
    case = EXAMPLES / "admitted/budget-steps-soft/lowered"
    (finding,) = answer(*files(case))["findings"]
    assert finding["witness"] is None


def test_a_published_witness_can_be_judged_by_hand(tmp_path: Path) -> None:
    (finding,) = answer(*files())["findings"]
    runs = tmp_path / "runs.jsonl"
    runs.write_text("\n".join(json.dumps(run) for run in finding["witness"]["runs"]))
    codes = [
        subprocess.run(
            [sys.executable, "-m", "agentpolicy", "gate", "budget", "--budget", "task",
             "--runs", str(runs), "--proposed", str(RAISED / side / "budgets/task.yaml")],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            cwd=tmp_path, capture_output=True, check=False,
        ).returncode
        for side in ("before", "after")
    ]  # fmt: skip
    assert codes == [1, 0]


@pytest.fixture
def just_failed(tmp_path: Path) -> str:
    """Give a file of runs that only the raised limit accepts."""
    runs = tmp_path / "runs.jsonl"
    record = {
        "run_id": "r1", "fixture_id": "f1", "task_type": "meeting", "variant": "default",
        "outcome": {"correct": True}, "tool_calls": [], "steps": 14,
    }  # fmt: skip
    runs.write_text(json.dumps(record) + "\n")
    return str(runs)


def test_a_loosening_cut_to_the_runs_that_failed_is_named(just_failed: str) -> None:
    page = typed(*files(), "--runs", just_failed)
    assert "advice:\n" in page
    assert "it looks like a waiver" in page
    (said,) = answer(*files(), "--runs", just_failed)["advice"]
    assert said["code"] == "looks-like-a-waiver"


def test_advice_stands_below_the_findings_and_blocks_nothing(tmp_path: Path) -> None:
    before, after = (tmp_path / name for name in ("before.yaml", "after.yaml"))
    text = (RAISED / "before/budgets/task.yaml").read_text()
    before.write_text(text)
    after.write_text(text + "evaluators: []\n")
    found = answer("--files", str(before), str(after))
    assert found["class"] == "tighter"
    assert [one["code"] for one in found["advice"]] == []
    after.write_text(text.replace("amber_rate_max", "pass_rate_min") + "evaluators: []\n")
    codes = [one["code"] for one in answer("--files", str(before), str(after))["advice"]]
    assert codes == ["vacuous", "undecisive"]
