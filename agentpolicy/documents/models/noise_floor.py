"""How far runs of one and the same version differ, as it was measured (`noise_floor` of a band).

No verdict reads it: it stands beside the limits it was measured for, so that whoever changes one
is told when the band becomes tighter than the noise.
"""

from typing import Annotated, Literal

from agentpolicy.documents.models.band_fields import DEFAULT_SCORER, Scorer
from agentpolicy.documents.models.leaf import Number, PolicyModel, Text, record
from agentpolicy.documents.models.sources import BEHAVIOUR_DIFF

Measure = Literal[
    "text_similarity.threshold",
    "facts.equal",
    "facts.kept",
    "required_keys.exact",
    "tool_order.exact",
    "tool_order.same_unless_idempotent",
    "tool_order.any",
    "token_ratio.min",
    "token_ratio.max",
    "tool_calls_ratio",
    "latency_ms_p50.fail",
    "latency_ms_p95",
]
"""A side of a field with its limit; of a field with levels, the level: what is measured there is
the share of self-runs that cross it."""


class NoiseFloor(PolicyModel):
    """What repeated runs of one version showed when they were set against each other."""

    measured_on: Annotated[
        Text | None,
        record(
            "band/noise-floor-measured-on",
            "What the noise floor was measured on.",
            source=BEHAVIOUR_DIFF,
            example="10 self-runs of each of 30 fixtures",
        ),
    ] = None
    scorer: Annotated[
        Scorer | None,
        record(
            "band/noise-floor-scorer",
            "What measured the similarity of the self-runs' answers.",
            source=BEHAVIOUR_DIFF,
            example=DEFAULT_SCORER,
        ),
    ] = None
    fields: (
        dict[
            Measure,
            Annotated[
                Number,
                record(
                    "band/noise-floor",
                    "How far runs of one version differ: the worst value among self-runs, or the "
                    "share of them that crosses the level.",
                    source=BEHAVIOUR_DIFF,
                    example=0.95,
                ),
            ],
        ]
        | None
    ) = None
    """By the side of the field, or by its level."""
