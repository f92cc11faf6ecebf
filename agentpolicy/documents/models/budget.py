"""The budget and gate of one task type and variant (`budgets/<name>.yaml`)."""

from typing import Annotated, Literal

from agentpolicy.documents.models.leaf import (
    Count,
    Day,
    Number,
    PolicyModel,
    Share,
    Text,
    Texts,
    ToolNames,
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
from agentpolicy.documents.models.waiver_rules import BudgetWaiverRules
from agentpolicy.documents.rows import ANY, Reader, Row


class Steps(PolicyModel):
    """Tool calls a run may make."""

    soft: Annotated[
        Number | None,
        max_limit("budget/steps-soft", Reader.RELEASE, "Above this a run counts as amber."),
    ] = None
    hard: Annotated[
        Number | None,
        max_limit("budget/steps-hard", Reader.RUN, "Above this a run is over budget."),
    ] = None


class Cost(PolicyModel):
    """US dollars a run may cost."""

    soft: Annotated[
        Number | None,
        max_limit("budget/cost-soft", Reader.RELEASE, "Above this a run counts as amber."),
    ] = None
    hard: Annotated[
        Number | None,
        max_limit("budget/cost-hard", Reader.RUN, "Above this a run is over budget."),
    ] = None


class Latency(PolicyModel):
    """Seconds a run may take."""

    measures: Annotated[
        Literal["total", "time_to_useful"] | None,
        opaque(
            "budget/latency-measures",
            Reader.RUN,
            "Whether the whole run is timed, or the time until its first useful output.",
            absent="total",
        ),
    ] = None

    soft: Annotated[
        Number | None,
        max_limit("budget/latency-soft", Reader.RELEASE, "Above this a run counts as amber."),
    ] = None
    hard: Annotated[
        Number | None,
        max_limit("budget/latency-hard", Reader.RUN, "Above this a run is over budget."),
    ] = None


class Tokens(PolicyModel):
    """Tokens a run may use."""

    soft: Annotated[
        Number | None,
        max_limit("budget/tokens-soft", Reader.RELEASE, "Above this a run counts as amber."),
    ] = None
    hard: Annotated[
        Number | None,
        max_limit("budget/tokens-hard", Reader.RUN, "Above this a run is over budget."),
    ] = None


class Limits(PolicyModel):
    """What one run may use and touch."""

    steps: Steps | None = None
    cost_usd: Cost | None = None
    latency_s: Latency | None = None
    tokens: Tokens | None = None
    allowed_effects: Annotated[
        ToolNames,
        subset_of(
            "budget/allowed-effects",
            Reader.RUN,
            "The tools with an effect that this task may call; any other is an unsafe action.",
        ),
    ]


class Aggregate(PolicyModel):
    """Rates over the whole set of runs."""

    amber_rate_max: Annotated[
        Share | None,
        max_limit(
            "budget/amber-rate-max",
            Reader.RELEASE,
            "The largest share of runs past any soft limit, whatever they went on to do.",
        ),
    ] = None
    p95_cost_usd: Annotated[
        Number | None,
        max_limit(
            "budget/p95-cost",
            Reader.RELEASE,
            "The largest nearest-rank 95th percentile of cost over all runs.",
        ),
    ] = None
    pass_rate_min: Annotated[
        Share | None,
        min_limit(
            "budget/pass-rate-min", Reader.RELEASE, "The least share of runs green or amber."
        ),
    ] = None


class Gate(PolicyModel):
    """What a set of runs must show to pass."""

    per_run: Annotated[
        Literal["hard breach fails the run"],
        opaque("budget/per-run", Reader.RUN, "What a hard breach does to a run."),
    ]
    aggregate: Aggregate | None = None
    unsafe_action_rate_max: Annotated[
        Share | None,
        max_limit(
            "budget/unsafe-rate-max",
            Reader.RELEASE,
            "The largest share of runs with an undeclared effect.",
            absent="0",
        ),
    ] = None
    sample_min: Annotated[
        Count | None,
        min_limit(
            "budget/sample-min",
            Reader.RELEASE,
            "How many fixtures, or runs where they name none, must be judged.",
            absent="1",
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
        ),
    ] = None


def _guard(field: str, what: str) -> Row:
    return max_limit(
        f"budget/guard-{field}", Reader.GUARD, f"{what} at which a run is stopped while it runs."
    )


class RuntimeGuard(PolicyModel):
    """Where a run is cut off in production: above what the gate refuses, or it hides it."""

    steps: Annotated[Whole | None, _guard("steps", "The number of tool calls")] = None
    tokens: Annotated[Whole | None, _guard("tokens", "The number of tokens")] = None
    cost_usd: Annotated[Number | None, _guard("cost", "The cost in US dollars")] = None
    identical_calls: Annotated[
        Whole | None, _guard("identical-calls", "The number of equal calls of one tool")
    ] = None


class Budget(PolicyModel):
    """The budget of one task type and variant; a second one for the pair is refused."""

    budget_version: Annotated[Version | None, version("budget/version")] = None
    task_type: Annotated[
        Text, opaque("budget/task-type", Reader.RELEASE, "Which tasks the budget governs.")
    ]
    variant: Annotated[
        Text, opaque("budget/variant", Reader.RELEASE, "Which variant the budget governs.")
    ]
    budget: Limits
    evaluators: Annotated[
        Texts | None,
        subset_of(
            "budget/evaluators",
            Reader.RUN,
            "Whose word on whether a run is correct counts.",
            absent=ANY,
        ),
    ] = None
    gate: Gate
    runtime_guard: RuntimeGuard | None = None
    value_per_success_usd: Annotated[
        Number | None,
        record("budget/value-per-success", "What one success is worth; read to propose a cap."),
    ] = None
    waivers: BudgetWaiverRules | None = None
    declared: Annotated[Day | None, record("budget/declared", "When the budget was declared.")] = (
        None
    )
    review: Annotated[Text | None, record("budget/review", "When it is due for review.")] = None
