"""How a band's risk, grades and classes are reported."""

from decimal import Decimal

from agentpolicy.base.canonical import canonical_bytes
from agentpolicy.base.instant import parse_instant
from agentpolicy.gate.band import judge_band
from agentpolicy.report.gate_json import gate_json
from agentpolicy.report.gate_text import gate_text
from tests.evidence import band, baseline, run, run_set, whole_band

AT = parse_instant("2026-03-10T12:00:00Z")
POLICY = {"commit": None, "ref": None, "state": "proposed"}


def test_a_band_writes_its_risk_and_what_only_warns() -> None:
    parts = {
        "grades": {"text_similarity": "warn"},
        "routing": {"crossing_weight": Decimal("1.50")},
    }
    limits = {"threshold": Decimal("0.92"), "classes": {"legal": Decimal(1)}}
    policy = whole_band(parts, text_similarity=limits)
    before = run_set(*(run(name, side="b", final_answer="x" * 9, tool_calls=()) for name in "fgh"))
    after = run_set(*(run(name, final_answer="x" * 8, tool_calls=()) for name in "fgh"))
    planned = ({"id": "f", "class": "legal"}, {"id": "g"}, {"id": "h"})
    document = baseline(before, *planned)
    result = judge_band(policy, None, before, after, "a", (), (), AT, document)
    written = gate_json(result, policy=POLICY, evaluated_at=AT, verdict=None)
    assert canonical_bytes(written)
    assert (written["decision"], written["route"]) == ("pass", "fast_review")
    assert (written["risk_score"], written["crossing_rate"]) == ("1.5", "0.333333")
    assert written["crossed_fixtures"] == ["f"]
    assert (written["baseline"], written["comparability"]) == ("version 1", "unknown")
    (crossing,) = written["crossings"]
    assert (crossing["grade"], crossing["band"]) == ("warn", "1")
    (text,) = [one for one in written["checks"] if one["id"] == "text_similarity.threshold"]
    assert (text["grade"], text["result"], text["limit"]) == ("warn", "fail", "1 | 0.92")


def test_an_open_answer_has_no_risk_score() -> None:
    before, after = run_set(run(side="b", tool_calls=())), run_set(run())
    result = judge_band(band(), None, before, after, "a", (), (), AT)
    written = gate_json(result, policy=POLICY, evaluated_at=AT, verdict=None)
    assert (written["decision"], written["route"], written["risk_score"]) == (
        "inconclusive", None, None,
    )  # fmt: skip


def test_what_only_warns_says_so() -> None:
    before = run_set(run(side="b", final_answer="a", tool_calls=()))
    after = run_set(run(final_answer="b", tool_calls=()))
    policy = whole_band(
        {"grades": {"text_similarity": "warn"}}, text_similarity={"threshold": Decimal(1)}
    )
    page = gate_text(
        judge_band(policy, None, before, after, "a", (), (), parse_instant("2026-03-10"))
    )
    assert page.startswith("PASS: a, 1 run over 1 fixture\n")
    assert "the band says 1  [only a warning]\n" in page
    assert "fail, only a warning\n" in page
    assert "route: fast_review, risk 1: 1 of 1 fixture crossed\n" in page
