"""How much review a release gets: a risk score, and the scores from which more is asked."""

from typing import Annotated

from agentpolicy.documents.models.leaf import Name, Number, PolicyModel, max_limit, min_limit
from agentpolicy.documents.models.sources import BEHAVIOUR_DIFF
from agentpolicy.documents.rows import Reader


class Routing(PolicyModel):
    """The weights of the risk score, summed and never normalised, and its two thresholds."""

    base: Annotated[
        Number | None,
        min_limit(
            "band/routing-base",
            Reader.ROUTE,
            "What the score starts from once something crossed.",
            absent="0",
            source=BEHAVIOUR_DIFF,
            example=1,
        ),
    ] = None
    crossing_weight: Annotated[
        Number | None,
        min_limit(
            "band/routing-crossing-weight",
            Reader.ROUTE,
            "What each crossing adds, times the criticality of its fixture.",
            absent="1",
            source=BEHAVIOUR_DIFF,
            example=1,
        ),
    ] = None
    criticality: (
        dict[
            Name,
            Annotated[
                Number,
                min_limit(
                    "band/routing-criticality",
                    Reader.ROUTE,
                    "How much a crossing counts on a fixture of this criticality.",
                    absent="1",
                    source=BEHAVIOUR_DIFF,
                    example=10,
                ),
            ],
        ]
        | None
    ) = None
    """Factors by the criticality that the baseline gives a fixture."""
    shortfall_weight: Annotated[
        Number | None,
        min_limit(
            "band/routing-shortfall-weight",
            Reader.ROUTE,
            "What each point of similarity under its threshold adds.",
            absent="0",
            source=BEHAVIOUR_DIFF,
            example=5,
        ),
    ] = None
    nondeterminism_penalty: Annotated[
        Number | None,
        min_limit(
            "band/routing-nondeterminism",
            Reader.ROUTE,
            "What is added once where repeats of a fixture differ beyond the noise floor.",
            absent="0",
            source=BEHAVIOUR_DIFF,
            example=2,
        ),
    ] = None
    fast_review_from: Annotated[
        Number | None,
        max_limit(
            "band/routing-fast-review-from",
            Reader.ROUTE,
            "From this score on a release needs a fast review; any crossing does in any case.",
            absent="0",
            source=BEHAVIOUR_DIFF,
            example=1,
        ),
    ] = None
    full_gate_from: Annotated[
        Number | None,
        max_limit(
            "band/routing-full-gate-from",
            Reader.ROUTE,
            "From this score on a release needs the full gate; a critical crossing does always.",
            source=BEHAVIOUR_DIFF,
            example=10,
        ),
    ] = None
