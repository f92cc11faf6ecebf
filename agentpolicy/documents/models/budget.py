"""The budget and gate of one task type and variant (`budgets/<name>.yaml`)."""

from typing import Annotated, Literal

from agentpolicy.documents.models.leaf import (
    Day,
    Number,
    PolicyModel,
    Share,
    Text,
    ToolNames,
    Version,
    max_limit,
    min_limit,
    opaque,
    record,
    subset_of,
    version,
)
from agentpolicy.documents.rows import Reader


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
    """Seconds a run may take in total."""

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
    gate: Gate
    declared: Annotated[Day | None, record("budget/declared", "When the budget was declared.")] = (
        None
    )
    review: Annotated[Text | None, record("budget/review", "When it is due for review.")] = None
