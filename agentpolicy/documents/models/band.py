"""The tolerance band of one agent: how far a new version may drift (`bands/<agent>.yaml`)."""

from typing import Annotated, Literal

from agentpolicy.documents.models.leaf import (
    Day,
    Multiple,
    Number,
    PolicyModel,
    Share,
    Text,
    Texts,
    Version,
    chain,
    max_limit,
    min_limit,
    record,
    superset_of,
    version,
)
from agentpolicy.documents.models.waiver_rules import WaiverRules
from agentpolicy.documents.rows import Reader


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
    latency_ms_p50: Latency | None = None
    token_ratio: TokenRatio | None = None


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
    waivers: WaiverRules | None = None
