from decimal import Decimal

from agentpolicy.base.instant import parse_instant
from agentpolicy.documents.models.waiver import Waiver
from agentpolicy.gate.band import judge_band
from agentpolicy.gate.budget import judge_budget
from agentpolicy.report.gate_text import gate_text
from agentpolicy.runs.record import RunRecord
from tests.evidence import VERDICT, band, budget, calls, run, run_set, waiver


def many(count: int, start: int, **known: object) -> list[RunRecord]:
    shown = {"correct": True, "steps": 6, "tool_calls": (), "cost_usd": "0.30"} | known
    return [run(f"f{start + number}", 1, "c", **shown) for number in range(count)]


def budgeted(*runs: RunRecord, **rates: str) -> str:
    policy = budget({"steps": {"soft": 12, "hard": 25}}, **rates)
    return gate_text(judge_budget(policy, None, run_set(*runs)))


def test_a_failed_budget_reads_like_a_page() -> None:
    page = budgeted(
        *many(71, 0), *many(22, 100, steps=14), *many(7, 200, correct=False),
        amber_rate_max="0.15", pass_rate_min="0.90", p95_cost_usd="0.75",
    )  # fmt: skip
    assert page == (
        "FAIL: meeting / default, 100 runs\n"
        "  past soft 0.22 (0.22 amber pass) > 0.15\n"
        "\n"
        "  outcome        runs  share\n"
        "  incorrect         7  0.07\n"
        "  unsafe action     0  0.00\n"
        "  over budget       0  0.00\n"
        "  amber pass       22  0.22\n"
        "  green pass       71  0.71\n"
        "  undecided         0  0.00\n"
        "  all runs        100  1.00\n"
        "\n"
        "  check                   measured  limit          result\n"
        "  amber_rate_max          0.22      at most 0.15   fail\n"
        "  p95_cost_usd            0.3       at most 0.75   pass\n"
        "  pass_rate_min           0.93      at least 0.90  pass\n"
        "  unsafe_action_rate_max  0.00      at most 0      pass\n"
        "\n"
        "  rate               share  95 % interval\n"
        "  pass               0.93   0.8625 to 0.9657\n"
        "  soft breach        0.22   0.15 to 0.3107\n"
        "  amber              0.22   0.15 to 0.3107\n"
        "  undeclared effect  0      0 to 0.037\n"
    )


def test_every_bucket_that_went_past_soft_is_named() -> None:
    page = budgeted(
        *many(82, 0), *many(14, 100, steps=14), *many(2, 200, steps=30),
        *many(2, 300, steps=14, correct=False), amber_rate_max="0.15",
    )  # fmt: skip
    assert "past soft 0.18 (0.14 amber pass + 0.02 over budget + 0.02 incorrect) > 0.15\n" in page


def test_each_failing_check_says_by_how_much() -> None:
    page = budgeted(
        *many(1, 0, cost_usd="0.80", correct=False, tool_calls=calls("drive.write_file")),
        pass_rate_min="0.9", p95_cost_usd="0.75",
    )  # fmt: skip
    assert "95th percentile of cost in USD 0.8 > 0.75\n" in page
    assert "pass rate 0 < 0.9\n" in page
    assert "runs with an undeclared effect 1 > 0\n" in page


def test_what_is_open_says_what_is_missing() -> None:
    page = budgeted(*many(9, 0), *many(1, 50, cost_usd=None), p95_cost_usd="0.75")
    assert page.startswith("INCONCLUSIVE: meeting / default, 10 runs\n")
    assert (
        "p95_cost_usd: cannot be decided, at least 0.3 (values are missing) against at most 0.75\n"
        in page
    )
    assert "missing: cost_usd in 1 of 10 runs\n" in page


def test_a_range_says_that_it_comes_from_missing_values() -> None:
    page = budgeted(
        *many(6, 0), *many(3, 50, steps=14), *many(1, 90, steps=None, tool_calls=None),
        amber_rate_max="0.15", pass_rate_min="0.95",
    )  # fmt: skip
    assert "past soft 0.3 to 0.4 (0.3 amber pass; 1 run lacks values) > 0.15\n" in page
    assert "pass_rate_min: cannot be decided, 0.9 to 1 (1 run lacks values)" in page


