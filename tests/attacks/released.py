"""A baseline in force, and releases of the agent that are judged against it."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.policy_repo import KEYS, PolicyRepo, Ran, begin, write_runs

AGENT = "refund-agent"
PATH = f"policies/baselines/{AGENT}.yaml"
SUBJECT = "sha256:" + "5" * 64
TASK = {"task_type": "schedule_meeting", "variant": "multi_attendee_cross_tz"}
BEFORE, AFTER = "the order is refunded", "the order is refunded [1]"
Run = dict[str, Any]


def attempt(side: str, fixture: str, **changed: object) -> Run:
    return {
        "run_id": f"{side}-{fixture}", "fixture_id": fixture, "agent": AGENT, "subject": SUBJECT,
        "outcome": {"correct": True}, "latency_ms": 1000, "cost_usd": "0.30", "steps": 6,
        "tokens": {"input": 900, "output": 100}, "output": {"a": 1}, "final_answer": BEFORE,
        "tool_calls": [], **changed,
    }  # fmt: skip


def digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def baseline(runs: Path, *, accepted: bool = False, version: int = 1) -> str:
    entry = {"fixture_id": "two", "before": digest(BEFORE.encode()),
             "after": digest(AFTER.encode()), "reason": "cites its source now"}  # fmt: skip
    tree = {
        "baseline_version": version,
        "runs": digest(runs.read_bytes()),
        "fixtures": [
            {"id": "one", "class": "refund", "criticality": "critical", **TASK},
            {"id": "two", **TASK},
        ],
    } | ({"accepted": [entry]} if accepted else {})
    return json.dumps(tree, indent=2) + "\n"


def release(made: PolicyRepo, reference: Path, candidate: Sequence[Run], *args: str) -> Ran:
    folder = made.path.parent
    trial = write_runs(folder / "candidate.jsonl", list(candidate))
    return made.run(
        "gate", "release", "--agent", AGENT, "--baseline", str(reference), "--candidate",
        str(trial), "--record", "--key", str(KEYS / "ci"), *args,
    )  # fmt: skip


def begin_with_baseline(folder: Path) -> PolicyRepo:
    """Begin a repository in which a baseline of two fixtures has landed."""
    repository = begin(folder / "repo", gate=True)
    runs = write_runs(folder / "baseline.jsonl", [attempt("b", "one"), attempt("b", "two")])
    repository.repo.write(PATH, baseline(runs))
    repository.land("baseline", approver="pat", evidence=[runs])
    return repository
