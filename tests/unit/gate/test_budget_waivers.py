"""Waivers of an aggregate: one metric of one subject, as measured, and never an unknown."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from agentpolicy.base.instant import parse_instant
from agentpolicy.documents.models.budget import Budget
from agentpolicy.documents.models.waiver import Waiver
from agentpolicy.gate.budget import BudgetResult, judge_budget
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.waivers import WaiverState
from agentpolicy.runs.record import RunRecord
from tests.evidence import VERDICT, budget, run, run_set, tools, waiver

CATALOGUE = tools(look={"effect": "read"})
FAIL, OPEN = Decision.FAIL, Decision.INCONCLUSIVE
STEPS = {"steps": {"soft": 12, "hard": 25}}


def many(count: int, start: int = 0, **known: object) -> list[RunRecord]:
    shown: dict[str, Any] = {
        "correct": True,
        "steps": 6,
        "cost_usd": "0.30",
        "tool_calls": (),
        **known,
    }
    return [run(f"f{start + number}", **shown) for number in range(count)]


def mixed(green: int, amber: int) -> list[RunRecord]:
    return [*many(green), *many(amber, 10_000, steps=14)]


AT = parse_instant("2026-03-10T12:00:00Z")
SUBJECT = "sha256:" + "5" * 64
AMBER = budget(STEPS, amber_rate_max="0.15")


def aggregate_waiver(**known: object) -> Waiver:
    tree: dict[str, object] = {
        **waiver().model_dump(exclude_none=True, exclude={"agent", "field", "cases"}),
        "task_type": "meeting",
        "variant": "default",
        "scope": "aggregate",
        "metric": "amber_rate_max",
        "measured": Decimal("0.22"),
        "subject": SUBJECT,
        "band": Decimal("0.15"),
    }
    return Waiver.model_validate(tree | known)


def waived(
    policy: Budget, records: Iterable[RunRecord], *waivers: Waiver, subject: str | None = SUBJECT
) -> BudgetResult:
    of_subject = [msgspec.structs.replace(record, subject=subject) for record in records]
    return judge_budget(policy, CATALOGUE, run_set(*of_subject), waivers, {VERDICT}, AT)


def test_a_waiver_covers_one_metric_of_one_subject() -> None:
    result = waived(AMBER, mixed(green=80, amber=20), aggregate_waiver())
    assert result.decision is Decision.PASS_WITH_WAIVERS
    assert [one.state for one in result.waivers] == [WaiverState.USED]
    (check, _) = result.checks
    assert (check.result, check.waived_by) == (Decision.PASS_WITH_WAIVERS, "w-1")


@pytest.mark.parametrize(
    ("known", "state"),
    [
        ({"measured": Decimal("0.20")}, WaiverState.USED),
        ({"measured": Decimal("0.199")}, WaiverState.EXCEEDED),
        ({"band": Decimal("0.14")}, WaiverState.USED),
        ({"band": Decimal("0.16")}, WaiverState.STALE),
        ({"subject": "another"}, WaiverState.UNUSED),
        ({"metric": "p95_cost_usd"}, WaiverState.UNUSED),
        ({"expires_on": "2026-03-09"}, WaiverState.EXPIRED),
        ({"verdict": "sha256:" + "b" * 64}, WaiverState.UNCONFIRMED),
    ],
)
def test_a_waiver_of_a_metric_covers_exactly_what_it_names(
    known: dict[str, object], state: WaiverState
) -> None:
    result = waived(AMBER, mixed(green=80, amber=20), aggregate_waiver(**known))
    assert [one.state for one in result.waivers] == [state]
    assert result.decision is (Decision.PASS_WITH_WAIVERS if state == "used" else FAIL)


def test_a_waiver_of_another_budget_is_not_looked_at() -> None:
    result = waived(AMBER, mixed(green=80, amber=20), aggregate_waiver(variant="other"))
    assert (result.waivers, result.decision) == ((), FAIL)


def test_runs_of_two_subjects_or_of_none_are_under_no_waiver() -> None:
    assert waived(AMBER, mixed(green=80, amber=20), aggregate_waiver(), subject=None).decision is (
        FAIL
    )


def test_what_is_unknown_stays_unknown_under_a_waiver() -> None:
    unknown = [*mixed(green=79, amber=20), *many(1, 90_000, steps=None, tool_calls=None)]
    result = waived(AMBER, unknown, aggregate_waiver())
    assert [one.state for one in result.waivers] == [WaiverState.UNSETTLED]
    assert result.decision is OPEN


def test_a_run_known_to_be_past_soft_settles_nothing_while_it_lacks_a_value() -> None:
    policy = budget(STEPS | {"tokens": {"soft": 100}}, amber_rate_max="0.15")
    result = waived(policy, mixed(green=80, amber=20), aggregate_waiver(measured=Decimal(1)))
    assert [one.state for one in result.waivers] == [WaiverState.UNSETTLED]
    assert result.decision is OPEN


def test_what_a_bound_does_not_prove_no_waiver_covers() -> None:
    gate = AMBER.gate.model_copy(update={"decision": "bound"})
    policy = AMBER.model_copy(update={"gate": gate})
    assert waived(policy, mixed(green=80, amber=20), aggregate_waiver()).decision is OPEN


def test_a_waiver_of_the_percentile_covers_up_to_the_waived_cost() -> None:
    policy = budget(p95_cost_usd="0.75")
    for cost, answer in (("0.80", Decision.PASS_WITH_WAIVERS), ("0.81", FAIL)):
        one = aggregate_waiver(
            metric="p95_cost_usd", band=Decimal("0.75"), measured=Decimal("0.80")
        )
        assert waived(policy, many(3, cost_usd=cost), one).decision is answer
