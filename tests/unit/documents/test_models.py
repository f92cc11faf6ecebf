"""The typed documents: no leaf without a row, the sources' own blocks, and what absence gives."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated

import pytest
from agentpolicy.documents.document import DocumentKind, Value
from agentpolicy.documents.models.arguments import ArgumentRule
from agentpolicy.documents.models.band import Band
from agentpolicy.documents.models.baseline import Baseline
from agentpolicy.documents.models.budget import Budget
from agentpolicy.documents.models.leaf import PolicyModel, Share, max_limit, min_limit
from agentpolicy.documents.models.tools import Tools
from agentpolicy.documents.models.waiver import (
    BAND_METRICS,
    BUDGET_METRICS,
    WAIVABLE,
    WaivableField,
    WaivableMetric,
    Waiver,
)
from agentpolicy.documents.rows import Reader
from agentpolicy.documents.schema import MODELS
from agentpolicy.loading.document import read_document
from pydantic import TypeAdapter, ValidationError
from tests.policy_repo import BAND, BUDGET

ROW = max_limit("test/leaf", Reader.RUN, "A leaf.")
DIGEST = "sha256:" + "1" * 64


def test_a_leaf_without_a_row_fails_as_soon_as_it_is_imported() -> None:
    with pytest.raises(TypeError, match=r"Loose\.limit needs exactly one order row"):

        class Loose(PolicyModel):
            limit: Share


def test_a_leaf_with_two_rows_fails_too() -> None:
    other = min_limit("test/other", Reader.RUN, "Another.")
    with pytest.raises(TypeError, match="needs exactly one order row"):

        class Torn(PolicyModel):
            limit: Annotated[Share, ROW, other]


def test_a_map_of_bare_values_is_a_leaf_without_a_row() -> None:
    with pytest.raises(TypeError, match="needs exactly one order row"):

        class Bare(PolicyModel):
            limits: dict[str, Share]


def test_a_map_may_give_its_row_to_each_entry_and_a_part_to_its_leaves() -> None:
    class Ordered(PolicyModel):
        limits: dict[str, Annotated[Share, ROW]] | None = None

    class Whole(PolicyModel):
        part: Ordered
        parts: tuple[Ordered, ...] = ()

    assert Whole(part=Ordered()).parts == ()


def test_the_sources_own_blocks_are_valid_documents_as_they_stand() -> None:
    band = read_document("policies/bands/a.yaml", BAND.encode())
    budget = read_document("policies/budgets/b.yaml", BUDGET.encode())
    assert Band.model_validate(band.tree).fields.tool_order == "same_unless_idempotent"
    assert Budget.model_validate(budget.tree).budget.steps is not None


FULL_BAND = """\
band_version: 3
approved_by: platform-owner
approved_on: 2026-03-02
fields:
  text_similarity:
    threshold: 0.92
    scorer: embedding@2
    classes: {formatting: 0}
    calibrated_on: 200 edits
  facts: kept
  required_content: {all: [cites_source, contains: ISO], refund: [must_refuse, absent: as an AI]}
  required_keys: [/answer, /sources/*]
  optional_keys: forbidden
  tool_order: any
  arguments:
    mail.send: {to: exact, body: similar(0.90), amount: {rule: normalised, tolerance: 0.01}}
    log.write: {line: ignored}
  latency_ms_p50: {warn: 1.5x, fail: 3.0x}
  latency_ms_p95: 4x
  token_ratio: {min: 0.7, max: 1.4}
  tool_calls_ratio: 2
grades: {text_similarity: fail, facts: fail, arguments: warn, latency_ms_p50: warn,
  latency_ms_p95: warn, token_ratio: warn, tool_calls_ratio: warn}
comparability: {minimum: partially comparable, varies: [prompt_template_version]}
repeats: 3
sample_min: 30
routing: {base: 0, crossing_weight: 1, criticality: {critical: 10}, shortfall_weight: 2,
  nondeterminism_penalty: 1, fast_review_from: 1, full_gate_from: 10}
waivers:
  required_evidence: [fixture_id, field, measured, band, reason, change_link, trace]
  max_days: 14
  max_renewals: 1
  max_open: 5
  approver: platform-owner
drift: {z_max: 3, jaccard_min: 0.5, warmup_sessions: 10, long_context_tokens: 100000}
noise_floor: {measured_on: 10 self-runs, scorer: lexical-indel@1,
  fields: {tool_order.exact: 0.1, token_ratio.max: 1.31}}
"""
FULL_BUDGET = """\
budget_version: 2
task_type: t
variant: v
budget:
  steps: {soft: 1, hard: 2}
  cost_usd: {soft: 0.5, hard: 1.50}
  latency_s: {soft: 1, hard: 2, measures: time_to_useful}
  tokens: {soft: 100, hard: 200}
  allowed_effects: [mail.send]
evaluators: [end-state]
gate:
  per_run: hard breach fails the run
  aggregate: {amber_rate_max: 0.1, p95_cost_usd: 1, pass_rate_min: 0.9}
  unsafe_action_rate_max: 0
  sample_min: 100
  decision: bound
runtime_guard: {steps: 3, tokens: 201, cost_usd: 1.51, identical_calls: 4}
value_per_success_usd: 4
waivers: {max_days: 7, max_renewals: 0, max_open: 1, approver: platform-owner}
declared: 2026-01-01
review: quarterly
"""
FULL_TOOLS = """\
tools_version: 1
tools:
  orders.refund:
    effect: destructive
    idempotent: false
    requires: [orders.lookup]
    identity_args: [order_id]
"""
FULL_BASELINE = f"""\
baseline_version: 1
runs: {DIGEST}
fixtures:
  - {{id: f1, class: formatting, criticality: critical, task_type: t, variant: v, attempts: 3}}
  - {{id: f2}}
accepted:
  - {{fixture_id: f1, before: {DIGEST}, after: {DIGEST[:-1]}2, reason: cites its source}}
"""
FULL: Mapping[DocumentKind, tuple[str, str]] = {
    DocumentKind.BAND: ("policies/bands/a.yaml", FULL_BAND),
    DocumentKind.BUDGET: ("policies/budgets/b.yaml", FULL_BUDGET),
    DocumentKind.TOOLS: ("policies/tools.yaml", FULL_TOOLS),
    DocumentKind.BASELINE: ("policies/baselines/a.yaml", FULL_BASELINE),
}


@pytest.mark.parametrize("kind", FULL)
def test_a_document_with_every_field_is_read_by_schema_and_model_alike(kind: DocumentKind) -> None:
    path, text = FULL[kind]
    tree = read_document(path, text.encode()).tree
    model = MODELS[kind].model_validate(tree)
    assert written(model) == set(leaves(tree)), "the text leaves out a field, or the model drops it"


def written(model: PolicyModel, pointer: str = "") -> set[str]:
    """List the places at which a model has a value, and fail where it has none."""
    found: set[str] = set()
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        at = f"{pointer}/{field.alias or name}"
        if isinstance(model, ArgumentRule) and "tolerance" not in model.model_fields_set:
            return {pointer}
        if value is None and pointer.startswith(("/fixtures", "/waivers")):
            continue
        assert value is not None, at
        found |= places(value, at)
    return found


def places(value: object, pointer: str) -> set[str]:
    if isinstance(value, PolicyModel):
        return written(value, pointer)
    if isinstance(value, Mapping):
        return {at for key in value for at in places(value[key], f"{pointer}/{key}")}
    if isinstance(value, tuple):
        entries = (places(item, f"{pointer}/{index}") for index, item in enumerate(value))
        return {at for entry in entries for at in entry}
    return {pointer}


def leaves(value: Value, pointer: str = "") -> list[str]:
    if isinstance(value, Mapping):
        return [at for key in value for at in leaves(value[key], f"{pointer}/{key}")]
    if isinstance(value, tuple):
        return [at for index, item in enumerate(value) for at in leaves(item, f"{pointer}/{index}")]
    return [pointer]


class TestArgumentRules:
    @pytest.mark.parametrize(
        ("value", "level", "threshold", "text"),
        [
            ("exact", "exact", None, "exact"),
            ("similar(0.90)", "similar", Decimal("0.9"), "similar(0.9)"),
            ({"rule": "similar(1)"}, "similar", Decimal(1), "similar(1)"),
            ({"rule": "ignored", "tolerance": Decimal(2)}, "ignored", None, "ignored"),
            ({"rule": "exact", "tolerance": Decimal(2)}, "exact", None, "exact"),
            (
                {"rule": "normalised", "tolerance": Decimal("0.50")},
                "normalised",
                None,
                "normalised, tolerance 0.5",
            ),
            ({"rule": "normalised", "tolerance": 0}, "normalised", None, "normalised"),
        ],
    )
    def test_a_rule_has_a_level_a_threshold_and_one_text(
        self, value: object, level: str, threshold: Decimal | None, text: str
    ) -> None:
        rule = ArgumentRule.model_validate(value)
        assert (rule.level, rule.threshold, rule.text) == (level, threshold, text)

    def test_an_argument_without_a_rule_is_exact(self) -> None:
        assert ArgumentRule.default().text == "exact"

    @pytest.mark.parametrize(
        "value",
        [
            "similar",
            "similar()",
            "similar(1.1)",
            "similar(.9)",
            "similar(0.12345)",
            "similar(0.9) ",
            "Exact",
            {"tolerance": 1},
            {"rule": "exact", "tolerance": -1},
            {"rule": "exact", "digits": 2},
        ],
    )
    def test_nothing_else_is_a_rule(self, value: object) -> None:
        with pytest.raises(ValidationError):
            ArgumentRule.model_validate(value)


class TestWaivers:
    def test_the_names_of_what_may_be_waived_are_those_of_the_type(self) -> None:
        field, metric = TypeAdapter(WaivableField), TypeAdapter(WaivableMetric)
        assert {field.validate_python(name) for name in WAIVABLE} == set(WAIVABLE)
        assert field.json_schema()["anyOf"][0]["enum"] == list(WAIVABLE)
        assert metric.json_schema()["enum"] == [*BAND_METRICS, *BUDGET_METRICS]

    @pytest.mark.parametrize(
        "name", ["required_keys", "required_content", "optional_keys", "pass_rate_min", "arguments"]
    )
    def test_what_is_never_waivable_is_no_field_of_a_waiver(self, name: str) -> None:
        with pytest.raises(ValidationError):
            TypeAdapter(WaivableField).validate_python(name)

    def test_the_unsafe_rate_and_the_pass_rate_are_no_metric_of_a_waiver(self) -> None:
        for name in ("pass_rate_min", "unsafe_action_rate_max"):
            with pytest.raises(ValidationError):
                TypeAdapter(WaivableMetric).validate_python(name)

    def test_a_waiver_says_what_it_covers(self) -> None:
        common: Mapping[str, Value] = {
            "id": "w",
            "band": Decimal("1.4"),
            "verdict": DIGEST,
            "reason": "r",
            "change_link": "l",
            "owner": "o",
            "granted_on": "2026-03-01",
            "expires_on": "2026-03-02",
        }
        of_field = {**common, "agent": "a", "field": "facts"}
        assert Waiver.model_validate(of_field).covers == "facts"
        of_metric = {**common, "agent": "a", "scope": "aggregate", "metric": "latency_ms_p95"}
        assert Waiver.model_validate(of_metric).covers == "latency_ms_p95"


def test_a_tool_and_a_fixture_need_no_more_than_their_names() -> None:
    tools = Tools.model_validate({"tools_version": 1, "tools": {"t": {"effect": "read"}}})
    assert tools.tools["t"].identity_args is None
    fixtures = ({"id": "f"},)
    baseline = Baseline.model_validate(
        {"baseline_version": 1, "runs": DIGEST, "fixtures": fixtures}
    )
    assert baseline.fixtures[0].fixture_class is None
