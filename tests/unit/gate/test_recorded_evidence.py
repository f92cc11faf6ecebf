"""What a run file may record beside plain texts and calls, each read and judged as it is meant.

Scores are never computed again, commitments stand for what they name, the calls of child agents
are the agent's own, and a retry is only what the record calls one.
"""

import hashlib
import json
from decimal import Decimal
from typing import Any

import pytest
from agentpolicy.base.instant import Instant
from agentpolicy.documents.models.band import Band
from agentpolicy.gate.band import BandResult, judge_band
from agentpolicy.gate.budget import judge_budget
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.partition import Outcome
from agentpolicy.loading.runs import read_runs
from agentpolicy.runs.run_set import RunSet
from tests.evidence import TASK, VARIANT, band, budget, tools

PASS, FAIL, OPEN = Decision.PASS, Decision.FAIL, Decision.INCONCLUSIVE
LISTED = tools(
    search={"effect": "read", "idempotent": True}, pay={"effect": "write", "requires": ("search",)}
)
KEYED = "hmac-sha256:" + "7" * 64
Run = dict[str, Any]


def committed(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def read(side: str, run: Run) -> RunSet:
    whole = {"run_id": side, "fixture_id": "f", "task_type": TASK, "variant": VARIANT,
             "tool_calls": [], **run}  # fmt: skip
    return read_runs([(f"{side}.jsonl", json.dumps(whole).encode())])


def judged(policy: Band, reference: Run, tried: Run) -> BandResult:
    sides = read("b", reference), read("c", tried)
    return judge_band(policy, LISTED, *sides, "a", (), (), Instant(0))


def call(name: str, **more: object) -> Run:
    return {"name": name, "args": {}, "status": "ok", **more}


@pytest.mark.parametrize(
    ("scores", "decision"),
    [
        ({"embed@2": 0.9}, PASS),
        ({"embed@2": 0.89999}, FAIL),
        ({"embed@2": 1}, PASS),
        ({"embed@1": 1}, OPEN),
        ({"embed@2": "0.95"}, OPEN),
        ({"embed@2": 1.01}, OPEN),
        ({}, OPEN),
    ],
)
def test_a_recorded_score_is_read_and_never_computed_again(scores: Run, decision: Decision) -> None:
    policy = band(None, text_similarity={"threshold": Decimal("0.9"), "scorer": "embed@2"})
    tried = {"final_answer": "the very same", "scores": scores}
    assert judged(policy, {"final_answer": "the very same"}, tried).decision is decision


def test_a_recorded_score_does_not_stand_in_for_the_lexical_one() -> None:
    policy = band(None, text_similarity={"threshold": Decimal("0.9")})
    tried = {"final_answer": "unlike", "scores": {"lexical-indel@1": 1}}
    assert judged(policy, {"final_answer": "the order is paid"}, tried).decision is FAIL


@pytest.mark.parametrize(
    ("reference", "tried", "decision"),
    [
        (committed("done"), committed("done"), PASS),
        ("done", committed("done"), PASS),
        (committed("done"), "done", PASS),
        (committed("done"), committed("other"), OPEN),
        ("done", committed("other"), OPEN),
        (KEYED, KEYED, PASS),
        (KEYED, "done", OPEN),
    ],
)
@pytest.mark.parametrize("rule", ["text", "facts"])
def test_a_commitment_is_the_text_it_names_and_any_other_is_unknown(
    rule: str, reference: str, tried: str, decision: Decision
) -> None:
    written: dict[str, object] = (
        {"text_similarity": {"threshold": Decimal("0.9")}} if rule == "text" else {"facts": "kept"}
    )
    result = judged(band(None, **written), {"final_answer": reference}, {"final_answer": tried})
    assert result.decision is decision


@pytest.mark.parametrize(
    ("rule", "tried", "decision"),
    [
        ("exact", committed("x"), PASS),
        ("exact", committed("y"), FAIL),
        ("normalised", committed("x"), PASS),
        ("normalised", committed("y"), OPEN),
        ("similar(0.5)", committed("y"), OPEN),
        ("ignored", committed("y"), PASS),
    ],
)
def test_a_committed_argument_is_equal_or_unknown_to_anything_but_exact(
    rule: str, tried: str, decision: Decision
) -> None:
    policy = band(None, arguments={"search": {"q": rule}})
    before, after = (
        {"tool_calls": [call("search", args={"q": value})]} for value in (committed("x"), tried)
    )
    assert judged(policy, before, after).decision is decision


def test_what_a_committed_answer_holds_is_unknown() -> None:
    policy = band(None, required_content={"all": ["cites_source"]})
    reference = {"final_answer": "see https://example.com/a"}
    assert judged(policy, reference, {"final_answer": committed("see [1]")}).decision is OPEN


def test_calls_of_a_child_agent_are_the_agents_own() -> None:
    policy, alone = band(None, tool_order="any"), {"tool_calls": [call("search", call_id="c1")]}
    child = call("pay", parent_call_id="c1")
    both = {"tool_calls": [call("search", call_id="c1"), child]}
    assert judged(policy, alone, both).decision is FAIL
    assert judged(policy, both, both).decision is PASS
    early = {"tool_calls": [child, call("search", call_id="c1")]}
    assert judged(policy, early, early).decision is FAIL, "its prerequisites are asked for too"
    steps = budget({"steps": {"hard": 1}}, ("pay",), pass_rate_min="0.0")
    spent = judge_budget(
        steps, LISTED, read("c", both | {"outcome": {"correct": True}, "steps": 1})
    )
    assert spent.partition[Outcome.OVER_BUDGET] == 1
    unsafe = judge_budget(budget(), LISTED, read("c", both))
    assert unsafe.rates["undeclared_effect"].count == 1


def test_a_retry_is_only_what_the_record_calls_one() -> None:
    policy, once = band(None, tool_order="exact"), {"tool_calls": [call("search")]}
    failed = call("search", status="error", attempt_id="t1", operation_id="o", attempt_number=1)
    again = call("search", retry_of="t1", operation_id="o", attempt_number=2)
    assert judged(policy, once, {"tool_calls": [failed, again]}).decision is PASS
    silent = call("search", operation_id="o", attempt_number=2)
    assert judged(policy, once, {"tool_calls": [failed, silent]}).decision is FAIL
    worked = {**failed, "status": "ok"}
    assert judged(policy, once, {"tool_calls": [worked, again]}).decision is FAIL


def test_a_retry_still_costs_a_step_and_still_has_its_effect() -> None:
    failed = call("pay", status="error", attempt_id="t1")
    run = {"outcome": {"correct": True}, "tool_calls": [failed, call("pay", retry_of="t1")]}
    result = judge_budget(budget({"steps": {"hard": 1}}), LISTED, read("c", run))
    assert result.rates["undeclared_effect"].count == 1
    assert result.rates["pass"].count == 0
    allowed = judge_budget(budget({"steps": {"hard": 1}}, ("pay",)), LISTED, read("c", run))
    assert allowed.partition[Outcome.OVER_BUDGET] == 1
