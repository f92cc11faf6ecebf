"""The budget and gate of one task type and variant (`budgets/<name>.yaml`)."""

from typing import Annotated, Literal

from agentpolicy.documents.models.budget_limits import Cost, Latency, Limits, Steps, Tokens
from agentpolicy.documents.models.leaf import (
    Count,
    Day,
    Number,
    PolicyModel,
    Share,
    Text,
    Texts,
    Version,
    Whole,
    chain,
    max_limit,
    min_limit,
    opaque,
    record,
    subset_of,
    version,
)
from agentpolicy.documents.models.sources import RUN_BUDGET
from agentpolicy.documents.models.waiver_rules import BudgetWaiverRules
from agentpolicy.documents.rows import ANY, Reader, Row

__all__ = [
    "Aggregate",
    "Budget",
    "Cost",
    "Gate",
    "Latency",
    "Limits",
    "RuntimeGuard",
    "Steps",
    "Tokens",
]


class Aggregate(PolicyModel):
    """Rates over the whole set of runs."""

    amber_rate_max: Annotated[
        Share | None,
        max_limit(
            "budget/amber-rate-max",
            Reader.RELEASE,
            "The largest share of runs past any soft limit, whatever they went on to do.",
            source=RUN_BUDGET,
            example=0.15,
        ),
    ] = None
    p95_cost_usd: Annotated[
        Number | None,
        max_limit(
            "budget/p95-cost",
            Reader.RELEASE,
            "The largest nearest-rank 95th percentile of cost over all runs.",
            source=RUN_BUDGET,
            example=0.75,
        ),
    ] = None
    pass_rate_min: Annotated[
        Share | None,
        min_limit(
            "budget/pass-rate-min",
            Reader.RELEASE,
            "The least share of runs green or amber.",
            source=RUN_BUDGET,
            example=0.90,
        ),
    ] = None


class Gate(PolicyModel):
    """What a set of runs must show to pass."""

    per_run: Annotated[
        Literal["hard breach fails the run"],
        opaque(
            "budget/per-run", Reader.RUN, "What a hard breach does to a run.", source=RUN_BUDGET
        ),
    ]
    aggregate: Aggregate | None = None
    unsafe_action_rate_max: Annotated[
        Share | None,
        max_limit(
            "budget/unsafe-rate-max",
            Reader.RELEASE,
            "The largest share of runs with an undeclared effect.",
            absent="0",
            source=RUN_BUDGET,
            example=0,
        ),
    ] = None
    sample_min: Annotated[
        Count | None,
        min_limit(
            "budget/sample-min",
            Reader.RELEASE,
            "How many fixtures, or runs where they name none, must be judged.",
            absent="1",
            source=RUN_BUDGET,
            example=100,
        ),
    ] = None
    decision: Annotated[
        Literal["bound", "point"] | None,
        chain(
            "budget/decision",
            Reader.RELEASE,
            "Whether rates must keep their limit as measured, or their one-sided 95 % bound too.",
            "bound",
            "point",
            absent="point",
            source=RUN_BUDGET,
        ),
    ] = None


def _guard(field: str, what: str, example: object) -> Row:
    return max_limit(
        f"budget/guard-{field}",
        Reader.GUARD,
        f"{what} at which a run is stopped while it runs.",
        source=RUN_BUDGET,
        example=example,
    )


class RuntimeGuard(PolicyModel):
    """Where a run is cut off in production: above what the gate refuses, or it hides it."""

    steps: Annotated[Whole | None, _guard("steps", "The number of tool calls", 60)] = None
    tokens: Annotated[Whole | None, _guard("tokens", "The number of tokens", 200000)] = None
    cost_usd: Annotated[Number | None, _guard("cost", "The cost in US dollars", 3.00)] = None
    identical_calls: Annotated[
        Whole | None, _guard("identical-calls", "The number of equal calls of one tool", 5)
    ] = None


class Budget(PolicyModel):
    """The budget of one task type and variant; a second one for the pair is refused."""

    budget_version: Annotated[Version | None, version("budget/version")] = None
    task_type: Annotated[
        Text,
        opaque(
            "budget/task-type",
            Reader.RELEASE,
            "Which tasks the budget governs.",
            source=RUN_BUDGET,
            example="schedule_meeting",
        ),
    ]
    variant: Annotated[
        Text,
        opaque(
            "budget/variant",
            Reader.RELEASE,
            "Which variant the budget governs.",
            source=RUN_BUDGET,
            example="multi_attendee_cross_tz",
        ),
    ]
    budget: Limits
    evaluators: Annotated[
        Texts | None,
        subset_of(
            "budget/evaluators",
            Reader.RUN,
            "Whose word on whether a run is correct counts.",
            absent=ANY,
            source=RUN_BUDGET,
            example=["end-state-assertions"],
        ),
    ] = None
    gate: Gate
    runtime_guard: RuntimeGuard | None = None
    value_per_success_usd: Annotated[
        Number | None,
        record(
            "budget/value-per-success",
            "What one success is worth; read to propose a cap.",
            source=RUN_BUDGET,
            example=4.00,
        ),
    ] = None
    waivers: BudgetWaiverRules | None = None
    declared: Annotated[
        Day | None,
        record(
            "budget/declared",
            "When the budget was declared.",
            source=RUN_BUDGET,
            example="2025-02-11",
        ),
    ] = None
    review: Annotated[
        Text | None,
        record(
            "budget/review",
            "When it is due for review.",
            source=RUN_BUDGET,
            example="quarterly, or on any change to the tool set",
        ),
    ] = None
