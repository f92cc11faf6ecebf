"""What one run may use and touch (`budget` of `budgets/<name>.yaml`)."""

from typing import Annotated, Literal

from agentpolicy.documents.models.leaf import (
    Number,
    PolicyModel,
    ToolNames,
    max_limit,
    opaque,
    subset_of,
)
from agentpolicy.documents.models.sources import RUN_BUDGET
from agentpolicy.documents.rows import Reader


class Steps(PolicyModel):
    """Tool calls a run may make."""

    soft: Annotated[
        Number | None,
        max_limit(
            "budget/steps-soft",
            Reader.RELEASE,
            "Above this a run counts as amber.",
            source=RUN_BUDGET,
            example=12,
        ),
    ] = None
    hard: Annotated[
        Number | None,
        max_limit(
            "budget/steps-hard",
            Reader.RUN,
            "Above this a run is over budget.",
            source=RUN_BUDGET,
            example=25,
        ),
    ] = None


class Cost(PolicyModel):
    """US dollars a run may cost."""

    soft: Annotated[
        Number | None,
        max_limit(
            "budget/cost-soft",
            Reader.RELEASE,
            "Above this a run counts as amber.",
            source=RUN_BUDGET,
            example=0.60,
        ),
    ] = None
    hard: Annotated[
        Number | None,
        max_limit(
            "budget/cost-hard",
            Reader.RUN,
            "Above this a run is over budget.",
            source=RUN_BUDGET,
            example=1.50,
        ),
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
            source=RUN_BUDGET,
        ),
    ] = None

    soft: Annotated[
        Number | None,
        max_limit(
            "budget/latency-soft",
            Reader.RELEASE,
            "Above this a run counts as amber.",
            source=RUN_BUDGET,
            example=20,
        ),
    ] = None
    hard: Annotated[
        Number | None,
        max_limit(
            "budget/latency-hard",
            Reader.RUN,
            "Above this a run is over budget.",
            source=RUN_BUDGET,
            example=60,
        ),
    ] = None


class Tokens(PolicyModel):
    """Tokens a run may use."""

    soft: Annotated[
        Number | None,
        max_limit(
            "budget/tokens-soft",
            Reader.RELEASE,
            "Above this a run counts as amber.",
            source=RUN_BUDGET,
            example=40000,
        ),
    ] = None
    hard: Annotated[
        Number | None,
        max_limit(
            "budget/tokens-hard",
            Reader.RUN,
            "Above this a run is over budget.",
            source=RUN_BUDGET,
            example=80000,
        ),
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
            source=RUN_BUDGET,
            example=["calendar.create_event", "mail.send_invite"],
        ),
    ]