def test_one_of_something_is_not_written_as_many() -> None:
    page = budgeted(*many(1, 0), run("other", 1, "c", variant="another"))
    assert ", 1 run\n" in page
    assert "not judged here: 1 run of other tasks or variants\n" in page


def banded(*waivers: Waiver, at: str = "2026-03-10T12:00:00Z", tools: tuple[str, ...] = ()) -> str:
    before = run_set(run(side="b", final_answer="x" * 100, tool_calls=()))
    after = run_set(run(final_answer="x" * 80 + "y" * 20, tool_calls=calls(*tools)))
    policy = band(None, text_similarity={"threshold": Decimal("0.92")})
    result = judge_band(
        policy, None, before, after, "refund-agent", waivers, {VERDICT}, parse_instant(at)
    )
    return gate_text(result)


def test_a_crossing_is_one_sentence() -> None:
    page = banded(tools=("pay",))
    assert page.startswith("FAIL: refund-agent, 1 run over 1 fixture\n")
    assert (
        "f, attempt 1: text_similarity.threshold: the answer scores 0.8 against its best reference "
        "(lexical-indel@1); the band says 0.92\n" in page
    )
    assert (
        "f, attempt 1: tool_order: called `pay`, which no reference attempt does; "
        "the band says exact\n" in page
    )
    assert "route: fast_review, risk 1: 1 of 1 fixture crossed\n" in page


def test_waivers_are_named_with_the_days_left() -> None:
    page = banded(waiver())
    assert page.startswith("PASS WITH 1 WAIVER: refund-agent")
    assert (
        "waiver w-1 on text_similarity.threshold, owner alice: used for f; "
        "through 2026-03-31, 21 days left\n" in page
    )
    assert "its last day\n" in banded(waiver(), at="2026-03-31T23:59:59Z")


def test_an_expired_waiver_says_so() -> None:
    page = banded(waiver(), at="2026-04-01T00:00:00Z")
    assert page.startswith("FAIL: ")
    assert "expired (its last day is over); ended 2026-03-31\n" in page


def test_a_fixture_left_out_is_named() -> None:
    before = run_set(run("f", side="b", tool_calls=()), run("g", side="b", tool_calls=()))
    result = judge_band(
        band(), None, before, run_set(run("f", tool_calls=())), "refund-agent", (), (),
        parse_instant("2026-03-10"),
    )  # fmt: skip
    page = gate_text(result)
    assert page.startswith("INCONCLUSIVE: ")
    assert "g: the candidate has no run of this fixture\n" in page
    assert "route: none, as the answer is open\n" in page


def test_values_nobody_recorded_are_told_once_per_field() -> None:
    before = run_set(*(run(name, side="b", tool_calls=()) for name in "fgh"))
    after = run_set(*(run(name) for name in "fgh"))
    result = judge_band(
        band(), None, before, after, "refund-agent", (), (), parse_instant("2026-03-10")
    )
    page = gate_text(result)
    assert "tool_order: cannot be decided on 3: the tool calls were not all recorded\n" in page


def test_a_multiple_of_the_baseline_is_spelt_with_its_x() -> None:
    before = run_set(run("f", side="b", latency_ms=Decimal(100), tool_calls=()))
    after = run_set(run("f", latency_ms=Decimal(400), tool_calls=()))
    limits = {"warn": "1.5x", "fail": "3.0x"}
    result = judge_band(
        band(None, latency_ms_p50=limits), None, before, after, "refund-agent", (), (),
        parse_instant("2026-03-10"),
    )  # fmt: skip
    page = gate_text(result)
    assert "4 times the baseline's; the band says 3x\n" in page
    assert "(worth a look above 1.5x)\n" in page
    assert "latency_ms_p50.fail  1 of 1     3x " in page
