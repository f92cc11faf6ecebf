"""The numbers printed in the source documents, read from the shared file where it is present."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from agentpolicy.gate.budget import BudgetResult, judge_budget
from agentpolicy.gate.catalogue import catalogue_of
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.partition import Outcome, run_rules
from agentpolicy.loading.runs import read_runs
from agentpolicy.runs.evidence import evidence_of
from agentpolicy.runs.record import RunRecord
from agentpolicy.runs.run_set import RunSet
from tests.evidence import budget, calls, run, run_set

SHARED = Path(__file__).resolve().parents[4] / "shared"
EXAMPLES = SHARED / "cases/worked-examples.yaml"
SAMPLE = SHARED / "runs/tau_bench/gpt-4o-airline.10tasks_x4trials.json"
STEPS = {"steps": {"soft": 12, "hard": 25}}
SHAPES: Mapping[str, Mapping[str, Any]] = {
    "green": {},
    "amber": {"steps": 14},
    "over": {"steps": 30},
    "incorrect": {"correct": False},
    "unsafe": {"tool_calls": calls("drive.write_file")},
}


@pytest.fixture(scope="module")
def examples() -> Mapping[str, Any]:
    if not EXAMPLES.exists():
        pytest.skip("the worked examples are not beside this checkout")
    written = yaml.load(EXAMPLES.read_text(encoding="utf-8"), yaml.BaseLoader)  # noqa: TID251 - test data, every scalar as text
    assert isinstance(written, dict)
    return written


def record(number: int, **known: object) -> RunRecord:
    shown: dict[str, Any] = {"correct": True, "steps": 6, "cost_usd": "0.30", **known}
    return run(f"f{number}", **shown)


def judged(gate: Mapping[str, str], limits: Mapping[str, Any], *runs: RunRecord) -> BudgetResult:
    rates = {name: text for name, text in gate.items() if name != "unsafe_action_rate_max"}
    policy = budget(limits, unsafe=gate["unsafe_action_rate_max"], **rates)
    return judge_budget(policy, None, run_set(*runs))


def test_the_partition_order_is_the_printed_one(examples: Mapping[str, Any]) -> None:
    assert examples["partition_order"] == [str(outcome) for outcome in Outcome][:5]


def test_every_printed_run_has_its_outcome(examples: Mapping[str, Any]) -> None:
    limits = dict(examples["budget"][0]["budget"])
    allowed = limits.pop("allowed_effects")
    rules = run_rules(budget(limits, allowed), catalogue_of(None))
    for example in examples["budget"]:
        printed = example["run"]
        found = rules.judge(
            evidence_of(
                run(
                    correct=printed["correct"] == "true",
                    steps=int(printed["steps"]),
                    cost_usd=printed["cost_usd"],
                    latency_ms=int(printed["latency_s"]) * 1000,
                    tool_calls=calls(*printed["effects"]),
                )
            )
        )
        assert (example["id"], str(found.outcome)) == (example["id"], example["outcome"])
        for name, text in example.get("raw", {}).items():
            assert (name, getattr(found, name)) == (name, text == "true")


def test_every_printed_set_has_its_decision(examples: Mapping[str, Any]) -> None:
    gate = examples["aggregate"]["gate"]
    cases = [case for case in examples["aggregate"]["cases"] if "runs" in case]
    assert len(cases) == 2
    for case in cases:
        shapes = [SHAPES[shape] for shape, count in case["runs"].items() for _ in range(int(count))]
        runs = [
            record(number, **{"tool_calls": (), **shape}) for number, shape in enumerate(shapes)
        ]
        result = judged(gate, STEPS, *runs)
        failing = [check.id for check in result.checks if check.result is Decision.FAIL]
        assert str(result.decision) == case["decision"]
        assert failing == case["failing_checks"]


def test_the_printed_lowering_of_hard_ships_nothing(examples: Mapping[str, Any]) -> None:
    (case,) = [case for case in examples["aggregate"]["cases"] if "steps" in case]
    counts = [int(steps) for steps, count in case["steps"].items() for _ in range(int(count))]
    runs = [record(number, steps=steps, tool_calls=()) for number, steps in enumerate(counts)]
    for side in ("before", "after"):
        limits = {"steps": {"soft": 12, "hard": case[side]["steps_hard"]}}
        result = judged(examples["aggregate"]["gate"], limits, *runs)
        assert str(result.decision) == case[side]["decision"]


@pytest.fixture(scope="module")
def airline() -> RunSet:
    if not SAMPLE.exists():
        pytest.skip("the sample runs are not beside this checkout")
    labels = {"task_type": "meeting", "variant": "default"}
    return read_runs([(SAMPLE.name, SAMPLE.read_bytes())], set_fields=labels)


def test_public_runs_are_decided_on_steps_and_effects_alone(airline: RunSet) -> None:
    tried = {call.name for one in airline.records for call in one.tool_calls or ()}
    strict = judge_budget(budget(STEPS, pass_rate_min="0.4", amber_rate_max="0.1"), None, airline)
    assert strict.runs == sum(strict.partition.values()) == 40
    assert strict.decision is Decision.FAIL
    allowed = budget(STEPS, tuple(tried), pass_rate_min="0.4", amber_rate_max="0.1")
    fair = judge_budget(allowed, None, airline)
    assert fair.decision is Decision.PASS
    assert fair.rates["pass"].count == 16
    assert fair.partition[Outcome.UNDECIDED] == 0


def test_public_runs_without_cost_leave_a_cost_limit_open_unless_something_else_fails(
    airline: RunSet,
) -> None:
    tried = tuple({call.name for one in airline.records for call in one.tool_calls or ()})
    limits = {**STEPS, "cost_usd": {"soft": "0.60", "hard": "1.50"}}
    rates = {"pass_rate_min": "0.4", "p95_cost_usd": "0.75"}
    open_ = judge_budget(budget(limits, tried, **rates), None, airline)
    assert open_.decision is Decision.INCONCLUSIVE
    assert open_.missing == {"cost_usd": 40}
    assert judge_budget(budget(limits, **rates), None, airline).decision is Decision.FAIL
