"""The tolerance band of one agent: how far a new version may drift (`bands/<agent>.yaml`)."""

from typing import Annotated, Literal

from pydantic import Field

from agentpolicy.documents.models.arguments import ArgumentRule
from agentpolicy.documents.models.content import Gates
from agentpolicy.documents.models.leaf import (
    UNIQUE,
    ArgumentName,
    AsTuple,
    Count,
    Day,
    Multiple,
    Name,
    Number,
    PolicyModel,
    Share,
    Text,
    Texts,
    ToolName,
    Version,
    chain,
    max_limit,
    min_limit,
    opaque,
    record,
    subset_of,
    superset_of,
    version,
)
from agentpolicy.documents.models.routing import Routing
from agentpolicy.documents.models.waiver_rules import WaiverRules
from agentpolicy.documents.rows import Kind, Reader, Row

DEFAULT_SCORER = "lexical-indel@1"
"""The scorer of a band that names none."""
Scorer = Annotated[
    str, Field(pattern=r"^[a-z0-9][a-z0-9._/-]*@[A-Za-z0-9][A-Za-z0-9._-]*$", strict=True)
]
"""A scorer and its version, `name@version`."""
Varying = Literal[
    "prompt_template_version",
    "input_commitment",
    "tool_output_commitment",
    "available_tools_commitment",
    "requested_model",
    "resolved_model",
    "sdk_version",
    "sampling",
    "system_fingerprint",
    "contract_digest",
]
"""What a comparison may put under test: provenance a run record carries, but not its identity."""


class TextSimilarity(PolicyModel):
    """How alike an answer must be to some reference answer."""

    threshold: Annotated[
        Share,
        min_limit(
            "band/text-threshold",
            Reader.RUN,
            "The least similarity of an answer to its best reference; equal passes.",
        ),
    ]
    scorer: Annotated[
        Scorer | None,
        opaque(
            "band/text-scorer",
            Reader.RUN,
            "What measures similarity; a threshold means nothing without it.",
            absent=DEFAULT_SCORER,
        ),
    ] = None
    classes: (
        dict[
            Name,
            Annotated[
                Share,
                Row(
                    "band/text-class-threshold",
                    Kind.MIN_LIMIT,
                    Reader.RUN,
                    "The least similarity of an answer to a fixture of this class.",
                    absent_same_as="/fields/text_similarity/threshold",
                ),
            ],
        ]
        | None
    ) = None
    """Thresholds by fixture class; a class without one has the general threshold."""
    calibrated_on: Annotated[
        Text | None, record("band/text-calibrated-on", "What the threshold was calibrated on.")
    ] = None


class Latency(PolicyModel):
    """Multiples of the baseline's median latency."""

    warn: Annotated[
        Multiple | None,
        max_limit(
            "band/latency-p50-warn",
            Reader.FLAG,
            "Above this multiple of the baseline the report carries a note.",
        ),
    ] = None
    fail: Annotated[
        Multiple | None,
        max_limit(
            "band/latency-p50-fail",
            Reader.RELEASE,
            "Above this multiple of the baseline the band fails.",
        ),
    ] = None


