"""In which order evidence comes changes no byte of what the gate states.

Runs of a set in any order, files in any order, and any seed of the hashes give the same findings;
only what names the evidence by its bytes may tell two orders of one file apart.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from agentpolicy.base.canonical import canonical_bytes
from agentpolicy.base.instant import Instant
from agentpolicy.documents.models.band import Band
from agentpolicy.documents.models.budget import Budget
from agentpolicy.gate.band import judge_band
from agentpolicy.gate.budget import judge_budget
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.release import ReleasePolicy, judge_release
from agentpolicy.loading.runs import read_runs
from agentpolicy.report.gate_json import GateResult, findings_json
from agentpolicy.report.gate_text import gate_text
from agentpolicy.runs.record import RunRecord
from agentpolicy.runs.run_set import RunSet
from tests.evidence import TASK, VARIANT, baseline, budget, calls, run, run_set, tools, whole_band
from tests.repositories import clean_environment

ROOT = Path(__file__).parents[3]
NOW = Instant(1_772_000_000)
TOOLS = tools(
    search={"effect": "read", "idempotent": True, "identity_args": ("id",)},
    read={"effect": "read", "idempotent": True},
    write={"effect": "write", "requires": ("read",)},
)
BUDGET = budget(
    {"steps": {"soft": 3, "hard": 5}, "cost_usd": {"soft": "0.60", "hard": "1.50"}},
    ("write",),
    amber_rate_max="0.15", p95_cost_usd="0.75", pass_rate_min="0.90",
)  # fmt: skip
BAND = whole_band(
    {"repeats": 2, "routing": {"shortfall_weight": Decimal("0.5")}, "drift": {}},
    text_similarity={"threshold": Decimal("0.92"), "classes": {"formatting": Decimal("0.5")}},
    facts="kept", required_content={"all": ["cites_source"]}, required_keys="exact",
    optional_keys="forbidden", tool_order="same_unless_idempotent",
    latency_ms_p50={"warn": "1.5x", "fail": "3.0x"}, latency_ms_p95="2.0x",
    token_ratio={"min": Decimal("0.7"), "max": Decimal("1.4")}, tool_calls_ratio=Decimal("1.5"),
    arguments={"search": {"q": "similar(0.8)"}},
)  # fmt: skip


def attempt(random: Random, side: str, fixture: str, number: int) -> RunRecord:
    """Draw an attempt that may cross anything, and may lack anything."""

    def drawn(*values: Any) -> Any:  # noqa: ANN401 - any value of a run
        return random.choice((*values, None) if random.random() < 0.2 else values)

    route = random.choice((("search", "read", "write"), ("read", "search", "write"), ("write",)))
    return run(
        fixture, number, side, agent="a", subject="s", correct=drawn(True, True, False),
        cost_usd=drawn("0.30", "0.75", "0.76", "1.60"), latency_ms=drawn(100, 150, 310),
        tokens=drawn(100, 140, 141), steps=drawn(2, 4, 6), tool_calls=calls(*route),
        final_answer=drawn("order 17 is refunded [1]", "order 18 is refunded", "no"),
        output=drawn({"a": 1}, {"a": 1, "b": [2]}),
        status=drawn("completed", "completed", "infra_error"),
    )  # fmt: skip


def evidence(seed: int) -> tuple[RunSet, RunSet]:
    random = Random(seed)
    sides = (
        [attempt(random, side, f"f{one}", number) for one in range(4) for number in (1, 2, 3)]
        for side in ("b", "c")
    )
    before, after = (run_set(*records) for records in sides)
    return before, after


def turned(random: Random, runs: RunSet) -> RunSet:
    """Give the same set with its runs, and what is known of them, in another order."""
    return replace(runs, records=tuple(random.sample(runs.records, len(runs.records))))


def stated(band: Band, rule: Budget, before: RunSet, after: RunSet) -> Mapping[str, bytes]:
    """Write what each gate finds as the verdict and the page would."""
    fixtures = (
        {"id": f"f{one}", "class": "formatting" if one else "refund", "attempts": 3,
         "criticality": "critical" if one == 1 else "normal", "task_type": TASK,
         "variant": VARIANT}
        for one in range(4)
    )  # fmt: skip
    document = baseline(before, *fixtures)
    policy = ReleasePolicy(band, document, {"meeting": rule}, TOOLS)
    results: dict[str, GateResult] = {
        "budget": judge_budget(rule, TOOLS, after),
        "band": judge_band(band, TOOLS, before, after, "a", (), (), NOW, document),
        "release": judge_release(policy, before, after, "a", (), (), NOW),
    }
    return {
        name: canonical_bytes(findings_json(result)) + gate_text(result).encode()
        for name, result in results.items()
    }


def hold(seed: int) -> None:
    random = Random(seed)
    before, after = evidence(seed)
    whole = stated(BAND, BUDGET, before, after)
    for _ in range(3):
        assert stated(BAND, BUDGET, turned(random, before), turned(random, after)) == whole


@pytest.mark.parametrize("seed", range(12))
def test_the_order_of_runs_changes_no_byte_of_what_is_stated(seed: int) -> None:
    hold(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 1_100))
def test_the_order_of_runs_changes_no_byte_of_a_great_many_statements(seed: int) -> None:
    hold(seed)


def test_what_is_turned_here_is_worth_turning() -> None:
    pages = [stated(BAND, BUDGET, *evidence(seed)) for seed in range(12)]
    assert len({page["band"] for page in pages}) == 12
    decided = {page["budget"].split(b":")[0] for page in pages}
    assert decided


def test_the_order_of_files_changes_no_byte_and_names_the_same_evidence() -> None:
    lines = [
        b'{"run_id": "r%d", "fixture_id": "f%d", "task_type": "t", "variant": "v"}\n' % (one, one)
        for one in range(3)
    ]
    files = [(f"{one}.jsonl", line) for one, line in enumerate(lines)]
    one, other = read_runs(files), read_runs(files[::-1])
    assert one.digest == other.digest
    rule = Budget.model_validate(
        {"task_type": "t", "variant": "v", "budget": {"allowed_effects": ()},
         "gate": {"per_run": "hard breach fails the run"}}
    )  # fmt: skip
    assert findings_json(judge_budget(rule, None, one)) == findings_json(
        judge_budget(rule, None, other)
    )


def by_seed(seed: str, folder: Path) -> bytes:
    """State everything in a process whose hashes have a seed."""
    code = (
        "import sys; from tests.unit.gate.test_order_of_evidence import *\n"
        "for seed in range(3):\n"
        "    for name, page in stated(BAND, BUDGET, *evidence(seed)).items():\n"
        "        sys.stdout.buffer.write(page)"
    )
    environment = {**os.environ, **clean_environment(folder), "PYTHONHASHSEED": seed}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, check=True
    )
    assert len(done.stdout) > 1000
    return done.stdout


@pytest.mark.parametrize("other", ["1", "2"])
def test_the_seed_of_the_hashes_changes_no_byte(tmp_path: Path, other: str) -> None:
    assert by_seed("0", tmp_path) == by_seed(other, tmp_path)


@pytest.mark.long
def test_no_seed_of_the_hashes_changes_a_byte(tmp_path: Path) -> None:
    assert len({by_seed(str(seed), tmp_path) for seed in range(3, 60)}) == 1


@pytest.mark.parametrize(
    ("runs", "rank"), [(1, 1), (2, 2), (5, 5), (19, 19), (20, 19), (21, 20), (100, 95)]
)
def test_the_gate_takes_the_nearest_rank_of_the_cost(runs: int, rank: int) -> None:
    """Costs are 1 to n cents: the limit at the rank holds, one unit below it does not."""
    costs = [f"{cents / 100:.2f}" for cents in range(runs, 0, -1)]
    records = [
        run(f"f{one}", correct=True, tool_calls=(), cost_usd=cost) for one, cost in enumerate(costs)
    ]

    def decision(limit: str) -> Decision:
        return judge_budget(budget(p95_cost_usd=limit), None, run_set(*records)).decision

    at = Decimal(rank) / 100
    assert decision(str(at)) is Decision.PASS
    assert decision(str(at - Decimal("0.0000001"))) is Decision.FAIL


@pytest.mark.parametrize(("cheap", "decided"), [(95, Decision.PASS), (94, Decision.FAIL)])
def test_ties_stand_at_their_rank_in_the_gate_too(cheap: int, decided: Decision) -> None:
    records = [
        run(f"f{one}", correct=True, tool_calls=(), cost_usd="0.10" if one < cheap else "0.20")
        for one in range(100)
    ]
    result = judge_budget(budget(p95_cost_usd="0.10"), None, run_set(*records))
    assert result.decision is decided
    assert json.dumps(findings_json(result))
