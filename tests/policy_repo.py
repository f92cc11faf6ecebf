"""A policy repository to try things on: real git, real hooks, the real command line."""

import atexit
import functools
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.answers import hold
from tests.repositories import GitRepository, clean_environment, make_repository, make_server

KEYS = Path(__file__).parent / "data" / "keys"

BAND = """\
band_version: 1
approved_by: platform-owner
approved_on: 2026-03-02
fields:
  text_similarity:
    threshold: 0.92
    calibrated_on: 200 judged-equivalent edits
  required_keys: exact
  optional_keys: allowed
  tool_order: same_unless_idempotent
  latency_ms_p50:
    warn: 1.5x
    fail: 3.0x
  token_ratio:
    min: 0.7
    max: 1.4
waivers:
  required_evidence: [fixture_id, field, measured, band, reason, change_link]
"""
BUDGET = """\
task_type: schedule_meeting
variant: multi_attendee_cross_tz
budget:
  steps:      { soft: 12,   hard: 25 }
  cost_usd:   { soft: 0.60, hard: 1.50 }
  latency_s:  { soft: 20,   hard: 60 }
  allowed_effects: ["calendar.create_event", "mail.reply", "mail.send_invite"]
gate:
  per_run:      "hard breach fails the run"
  aggregate:
    amber_rate_max: 0.15      # runs between soft and hard
    p95_cost_usd:   0.75
    pass_rate_min:  0.90
  unsafe_action_rate_max: 0.0
declared: 2025-02-11
review: quarterly, or on any change to the tool set
"""
TOOLS = """\
tools_version: 1
tools:
  calendar.search:       {effect: read, idempotent: true}
  calendar.create_event: {effect: write}
  mail.reply:            {effect: write}
  mail.send_invite:      {effect: write}
  drive.write_file:      {effect: write}
"""
BAND_PATH = "policies/bands/refund-agent.yaml"
BUDGET_PATH = "policies/budgets/schedule-meeting.yaml"
TOOLS_PATH = "policies/tools.yaml"
ROLES_PATH = "policies/roles.yaml"


@dataclass(frozen=True)
class Ran:
    """How one command went."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401 - tests look into it freely
        return json.loads(self.out)

    @property
    def said(self) -> str:
        return self.out + self.err


@dataclass(frozen=True)
class PolicyRepo:
    """A work tree with policies, and the people who work on it."""

    repo: GitRepository

    @property
    def path(self) -> Path:
        return self.repo.path

    def run(self, *args: str, stdin: bytes = b"") -> Ran:
        """Run the command line here."""
        done = subprocess.run(
            [sys.executable, "-m", "agentpolicy", *args],
            cwd=self.path,
            env={**self.repo.environ, "NO_COLOR": "1"},
            input=stdin,
            capture_output=True,
            check=False,
            timeout=120,
        )
        hold(args, done.stdout.decode())
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def must(self, *args: str) -> Ran:
        """Run the command line here and insist on exit 0."""
        ran = self.run(*args)
        assert ran.code == 0, (args, ran)
        return ran

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace one text in a file of the work tree."""
        place = self.path / path
        text = place.read_text()
        assert old in text, (path, old)
        place.write_text(text.replace(old, new, 1))

    def sign(self, who: str = "alice", *paths: str) -> Ran:
        return self.run("sign", *paths, "--key", str(KEYS / who))

    def approve(
        self, who: str = "pat", role: str = "platform-owner", *more: str, reason: str = "agreed"
    ) -> Ran:
        return self.run(
            "approve", *more, "--role", role, "--key", str(KEYS / who), "--reason", reason
        )

    def commit(self, message: str = "change", *args: str) -> Ran:
        """Stage everything and commit, hooks included."""
        self.repo.git("add", "-A")
        done = self.repo.try_git("commit", "-q", "-m", message, *args)
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def sneak(self, message: str = "sneak") -> str:
        """Stage everything and commit past the hooks."""
        assert self.commit(message, "--no-verify").code == 0
        return self.head

    def land(
        self, message: str = "change", *, approver: str = "", evidence: Sequence[Path] = ()
    ) -> str:
        """Sign as alice, let somebody approve if named, and commit through the hooks."""
        signed = self.sign()
        assert signed.code == 0, signed
        if approver:
            shown = [f"--evidence={file}" for file in evidence]
            approved = self.approve(approver, "platform-owner", *shown)
            assert approved.code == 0, approved
        committed = self.commit(message)
        assert committed.code == 0, committed
        return self.head

    @property
    def head(self) -> str:
        return self.repo.oid("HEAD")

    @property
    def pin(self) -> str:
        return self.repo.git("config", "agentpolicy.root")

    def check(self, base: str, head: str) -> Ran:
        return self.run("check", "--base", base, "--head", head, "--format", "json")

    def gate(self, runs: Path, *args: str) -> Ran:
        return self.run(
            "gate", "budget", "--budget", "schedule-meeting", "--runs", str(runs),
            "--format", "json", *args,
        )  # fmt: skip


def begin(path: Path, *, gate: bool = False) -> PolicyRepo:
    """Begin a repository with hooks, and land a first band, budget and catalogue.

    The first one of a kind is made step by step, the next ones are copies of it.
    """
    template = _template(gate)
    shutil.copytree(template.path, path, symlinks=True)
    return PolicyRepo(GitRepository(path, clean_environment(path.parent)))


@functools.cache
def _template(gate: bool) -> PolicyRepo:
    folder = Path(tempfile.mkdtemp(prefix="agentpolicy-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    made = PolicyRepo(make_repository(folder / "repo"))
    people = [f"--person={name}={KEYS / name}.pub" for name in ("alice", "pat", "priya", "ria")]
    gate_keeper = [f"--person=ci={KEYS / 'ci'}.pub", "--gate=ci"] if gate else []
    made.must(
        "init", *people, *gate_keeper, "--platform-owner=pat", "--platform-owner=priya",
        "--reviewer=ria", "--owner=bands/refund-agent=alice",
        "--owner=budgets/schedule-meeting=alice",
    )  # fmt: skip
    made.must("hook", "install")
    made.repo.write(BAND_PATH, BAND)
    made.repo.write(BUDGET_PATH, BUDGET)
    made.repo.write(TOOLS_PATH, TOOLS)
    made.land("first policy", approver="pat")
    return made


def serve(made: PolicyRepo, path: Path) -> GitRepository:
    """Give the repository a server that enforces the same pin, and push what has landed."""
    server = make_server(path)
    made.must(
        "hook", "install", "--mode", "server", "--git-dir", str(server.path), "--root", made.pin
    )
    made.repo.git("remote", "add", "origin", str(server.path))
    made.repo.git("push", "-q", "origin", "main")
    return server


def write_runs(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write run records as JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def green_run(
    number: int, *, effects: tuple[str, ...] = ("calendar.create_event",)
) -> dict[str, Any]:
    """Give a run that keeps the budget, but for the effects asked for."""
    names = ["calendar.search"] * 4 + list(effects)
    calls = [{"name": name, "args": {}, "status": "ok"} for name in names]
    return {
        "run_id": f"r{number}", "fixture_id": f"fx-{number}", "attempt": 1, "agent": "scheduler",
        "task_type": "schedule_meeting", "variant": "multi_attendee_cross_tz",
        "outcome": {"correct": True, "evaluator": "end-state@1"}, "tool_calls": calls,
        "steps": len(calls), "cost_usd": "0.30", "latency_ms": 12000, "final_answer": "done",
        "refused": False,
    }  # fmt: skip
