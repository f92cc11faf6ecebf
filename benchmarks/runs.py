"""Judging many runs, beside a bare strict parse of the same file in the same run.

Give the number of runs (default 200,000). The file is made here, seeded, and taken away again.
CPU time with children included; the least of three.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.timing import cpu_seconds, peak_mib

OURS = (sys.executable, "-I", "-m", "agentpolicy")
ROUNDS = 3
TOOLS = ("calendar.read", "calendar.create_event", "mail.send", "contacts.lookup", "notes.read")
BUDGET = """\
task_type: schedule_meeting
variant: default
budget:
  steps: {soft: 8, hard: 14}
  cost_usd: {soft: 0.60, hard: 1.20}
  latency_s: {soft: 30, hard: 45}
  allowed_effects: [calendar.create_event, mail.send]
gate:
  per_run: hard breach fails the run
  aggregate: {amber_rate_max: 0.40, p95_cost_usd: 1.0, pass_rate_min: 0.5}
"""
PARSE = """\
import sys
from agentpolicy.runs.record import Outcome, Tokens
import msgspec
class Call(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    args: dict[str, msgspec.Raw] | str | None = None
    status: str | None = None
class Run(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    run_id: str
    fixture_id: str
    attempt: int
    agent: str
    subject: str
    task_type: str
    variant: str
    outcome: Outcome
    tool_calls: list[Call]
    final_answer: str
    steps: int
    cost_usd: str
    latency_ms: int
    tokens: Tokens
decode = msgspec.json.Decoder(Run).decode
for line in open(sys.argv[1], "rb"):
    decode(line)
"""
DIGEST = """\
import hashlib, sys
read = hashlib.sha256()
with open(sys.argv[1], "rb") as file:
    while block := file.read(1 << 20):
        read.update(block)
"""


def main() -> None:
    """Print one line a comparison."""
    count = int(sys.argv[1]) if sys.argv[1:] else 200_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["XDG_CACHE_HOME"] = name
        runs, policies = folder / "runs.jsonl", folder / "policies"
        _write_runs(runs, count)
        (policies / "budgets").mkdir(parents=True)
        (policies / "budgets" / "meeting.yaml").write_text(BUDGET)
        gate = [*OURS, "gate", "budget", "--budget", "meeting", "--proposed", str(policies),
                "--runs", str(runs)]  # fmt: skip
        parse = _least([sys.executable, "-c", PARSE, str(runs)])
        cold = _least(gate, folder / "agentpolicy")
        print(f"budget gate over {count:,} runs ({runs.stat().st_size >> 20} MiB): {cold:.2f} s, "
              f"a bare strict parse: {parse:.2f} s, {parse / cold:.0%} of its rate (bar 70%), "
              f"peak {peak_mib(gate):.0f} MiB")  # fmt: skip
        again = _least(gate)
        one = folder / "one.jsonl"
        with runs.open("rb") as whole:
            one.write_bytes(whole.readline())
        start = _least([*gate[:-1], str(one)])
        digest = _least([sys.executable, "-I", "-S", "-c", DIGEST, str(runs)])
        print(
            f"judged again from kept columns: {again:.2f} s, judging one run {start:.2f} s + "
            f"sha256 of the file {digest:.2f} s, {again / (digest + start):.1f}x (bar 2x)"
        )


def _write_runs(file: Path, count: int) -> None:
    random = Random(5)
    with file.open("w") as out:
        for number in range(count):
            calls = [
                {
                    "name": random.choice(TOOLS),
                    "args": {"id": str(random.randrange(10**6)), "q": "abc def"},
                    "status": "ok",
                }
                for _ in range(random.randint(3, 9))
            ]
            run = {
                "run_id": f"r{number}", "fixture_id": f"f{number // 10}",
                "attempt": number % 10 + 1, "agent": "scheduler", "subject": "sha256:" + "5" * 64,
                "task_type": "schedule_meeting", "variant": "default",
                "outcome": {"correct": random.random() < 0.95, "evaluator": "end-state@1"},
                "tool_calls": calls, "final_answer": "Your meeting was booked for Tuesday at ten.",
                "steps": len(calls) + random.randint(0, 3),
                "cost_usd": f"{random.randint(100, 900) / 1000:.3f}",
                "latency_ms": random.randint(5000, 40000),
                "tokens": {"input": random.randint(500, 4000), "output": random.randint(50, 900),
                           "cached": 0, "basis": "inclusive"},
            }  # fmt: skip
            out.write(json.dumps(run, separators=(",", ":")) + "\n")


def _least(command: list[str], forget: Path | None = None) -> float:
    """Give the least CPU time of a few rounds; `forget` is a folder to take away before each."""
    times = []
    for _ in range(ROUNDS):
        for kept in forget.rglob("*.npz") if forget else ():
            kept.unlink()
        times.append(cpu_seconds(lambda: _run(command)))
    return min(times)


def _run(command: list[str]) -> None:
    """Run a command; whether the runs pass is not the question."""
    quiet = subprocess.DEVNULL
    subprocess.run(command, stdout=quiet, stderr=quiet, check=False)


if __name__ == "__main__":
    main()
