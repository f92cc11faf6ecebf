"""The tolerance band of one agent: how far a new version may drift (`bands/<agent>.yaml`)."""

from typing import Annotated, Literal

from pydantic import Field

from agentpolicy.documents.models.band_fields import BandFields, Latency, TextSimilarity, TokenRatio
from agentpolicy.documents.models.leaf import (
    UNIQUE,
    AsTuple,
    Count,
    Day,
    Distinct,
    Number,
    PolicyModel,
    Share,
    Text,
    Version,
    chain,
    max_limit,
    min_limit,
    opaque,
    record,
    subset_of,
    version,
)
from agentpolicy.documents.models.noise_floor import NoiseFloor
from agentpolicy.documents.models.routing import Routing
from agentpolicy.documents.models.sources import BEHAVIOUR_DIFF, COMPARABILITY, TOLERANCE_BAND
from agentpolicy.documents.models.waiver_rules import WaiverRules
from agentpolicy.documents.rows import Reader, Row

__all__ = ["Band", "BandFields", "Latency", "TextSimilarity", "TokenRatio"]

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


Grade = Literal["fail", "warn"]


def _grade(field: str, dimension: str) -> Row:
    return chain(
        f"band/grade-{field}",
        Reader.RELEASE,
        f"Whether a crossing of {dimension} fails the band, or only shows and routes.",
        "fail",
        "warn",
        absent="fail",
        source=TOLERANCE_BAND,
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
            source=COMPARABILITY,
        ),
    ] = None
    varies: Annotated[
        tuple[Varying, ...] | None,
        Field(json_schema_extra=UNIQUE),
        Distinct,
        AsTuple,
        subset_of(
            "band/comparability-varies",
            Reader.RELEASE,
            "What is under test, so that a difference there is no conflict.",
            absent="[]",
            source=COMPARABILITY,
            example=["prompt_template_version"],
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
            source=TOLERANCE_BAND,
            example=3,
        ),
    ] = None
    jaccard_min: Annotated[
        Share | None,
        min_limit(
            "band/drift-jaccard-min",
            Reader.FLAG,
            "The least overlap of a session's set of tools with the usual one.",
            absent="0.5",
            source=TOLERANCE_BAND,
            example=0.5,
        ),
    ] = None
    warmup_sessions: Annotated[
        Count | None,
        opaque(
            "band/drift-warmup",
            Reader.FLAG,
            "How many completed sessions say what is usual.",
            absent="10",
            source=TOLERANCE_BAND,
            example=10,
        ),
    ] = None
    long_context_tokens: Annotated[
        Count | None,
        opaque(
            "band/drift-long-context",
            Reader.FLAG,
            "From so many input tokens on a session is a long-context one, compared only with its "
            "like; without it there is one class.",
            source=TOLERANCE_BAND,
            example=100000,
        ),
    ] = None


class Band(PolicyModel):
    """The tolerance band of the agent the file is named after."""

    band_version: Annotated[Version, version("band/version", source=TOLERANCE_BAND)]
    approved_by: Annotated[
        Text | None,
        record(
            "band/approved-by",
            "Who is said to have approved this version.",
            source=TOLERANCE_BAND,
            example="platform-owner",
        ),
    ] = None
    approved_on: Annotated[
        Day | None,
        record(
            "band/approved-on",
            "When it is said to have been approved.",
            source=TOLERANCE_BAND,
            example="2026-03-02",
        ),
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
            source=BEHAVIOUR_DIFF,
            example=3,
        ),
    ] = None
    sample_min: Annotated[
        Count | None,
        min_limit(
            "band/sample-min",
            Reader.RELEASE,
            "How many fixtures must be judged.",
            absent="1",
            source=TOLERANCE_BAND,
            example=300,
        ),
    ] = None
    routing: Routing | None = None
    waivers: WaiverRules | None = None
    drift: Drift | None = None
    noise_floor: NoiseFloor | None = None
