"""Makes the example set in `policies/` anew: `python -m tests.example_set`.

Everything goes through the product, step by step, as people would: a first policy signed and
approved, a candidate that fails, a verdict recorded by the gate, a waiver that cites it. What is
kept beside the set is its history with the log (a git bundle), the runs, and the pin.
"""

import json
import shutil
import tempfile
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from agentpolicy.base.instant import Instant, day_of, parse_instant
from agentpolicy.trust.pin import Pin

from tests.policy_repo import BUDGET, BUDGET_PATH, KEYS, ROLES_PATH, TOOLS_PATH, PolicyRepo
from tests.repositories import make_repository
from tests.written import BAND

ROOT = Path(__file__).parents[1]
SET = ROOT / "policies"
EVIDENCE = Path(__file__).parent / "data" / "example"
BUNDLE, PIN = EVIDENCE / "history.bundle", EVIDENCE / "pin"
RUNS = {side: EVIDENCE / f"{side}.jsonl" for side in ("baseline", "candidate")}
AGENT, WAIVER = "refund-agent", "refund-agent-tokens-sources"
BAND_PATH, BASELINE_PATH = f"policies/bands/{AGENT}.yaml", f"policies/baselines/{AGENT}.yaml"
REFS = ("refs/heads/main", "refs/heads/agentpolicy/log")

PRINTED_BAND = BAND
PRINTED_BUDGET = BUDGET
TOOLS = """\
tools_version: 1
tools:   # a tool that is not listed counts as destructive
  order.lookup:          {effect: read, idempotent: true, identity_args: [order_id]}
  refund.policy:         {effect: read, idempotent: true}
  refund.issue:
    effect: write
    requires: [order.lookup, refund.policy]
    identity_args: [order_id, amount]
  calendar.search:       {effect: read, idempotent: true}
  calendar.create_event: {effect: write}
  calendar.delete_event: {effect: destructive}
  mail.reply:            {effect: write}
  mail.send_invite:      {effect: write}
  drive.write_file:      {effect: write}
"""
ROLES = """\
# An example. Its private keys are public (tests/data/keys): never trust this file anywhere.
roles_version: 1
repository: "5eed5eed5eed5eed5eed5eed5eed5eed"
protected: [refs/heads/main]
people:
{people}
roles:
  platform-owner: {{people: [pat, priya], threshold: 1}}
  reviewer: {{people: [ria], threshold: 1}}
  gate: {{people: [ci], threshold: 1}}
owners:
  bands/refund-agent: [alice]
  budgets/schedule-meeting: [alice]
"""
PEOPLE = ("alice", "pat", "priya", "ria", "ci")
FIXTURES = {"refund-004": "normal", "refund-011": "normal", "refund-017": "critical"}
BASELINE = """\
baseline_version: 1
runs: {runs}   # tests/data/example/baseline.jsonl
fixtures:
{fixtures}
"""


def build(folder: Path) -> PolicyRepo:
    """Land the set step by step in a repository of its own; give that repository."""
    made = PolicyRepo(make_repository(folder / "repo"))
    first_policy(made)
    made.must("hook", "install")
    assert made.sign().code == 0
    approve(made, "pat", "platform-owner", "agreed")
    assert made.commit("A first band, budget, catalogue and baseline").code == 0
    verdict = judge(made)
    assert verdict["decision"] == "fail", verdict
    waive(made, verdict)
    assert made.sign().code == 0
    approve(made, "ria", "reviewer", "sources were asked for")
    assert made.commit("Waive the tokens that sources cost").code == 0
    assert judge(made)["decision"] == "pass_with_waivers"
    return made


def approve(made: PolicyRepo, who: str, role: str, reason: str) -> None:
    """Approve as somebody else, with the runs at hand that the baseline names."""
    asked = ("--role", role, "--key", str(KEYS / who), "--reason", reason)
    made.must("approve", *asked, "--evidence", str(EVIDENCE))


