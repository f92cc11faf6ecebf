"""The dimensions a band judges a candidate on (`fields` of `bands/<agent>.yaml`)."""

from typing import Annotated, Literal

from pydantic import Field

from agentpolicy.documents.models.arguments import ArgumentRule
from agentpolicy.documents.models.content import Gates
from agentpolicy.documents.models.leaf import (
    ArgumentName,
    Multiple,
    Name,
    Number,
    PolicyModel,
    Share,
    Text,
    Texts,
    ToolName,
    chain,
    max_limit,
    min_limit,
    opaque,
    record,
    superset_of,
)
from agentpolicy.documents.models.sources import BEHAVIOUR_DIFF, TOLERANCE_BAND
from agentpolicy.documents.rows import Reader

DEFAULT_SCORER = "lexical-indel@1"
"""The scorer of a band that names none."""
Scorer = Annotated[
    str, Field(pattern=r"^[a-z0-9][a-z0-9._/-]*@[A-Za-z0-9][A-Za-z0-9._-]*$", strict=True)
]
"""A scorer and its version, `name@version`."""


class TextSimilarity(PolicyModel):
    """How alike an answer must be to some reference answer."""

    threshold: Annotated[
        Share,
        min_limit(
            "band/text-threshold",
            Reader.RUN,
            "The least similarity of an answer to its best reference; equal passes.",
            source=TOLERANCE_BAND,
            example=0.92,
        ),
    ]
    scorer: Annotated[
        Scorer | None,
        opaque(
            "band/text-scorer",
            Reader.RUN,
            "What measures similarity; a threshold means nothing without it.",
            absent=DEFAULT_SCORER,
            source=TOLERANCE_BAND,
            example=DEFAULT_SCORER,
        ),
    ] = None
    classes: (
        dict[
            Name,
            Annotated[
                Share,
                min_limit(
                    "band/text-class-threshold",
                    Reader.RUN,
                    "The least similarity of an answer to a fixture of this class.",
                    absent_same_as="/fields/text_similarity/threshold",
                    source=BEHAVIOUR_DIFF,
                    example=0.85,
                ),
            ],
        ]
        | None
    ) = None
    """Thresholds by fixture class; a class without one has the general threshold."""
    calibrated_on: Annotated[
        Text | None,
        record(
            "band/text-calibrated-on",
            "What the threshold was calibrated on.",
            source=TOLERANCE_BAND,
            example="200 judged-equivalent edits",
        ),
    ] = None


class Latency(PolicyModel):
    """Multiples of the baseline's median latency."""

    warn: Annotated[
        Multiple | None,
        max_limit(
            "band/latency-p50-warn",
            Reader.FLAG,
            "Above this multiple of the baseline the report carries a note.",
            source=TOLERANCE_BAND,
            example="1.5x",
        ),
    ] = None
    fail: Annotated[
        Multiple | None,
        max_limit(
            "band/latency-p50-fail",
            Reader.RELEASE,
            "Above this multiple of the baseline the band fails.",
            source=TOLERANCE_BAND,
            example="3.0x",
        ),
    ] = None


class TokenRatio(PolicyModel):
    """Candidate tokens over baseline tokens, per fixture."""

    min: Annotated[
        Number | None,
        min_limit(
            "band/token-ratio-min",
            Reader.RUN,
            "The least candidate/baseline token ratio.",
            source=TOLERANCE_BAND,
            example=0.7,
        ),
    ] = None
    max: Annotated[
        Number | None,
        max_limit(
            "band/token-ratio-max",
            Reader.RUN,
            "The most candidate/baseline token ratio.",
            source=TOLERANCE_BAND,
            example=1.4,
        ),
    ] = None


class BandFields(PolicyModel):
    """The dimensions a candidate is judged on; each stands on its own."""

    text_similarity: TextSimilarity | None = None
    facts: Annotated[
        Literal["equal", "kept", "off"] | None,
        chain(
            "band/facts",
            Reader.RUN,
            "Whether the numbers, identifiers, amounts and dates of the reference must be the "
            "same, must all be kept, or are not looked at.",
            "equal",
            "kept",
            "off",
            absent="off",
            source=TOLERANCE_BAND,
        ),
    ] = None
    required_content: (
        dict[
            Name,
            Annotated[
                Gates,
                superset_of(
                    "band/required-content",
                    Reader.RUN,
                    "What an answer must or must not hold, whatever its score: under `all` for "
                    "every fixture, under a class for its fixtures too.",
                    joined_with="/fields/required_content/all",
                    source=BEHAVIOUR_DIFF,
                    example=["cites_source", {"absent": "as an AI"}],
                ),
            ],
        ]
        | None
    ) = None
    """Content gates by fixture class; those under `all` hold for every class as well."""
    required_keys: Annotated[
        Literal["exact"] | Texts | None,
        superset_of(
            "band/required-keys",
            Reader.RUN,
            "Keys the output must have: a list, or `exact` for those all references share.",
            source=TOLERANCE_BAND,
            example="exact",
        ),
    ] = None
    optional_keys: Annotated[
        Literal["forbidden", "allowed"] | None,
        chain(
            "band/optional-keys",
            Reader.RUN,
            "Whether the output may have keys that no reference has.",
            "forbidden",
            "allowed",
            absent="allowed",
            source=TOLERANCE_BAND,
        ),
    ] = None
    tool_order: Annotated[
        Literal["exact", "same_unless_idempotent", "any"] | None,
        chain(
            "band/tool-order",
            Reader.RUN,
            "How closely the order of tool calls follows a reference route.",
            "exact",
            "same_unless_idempotent",
            "any",
            absent="exact",
            source=TOLERANCE_BAND,
        ),
    ] = None
    arguments: dict[ToolName, dict[ArgumentName, ArgumentRule]] | None = None
    """Rules by tool and argument; an argument without one is exact."""
    latency_ms_p50: Latency | None = None
    latency_ms_p95: Annotated[
        Multiple | None,
        max_limit(
            "band/latency-p95",
            Reader.RELEASE,
            "Above this multiple of the baseline's 95th percentile the band fails.",
            source=TOLERANCE_BAND,
            example="3.0x",
        ),
    ] = None
    token_ratio: TokenRatio | None = None
    tool_calls_ratio: Annotated[
        Number | None,
        max_limit(
            "band/tool-calls-ratio",
            Reader.RUN,
            "The most candidate/baseline ratio of tool calls.",
            source=TOLERANCE_BAND,
            example=2,
        ),
    ] = None
