"""A part of a cost may prove that a limit was passed, and never that one was kept."""

from decimal import Decimal
from typing import Any

import pytest
from agentpolicy.documents.models.budget import Budget
from agentpolicy.gate.budget import BudgetResult, judge_budget
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions import latency, tokens
from agentpolicy.gate.partition import Outcome
from agentpolicy.runs.evidence import Bounds, evidence_of, nearest_rank
from agentpolicy.runs.record import AtLeast, Duration, Money, RunRecord, Tokens
from hypothesis import given
from hypothesis import strategies as st
from tests.evidence import budget, fields, fixture, run, run_set

PASS, FAIL, OPEN = Decision.PASS, Decision.FAIL, Decision.INCONCLUSIVE
COST = {"cost_usd": {"soft": "0.60", "hard": "1.50"}}


def part(number: int = 0, cost: str | None = None, used: int | None = None) -> RunRecord:
    known = AtLeast(None if cost is None else Money(cost), used)
    return run(f"part{number}", correct=True, tool_calls=(), at_least=known)


def whole(number: int, cost: str) -> RunRecord:
    return run(f"whole{number}", correct=True, tool_calls=(), cost_usd=cost)


def judge(policy: Budget, *records: RunRecord) -> BudgetResult:
    return judge_budget(policy, None, run_set(*records))


def outcome(limits: dict[str, Any], record: RunRecord) -> Outcome:
    partition = judge(budget(limits), record).partition
    (found,) = [one for one, count in partition.items() if count]
    return found


@pytest.mark.parametrize(
    ("cost", "expected"),
    [
        ("1.51", Outcome.OVER_BUDGET),
        ("1.50", Outcome.UNDECIDED),
        ("0.61", Outcome.UNDECIDED),
        ("0.01", Outcome.UNDECIDED),
    ],
)
def test_a_part_past_the_hard_limit_is_over_budget_and_any_other_is_open(
    cost: str, expected: Outcome
) -> None:
    assert outcome(COST, part(cost=cost)) is expected


def test_a_part_past_the_soft_limit_counts_against_the_amber_rate() -> None:
    policy = budget({"cost_usd": {"soft": "0.60"}}, amber_rate_max="0.0")
    assert judge(policy, part(cost="0.61")).decision is FAIL
    assert judge(policy, part(cost="0.60")).decision is OPEN


def test_a_part_of_the_tokens_proves_a_breach_of_tokens() -> None:
    limits = {"tokens": {"hard": 100}}
    assert outcome(limits, part(used=101)) is Outcome.OVER_BUDGET
    assert outcome(limits, part(used=100)) is Outcome.UNDECIDED


@pytest.mark.parametrize(
    ("counted", "least"),
    [
        (Tokens(90, None), 90),
        (Tokens(None, 11), 11),
        (Tokens(90, 11, 50, "unknown"), 101),
        (Tokens(90, 11, 50), 101),
        (Tokens(90, 11, None, "exclusive"), 101),
        (Tokens(90, None, 50, "exclusive"), 140),
    ],
)
def test_tokens_that_do_not_add_up_are_at_least_what_they_say(counted: Tokens, least: int) -> None:
    record = run(correct=True, tool_calls=(), tokens=counted)
    assert counted.total is None
    assert outcome({"tokens": {"hard": least - 1}}, record) is Outcome.OVER_BUDGET
    assert outcome({"tokens": {"hard": least}}, record) is Outcome.UNDECIDED


def test_a_part_past_the_percentile_fails_it_and_any_other_leaves_it_open() -> None:
    policy = budget(p95_cost_usd="0.75")
    twenty = [whole(number, "0.10") for number in range(18)]
    dear = judge(policy, *twenty, part(1, "0.76"), part(2, "0.80"))
    assert dear.decision is FAIL
    (measured,) = (check.measured for check in dear.checks if check.id == "p95_cost_usd")
    assert measured == Bounds(Decimal("0.76"), None)
    assert judge(policy, *twenty, part(1, "0.75"), part(2, "0.80")).decision is OPEN
    assert judge(policy, *twenty, whole(99, "0.10"), part(2, "0.80")).decision is PASS


def test_a_part_never_decides_that_a_run_passes() -> None:
    policy = budget(COST, pass_rate_min="0.5", amber_rate_max="0.5", p95_cost_usd="0.75")
    result = judge(policy, part(cost="0.01"))
    assert result.decision is OPEN
    assert result.missing == {"cost_usd": 1}
    assert result.partition[Outcome.UNDECIDED] == 1


def test_a_part_beside_its_whole_adds_nothing() -> None:
    record = run(cost_usd="1.00", latency_ms=5, tokens=9, at_least=AtLeast(Money("0.50"), 3))
    assert evidence_of(record).at_least == {}


def test_a_run_that_did_not_finish_proves_nothing_by_a_part() -> None:
    record = run(status="infra_error", at_least=AtLeast(Money("9")))
    assert outcome(COST, record) is Outcome.UNDECIDED


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 5) | st.none()), min_size=1, max_size=8),
    st.sampled_from([50, 95]),
)
def test_a_percentile_is_bounded_as_tightly_as_the_parts_allow(
    runs: list[tuple[bool, int | None]], percent: int
) -> None:
    numbers = [(known, None if value is None else Decimal(value)) for known, value in runs]
    values = [value if known else None for known, value in numbers]
    parts = [value for known, value in numbers if not known and value is not None]
    bounds = nearest_rank(values, percent, parts)
    least = [Decimal(-1) if value is None else value for _, value in numbers]
    most = [Decimal(6) if value is None else value for value in values]
    low, high = nearest_rank(least, percent).known, nearest_rank(most, percent).known
    assert (bounds.low or Decimal(-1)) == low or (bounds.low == low == 0)
    assert high == (Decimal(6) if bounds.high is None else bounds.high)


def test_tokens_of_which_a_part_is_known_can_be_too_many_and_never_enough() -> None:
    written = {"token_ratio": {"min": Decimal("0.7"), "max": Decimal("1.4")}}
    before = [run(tokens=100)]

    def told(used: int) -> dict[str, Decision]:
        pair = fixture(before, run(at_least=AtLeast(tokens=used)))
        return {one.field: one.result for one in tokens.judge(fields(**written), pair)}

    assert told(141) == {"token_ratio.max": FAIL, "token_ratio.min": OPEN}
    assert told(140) == {"token_ratio.max": OPEN, "token_ratio.min": OPEN}


def test_a_part_of_the_latency_can_be_too_long_and_never_short_enough() -> None:
    written = fields(latency_ms_p50={"fail": "3.0x"})

    def told(spent: int) -> Decision:
        known = run(at_least=AtLeast(latency_ms=Duration(spent)))
        (found,) = latency.judge(written, [fixture([run(latency_ms=100)], known)])
        return found.result

    assert (told(301), told(300)) == (FAIL, OPEN)


def test_a_part_of_the_reference_proves_nothing() -> None:
    written = {"token_ratio": {"min": Decimal("0.7"), "max": Decimal("1.4")}}
    pair = fixture([run(at_least=AtLeast(tokens=1000))], run(tokens=10))
    found = {one.result for one in tokens.judge(fields(**written), pair)}
    assert found == {OPEN}
