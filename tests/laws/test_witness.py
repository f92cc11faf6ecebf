"""Every loosening that the gate can see has a witness, and the gate has seen every witness."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
from agentpolicy.documents.document import DocumentKind, Snapshot
from agentpolicy.documents.models.band import Band
from agentpolicy.documents.models.baseline import Baseline
from agentpolicy.documents.models.budget import Budget
from agentpolicy.documents.models.tools import Tools
from agentpolicy.documents.models.waiver import Waiver
from agentpolicy.documents.rows import Kind, Reader
from agentpolicy.gate.band import judge_band
from agentpolicy.gate.budget import BudgetResult, judge_budget
from agentpolicy.gate.decision import Decision
from agentpolicy.loading.schemas import all_schemas, rows_of
from agentpolicy.order.change import Effect, Finding
from agentpolicy.order.classify import classify
from agentpolicy.order.witness import VERDICT, wanted, without
from agentpolicy.report.diff_json import diff_json
from agentpolicy.report.diff_view import DiffView
from agentpolicy.workflows import witness as workflow
from agentpolicy.workflows.witness import AT, run_set, witness_of, witnesses
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.golden import Example, examples
from tests.policies import document, snapshot

NO_READER = {
    "band/drift-jaccard-min": "drift is not judged by a gate",
    "band/drift-z-max": "drift is not judged by a gate",
    "band/waiver-max-renewals": "renewals are counted over a history, not in one state",
    "budget/waiver-max-renewals": "renewals are counted over a history, not in one state",
    "budget/guard-cost": "a guard stops runs where they run",
    "budget/guard-identical-calls": "a guard stops runs where they run",
    "budget/guard-steps": "a guard stops runs where they run",
    "budget/guard-tokens": "a guard stops runs where they run",
}
"""Ordered rules that no gate reads, so that nothing can be replayed, and why."""
NOTHING_FOLLOWS = {
    "refused/tools-effect/unknown-tool-listed-as-write": "a write that may not be repeated is "
    "treated as a destructive call is",
}
"""Changes that their leaf calls looser and that no reader can tell apart, and why."""
OPAQUE_WITH_WITNESS = {"budget/latency-measures"}

FINDINGS = [
    pytest.param(example, finding, id=f"{example.name}: {finding.rule}")
    for example in examples()
    for finding in example.report.findings
    if wanted(finding)
]
each = pytest.mark.parametrize(("example", "finding"), FINDINGS)


@each
def test_each_loosening_has_a_witness_or_a_reason_to_have_none(
    example: Example, finding: Finding
) -> None:
    found = witness_of(finding, *example.sides)
    assert finding.row is not None
    opaque = finding.row.kind in (Kind.OPAQUE, Kind.ADDITIONS)
    if found is not None:
        assert finding.rule not in NO_READER
        assert found.kind == str(finding.reader)
    elif opaque and finding.rule not in OPAQUE_WITH_WITNESS:
        assert without(finding) == "no witness: opaque"
    else:
        assert finding.rule in NO_READER or example.name in NOTHING_FOLLOWS


def test_rules_without_a_reader_are_those_of_readers_that_are_no_gate() -> None:
    rows = {row.rule: row for kind in DocumentKind for row in rows_of(kind).values()}
    readers = {rows[rule].reader for rule in NO_READER}
    assert readers == {Reader.FLAG, Reader.WAIVER, Reader.GUARD}


@each
def test_what_is_published_is_enough_to_replay_it(example: Example, finding: Finding) -> None:
    """Take the JSON, and nothing else, to the gate with both policies."""
    old, new = example.sides
    found = witness_of(finding, old, new)
    if found is None or not found.evidence.runs or not found.under:
        return
    view = DiffView(example.report, witnesses={finding: found})
    published = json.loads(json.dumps(diff_json(view)), parse_float=Decimal)
    (written,) = [one["witness"] for one in published["findings"] if one["witness"]]
    was, now = (replayed(side, written) for side in (old, new))
    assert answers(written, was) == written["old"]
    assert answers(written, now) == written["new"]


def replayed(side: Snapshot, written: Mapping[str, Any]) -> Any:  # noqa: ANN401 - either result
    policy = side.documents[written["under"]]
    catalogue = side.documents.get("policies/tools.yaml")
    tools = Tools.model_validate(catalogue.tree) if catalogue else None
    runs = run_set("runs", written["runs"])
    waivers = [Waiver.model_validate(one) for one in written.get("waivers", ())]
    if policy.kind is DocumentKind.BUDGET:
        budget = Budget.model_validate(policy.tree)
        return judge_budget(budget, tools, runs, waivers, {VERDICT}, AT)
    references = run_set("references", written["baseline"])
    baseline = Baseline.model_validate(
        {"baseline_version": 1, "runs": references.digest, "fixtures": written["fixtures"]}
    )
    band = Band.model_validate(policy.tree)
    return judge_band(
        band, tools, references, runs, policy.name, waivers, {VERDICT}, AT, baseline
    )  # fmt: skip


def answers(written: Mapping[str, Any], result: Any) -> str:  # noqa: ANN401 - either result
    if written["kind"] == "flag":
        return "noted" if result.notes else "not noted"
    if written["kind"] == "route":
        return str(result.route)
    if written["kind"] == "run" and isinstance(result, BudgetResult):
        passes = result.rates["pass"]
        if passes.unknown:
            return str(Decision.INCONCLUSIVE)
        return str(Decision.PASS if passes.count else Decision.FAIL)
    return str(result.decision)


def test_a_gate_that_never_differs_leaves_no_witness(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workflow, "_answer", lambda *_, **__: str(Decision.PASS))
    for example in examples()[::10]:
        assert witnesses(*example.sides, example.report) == {}


def test_a_tightening_has_none() -> None:
    tighter = [
        example
        for example in examples()
        if all(found.effect is Effect.TIGHTER for found in example.report.findings)
    ]
    assert tighter
    assert all(not witnesses(*example.sides, example.report) for example in tighter)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("budget-steps-soft/raised", "a run of 13 steps was refused and is accepted"),
        ("budget-cost-hard/raised", "a run that costs 0.61 USD was refused and is accepted"),
        (
            "budget-amber-rate-max/raised",
            "a set of 5 runs, 1 past a soft limit, was refused and is accepted",
        ),
        ("budget-sample-min/lowered", "a set of 10 runs was inconclusive and is accepted"),
        (
            "band-text-threshold/lowered",
            "an answer that scores 0.9 against its reference was refused and is accepted",
        ),
        (
            "band-latency-p50-warn/raised",
            "a candidate 1.6 times as slow as its reference was noted and is no longer",
        ),
        (
            "band-routing-full-gate-from/raised",
            "a release with 5 waived crossings was routed full_gate and is routed fast_review",
        ),
        (
            "band-waiver-max-days/raised",
            "a crossing waived for 15 days was refused and is accepted with its waiver",
        ),
        (
            "band-waiver-approver/removed",
            "a new waiver was for the platform-owner to approve and is for the reviewer",
        ),
        ("tools-effect/write-to-read", "a run that calls mail.send was refused and is accepted"),
    ],
)
def test_a_witness_is_one_sentence(name: str, text: str) -> None:
    example = Example(f"refused/{name}")
    (found,) = witnesses(*example.sides, example.report).values()
    assert found.text == text


def test_the_smallest_set_is_shown() -> None:
    example = Example("refused/budget-steps-soft/raised")
    (found,) = witnesses(*example.sides, example.report).values()
    (run,) = found.evidence.runs
    assert set(run) == {
        "run_id",
        "fixture_id",
        "task_type",
        "variant",
        "outcome",
        "tool_calls",
        "steps",
    }


LIMITS = st.decimals("0.01", "50", places=2)


@settings(max_examples=60, deadline=None)
@given(soft=LIMITS, more=LIMITS, rate=st.decimals("0", "0.9", places=2))
def test_any_two_soft_limits_have_a_witness_between_them(
    soft: Decimal,
    more: Decimal,
    rate: Decimal,
) -> None:
    def budget(limit: object) -> Snapshot:
        tree: dict[str, Any] = {
            "task_type": "t",
            "variant": "v",
            "budget": {"cost_usd": {"soft": limit}, "allowed_effects": ()},
            "gate": {
                "per_run": "hard breach fails the run",
                "aggregate": {"amber_rate_max": rate},
            },
        }
        return snapshot(document("policies/budgets/t.yaml", tree))

    old, new = budget(soft), budget(soft + more)
    (finding,) = classify(old, new, all_schemas()).findings
    found = witness_of(finding, old, new)
    assert found is not None
    assert (found.old, found.new) == ("fail", "pass")


SHARES = st.decimals("0", "1", places=4)


@settings(max_examples=60, deadline=None)
@given(one=SHARES, other=SHARES)
def test_any_two_rates_have_a_witness_between_them(
    one: Decimal,
    other: Decimal,
) -> None:
    low, high = sorted((one, other))
    if low == high:
        return

    def budget(rate: object) -> Snapshot:
        gate = {"per_run": "hard breach fails the run", "aggregate": {"pass_rate_min": rate}}
        tree: dict[str, Any] = {
            "task_type": "t",
            "variant": "v",
            "budget": {"allowed_effects": ()},
            "gate": gate,
        }
        return snapshot(document("policies/budgets/t.yaml", tree))

    old, new = budget(high), budget(low)
    (finding,) = classify(old, new, all_schemas()).findings
    found = witness_of(finding, old, new)
    assert found is not None
    assert found.new == "pass"


@settings(max_examples=60, deadline=None)
@given(one=SHARES, other=SHARES)
def test_any_two_text_thresholds_have_a_witness_between_them(
    one: Decimal,
    other: Decimal,
) -> None:
    low, high = sorted((one, other))
    if low == high:
        return

    def band(threshold: object) -> Snapshot:
        tree: dict[str, Any] = {
            "band_version": 1,
            "fields": {"text_similarity": {"threshold": threshold}},
        }
        return snapshot(document("policies/bands/a.yaml", tree))

    old, new = band(high), band(low)
    (finding,) = classify(old, new, all_schemas()).findings
    assert witness_of(finding, old, new) is not None