def first_policy(made: PolicyRepo) -> None:
    """Write the documents, and pin the trust root among them."""
    roles = ROLES.format(people="\n".join(map(person, PEOPLE)))
    fixtures = "\n".join(
        f"  - {{id: {name}, criticality: {weight}}}" for name, weight in FIXTURES.items()
    )
    runs = "sha256:" + sha256(RUNS["baseline"].read_bytes()).hexdigest()
    written = {
        ROLES_PATH: roles, TOOLS_PATH: TOOLS, BAND_PATH: PRINTED_BAND, BUDGET_PATH: PRINTED_BUDGET,
        BASELINE_PATH: BASELINE.format(runs=runs, fixtures=fixtures),
    }  # fmt: skip
    for path, text in written.items():
        made.repo.write(path, text)
    pin = Pin("sha256:" + sha256(roles.encode()).hexdigest(), 1, "refs/heads/main")
    made.repo.git("config", "agentpolicy.root", str(pin))


def person(name: str) -> str:
    public = (KEYS / f"{name}.pub").read_text().strip()
    return (
        f'  {name}: {{handle: "@agents.example/{name}", keys: [{{public: "{public}", since: 1}}]}}'
    )


def judge(made: PolicyRepo) -> Any:  # noqa: ANN401 - JSON
    """Judge the candidate and record it with the gate's key."""
    return made.run(
        "gate", "band", "--agent", AGENT, "--baseline", str(RUNS["baseline"]), "--candidate",
        str(RUNS["candidate"]), "--record", "--key", str(KEYS / "ci"), "--format", "json",
    ).json  # fmt: skip


def waive(made: PolicyRepo, verdict: Any) -> None:  # noqa: ANN401 - JSON
    """Write the waiver from the recorded verdict: nothing that was measured is typed."""
    at: Instant = parse_instant(verdict["evaluated_at"])
    made.must(
        "waiver", "new", "--from-verdict", verdict["verdict"], "--field", "token_ratio.max",
        "--fixture", "refund-017", "--owner", "alice", "--id", WAIVER,
        "--reason", "the answer lists its sources now", "--change-link",
        "https://git.example.com/acme/agents/merge/412",
        "--expires-on", (day_of(at) + timedelta(days=30)).isoformat(),
    )  # fmt: skip


def run(side: str, fixture: str, tokens: int) -> dict[str, Any]:
    """Give one run of the refund agent; the candidate lists its sources as well."""
    order = f"A-{fixture[-3:]}"
    calls = [
        {"name": "order.lookup", "args": {"order_id": order}, "status": "ok"},
        {"name": "refund.policy", "args": {}, "status": "ok"},
        {"name": "refund.issue", "args": {"order_id": order, "amount": "40.00"}, "status": "ok"},
    ]
    output: dict[str, Any] = {"order_id": order, "refunded": "40.00"}
    if side == "candidate":
        output["sources"] = ["refund.policy"]
    return {
        "run_id": f"{side}-{fixture}", "fixture_id": fixture, "attempt": 1, "agent": AGENT,
        "outcome": {"correct": True, "evaluator": "end-state@1"}, "tool_calls": calls, "steps": 3,
        "cost_usd": "0.04", "latency_ms": 1800 if side == "baseline" else 2100, "output": output,
        "tokens": {"input": tokens - 100, "output": 100}, "refused": False,
        "final_answer": f"Order {order} is refunded: 40.00 go back to the card it was paid with.",
    }  # fmt: skip


def write_evidence() -> None:
    """Write the reference runs and the candidate's: 1.6 times the tokens on one fixture."""
    grown = {"refund-017": 1600}
    for side, tokens in (("baseline", {}), ("candidate", grown)):
        rows = [run(side, fixture, tokens.get(fixture, 1000)) for fixture in FIXTURES]
        RUNS[side].write_text("".join(json.dumps(row) + "\n" for row in rows))


def main() -> None:
    """Make everything anew."""
    EVIDENCE.mkdir(exist_ok=True)
    write_evidence()
    with tempfile.TemporaryDirectory() as folder:
        made = build(Path(folder))
        shutil.rmtree(SET, ignore_errors=True)
        shutil.copytree(made.path / "policies", SET)
        made.repo.git("bundle", "create", "-q", str(BUNDLE), *REFS)
        PIN.write_text(made.pin + "\n")


if __name__ == "__main__":
    main()