class TokenRatio(PolicyModel):
    """Candidate tokens over baseline tokens, per fixture."""

    min: Annotated[
        Number | None,
        min_limit("band/token-ratio-min", Reader.RUN, "The least candidate/baseline token ratio."),
    ] = None
    max: Annotated[
        Number | None,
        max_limit("band/token-ratio-max", Reader.RUN, "The most candidate/baseline token ratio."),
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
        ),
    ] = None
    required_content: (
        dict[
            Name,
            Annotated[
                Gates,
                Row(
                    "band/required-content",
                    Kind.SUPERSET_OF,
                    Reader.RUN,
                    "What an answer must or must not hold, whatever its score: under `all` for "
                    "every fixture, under a class for its fixtures too.",
                    joined_with="/fields/required_content/all",
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
        ),
    ] = None
    token_ratio: TokenRatio | None = None
    tool_calls_ratio: Annotated[
        Number | None,
        max_limit(
            "band/tool-calls-ratio", Reader.RUN, "The most candidate/baseline ratio of tool calls."
        ),
    ] = None


Grade = Literal["fail", "warn"]


def _grade(field: str, dimension: str) -> Row:
    return chain(
        f"band/grade-{field}",
        Reader.RELEASE,
        f"Whether a crossing of {dimension} fails the band, or only shows and routes.",
        "fail",
        "warn",
        absent="fail",
    )


class Grades(PolicyModel):
    """What a crossing of a field does; keys, tool order and required content always fail."""

    text_similarity: Annotated[Grade | None, _grade("text", "the text similarity")] = None
    facts: Annotated[Grade | None, _grade("facts", "the facts")] = None
    arguments: Annotated[Grade | None, _grade("arguments", "the arguments")] = None
    latency_ms_p50: Annotated[Grade | None, _grade("latency-p50", "the median latency")] = None
    latency_ms_p95: Annotated[
        Grade | None, _grade("latency-p95", "the 95th percentile of latency")
    ] = None
    token_ratio: Annotated[Grade | None, _grade("token-ratio", "the token ratio")] = None
    tool_calls_ratio: Annotated[
        Grade | None, _grade("tool-calls-ratio", "the ratio of tool calls")
    ] = None


class Comparability(PolicyModel):
    """How much must be known to be alike before a difference means anything."""

    minimum: Annotated[
        Literal["comparable", "partially comparable", "unknown"] | None,
        chain(
            "band/comparability-minimum",
            Reader.RELEASE,
            "The least comparability of every pair of runs; below it the band is inconclusive.",
            "comparable",
            "partially comparable",
            "unknown",
            absent="unknown",
        ),
    ] = None
    varies: Annotated[
        tuple[Varying, ...] | None,
        Field(json_schema_extra=UNIQUE),
        AsTuple,
        subset_of(
            "band/comparability-varies",
            Reader.RELEASE,
            "What is under test, so that a difference there is no conflict.",
            absent="[]",
        ),
    ] = None


class Drift(PolicyModel):
    """When a session is flagged as unlike the agent's usual ones."""

    z_max: Annotated[
        Number | None,
        max_limit(
            "band/drift-z-max",
            Reader.FLAG,
            "Further than this many standard deviations from the usual, a session is flagged.",
            absent="3",
        ),
    ] = None
    jaccard_min: Annotated[
        Share | None,
        min_limit(
            "band/drift-jaccard-min",
            Reader.FLAG,
            "The least overlap of a session's set of tools with the usual one.",
            absent="0.5",
        ),
    ] = None
    warmup_sessions: Annotated[
        Count | None,
        opaque(
            "band/drift-warmup",
            Reader.FLAG,
            "How many completed sessions say what is usual.",
            absent="10",
        ),
    ] = None


class Band(PolicyModel):
    """The tolerance band of the agent the file is named after."""

    band_version: Annotated[Version, version("band/version")]
    approved_by: Annotated[
        Text | None, record("band/approved-by", "Who is said to have approved this version.")
    ] = None
    approved_on: Annotated[
        Day | None, record("band/approved-on", "When it is said to have been approved.")
    ] = None
    fields: BandFields
    grades: Grades | None = None
    comparability: Comparability | None = None
    repeats: Annotated[
        Count | None,
        min_limit(
            "band/repeats",
            Reader.RELEASE,
            "How many finished attempts each fixture needs; each one present must be inside.",
            absent="1",
        ),
    ] = None
    sample_min: Annotated[
        Count | None,
        min_limit(
            "band/sample-min", Reader.RELEASE, "How many fixtures must be judged.", absent="1"
        ),
    ] = None
    routing: Routing | None = None
    waivers: WaiverRules | None = None
    drift: Drift | None = None
