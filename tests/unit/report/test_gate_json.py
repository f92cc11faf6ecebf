import json
from decimal import Decimal
from typing import Any

from agentpolicy.base.canonical import canonical_bytes
from agentpolicy.base.instant import parse_instant
from agentpolicy.gate.band import judge_band
from agentpolicy.gate.budget import judge_budget
from agentpolicy.report.gate_json import findings_json, gate_json
from agentpolicy.runs.record import RunRecord
from tests.evidence import VERDICT, band, budget, calls, run, run_set, waiver

AT = parse_instant("2026-03-10T12:00:00Z")
POLICY = {"commit": "c" * 40, "ref": "refs/heads/main", "state": "in_force"}
LIMITS = {"steps": {"soft": 12, "hard": 25}}


def budgeted(*runs: RunRecord, **rates: str) -> dict[str, Any]:
    result = judge_budget(budget(LIMITS, **rates), None, run_set(*runs))
    return gate_json(result, policy=POLICY, evaluated_at=AT, verdict=VERDICT)


def green(number: int, **known: Any) -> RunRecord:  # noqa: ANN401 - any field of a record
    return run(f"f{number}", **{"correct": True, "steps": 6, "tool_calls": (), **known})


def test_the_published_keys_are_all_there() -> None:
    written = budgeted(green(1), amber_rate_max="0.15")
    assert set(written) >= {
        "format_version", "decision", "policy", "evaluated_at", "runs", "partition", "rates",
        "checks", "crossings", "route", "waivers", "verdict",
    }  # fmt: skip
    assert set(written["rates"]) == {"pass", "soft_breach", "amber", "undeclared_effect"}
    assert written["evaluated_at"] == "2026-03-10T12:00:00Z"
    assert written["verdict"] == VERDICT
    assert written["policy"] == POLICY


def test_the_buckets_account_for_every_run() -> None:
    written = budgeted(
        green(1), green(2, steps=14), green(3, correct=None), run("g", correct=False)
    )
    assert sum(written["partition"].values()) == written["runs"] == 4
    assert written["partition"] == {
        "incorrect": 1, "unsafe_action": 0, "over_budget": 0, "amber_pass": 1, "green_pass": 1,
        "undecided": 1,
    }  # fmt: skip


def test_a_check_says_what_was_measured_against_what() -> None:
    written = budgeted(green(1), green(2, steps=14), amber_rate_max="0.15")
    check = written["checks"][0]
    assert (check["id"], check["measured"], check["limit"], check["result"]) == (
        "amber_rate_max", "0.5", "0.15", "fail",
    )  # fmt: skip


def test_what_the_evidence_leaves_open_is_null_with_its_two_ends() -> None:
    written = budgeted(green(1), green(2, correct=None), pass_rate_min="0.9")
    check = written["checks"][0]
    assert check["measured"] is None
    assert (check["low"], check["high"]) == ("0.5", "1")
    assert written["rates"]["pass"] is None
    assert written["tallies"]["pass"] == {
        "count": 1,
        "unknown": 1,
        "runs": 2,
        "interval": {"low": "0.0945", "high": "1"},
    }


def test_nothing_is_a_float() -> None:
    written = budgeted(green(1), green(2), green(3, steps=14), amber_rate_max="0.15")
    assert canonical_bytes(written)
    assert json.loads(json.dumps(written)) == written
    assert written["rates"]["amber"] == "0.333333"


def test_a_band_writes_crossings_waivers_and_the_route() -> None:
    before = run(side="b", final_answer="x" * 100, tool_calls=calls("a"))
    after = run(final_answer="x" * 80 + "y" * 20, tool_calls=calls("b"))
    similarity = {"threshold": Decimal("0.92")}
    result = judge_band(
        band(None, text_similarity=similarity), None, run_set(before), run_set(after),
        "refund-agent", [waiver()], {VERDICT}, AT,
    )  # fmt: skip
    written = gate_json(result, policy=POLICY, evaluated_at=AT, verdict=None)
    assert canonical_bytes(written)
    assert written["decision"] == "fail"
    assert written["route"] == "fast_review"
    order, text = written["crossings"]
    assert (order["fixture_id"], order["dimension"], order["band"]) == ("f", "tool_order", "exact")
    assert order["measured"].startswith("sha256:")
    assert (text["dimension"], text["measured"], text["waived_by"]) == (
        "text_similarity", "0.8", "w-1",
    )  # fmt: skip
    assert [(one["id"], one["state"]) for one in written["waivers"]] == [("w-1", "used")]
    assert {check["id"]: check["result"] for check in written["checks"]} == {
        "arguments": "pass",
        "text_similarity.threshold": "pass_with_waivers",
        "tool_order": "fail",
    }


def test_the_findings_alone_name_neither_policy_nor_instant() -> None:
    result = judge_budget(budget(LIMITS), None, run_set(green(1)))
    assert not {"policy", "evaluated_at", "verdict"} & set(findings_json(result))
