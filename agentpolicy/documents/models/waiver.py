"""One exception with an end (`waivers/<id>.yaml`)."""

from typing import Annotated, Literal

from pydantic import Field

from agentpolicy.documents.models.leaf import (
    SOME_DIGEST,
    AsTuple,
    Day,
    Digest,
    Name,
    Number,
    PolicyModel,
    Text,
    opaque,
)
from agentpolicy.documents.models.sources import TOLERANCE_BAND
from agentpolicy.documents.rows import Reader

WAIVABLE = (
    "text_similarity.threshold",
    "facts",
    "tool_order",
    "token_ratio.min",
    "token_ratio.max",
    "tool_calls_ratio",
)
"""The band fields a waiver of fixtures may name, beside `arguments.<tool>.<name>`.

All others are never waivable (DESIGN section 8).
"""
BAND_METRICS = ("latency_ms_p50.fail", "latency_ms_p95")
"""The band's limits on the whole set of runs, which an aggregate waiver may name."""
BUDGET_METRICS = ("amber_rate_max", "p95_cost_usd")
"""The budget's limits that an aggregate waiver may name; the pass rate is never waivable."""

WaivableField = (
    Literal[
        "text_similarity.threshold",
        "facts",
        "tool_order",
        "token_ratio.min",
        "token_ratio.max",
        "tool_calls_ratio",
    ]
    | Annotated[str, Field(pattern=r"^arguments\.[A-Za-z0-9_][A-Za-z0-9_.:/-]*\.\S+$", strict=True)]
)
WaivableMetric = Literal["latency_ms_p50.fail", "latency_ms_p95", "amber_rate_max", "p95_cost_usd"]


class Case(PolicyModel):
    """One fixture, by its exact id, and the value it was measured at."""

    fixture_id: Annotated[
        Text,
        opaque(
            "waiver/fixture",
            Reader.WAIVER,
            "The fixture, by its exact id.",
            source=TOLERANCE_BAND,
            example="refund-017",
        ),
    ]
    measured: Annotated[
        Number | Digest,
        opaque(
            "waiver/measured",
            Reader.WAIVER,
            "The measured value; no worse one is covered.",
            source=TOLERANCE_BAND,
            example=1.6,
        ),
    ]


Cases = Annotated[tuple[Case, ...], Field(min_length=1), AsTuple]


class Waiver(PolicyModel):
    """A known crossing that may pass until its last day. Nothing edits a waiver.

    It is for an agent or for a task type and variant, and covers either one field of some
    fixtures or, with `scope: aggregate`, one metric of one subject (`documents.invariants`).
    """

    id: Annotated[
        Name,
        opaque(
            "waiver/id",
            Reader.WAIVER,
            "The waiver's id, its file name.",
            source=TOLERANCE_BAND,
            example="w-2026-03-tokens",
        ),
    ]
    agent: Annotated[
        Name | None,
        opaque(
            "waiver/agent",
            Reader.WAIVER,
            "The agent whose band it is for.",
            source=TOLERANCE_BAND,
            example="refund-agent",
        ),
    ] = None
    task_type: Annotated[
        Text | None,
        opaque(
            "waiver/task-type",
            Reader.WAIVER,
            "The task type whose budget it is for.",
            source=TOLERANCE_BAND,
            example="schedule_meeting",
        ),
    ] = None
    variant: Annotated[
        Text | None,
        opaque(
            "waiver/variant",
            Reader.WAIVER,
            "The variant whose budget it is for.",
            source=TOLERANCE_BAND,
            example="multi_attendee_cross_tz",
        ),
    ] = None
    field: Annotated[
        WaivableField | None,
        opaque(
            "waiver/field",
            Reader.WAIVER,
            "The one side of the one band field it covers.",
            source=TOLERANCE_BAND,
            example="token_ratio.max",
        ),
    ] = None
    cases: Annotated[
        Cases,
        opaque(
            "waiver/cases",
            Reader.WAIVER,
            "What exactly is covered.",
            source=TOLERANCE_BAND,
            example=[{"fixture_id": "refund-017", "measured": 1.6}],
        ),
    ] = ()
    scope: Annotated[
        Literal["aggregate"] | None,
        opaque(
            "waiver/scope",
            Reader.WAIVER,
            "Whether it covers a metric of the whole set.",
            source=TOLERANCE_BAND,
        ),
    ] = None
    metric: Annotated[
        WaivableMetric | None,
        opaque(
            "waiver/metric",
            Reader.WAIVER,
            "The limit on the whole set that it covers.",
            source=TOLERANCE_BAND,
        ),
    ] = None
    measured: Annotated[
        Number | None,
        opaque(
            "waiver/metric-measured",
            Reader.WAIVER,
            "What was measured; no worse is covered.",
            source=TOLERANCE_BAND,
            example=0.81,
        ),
    ] = None
    subject: Annotated[
        Text | None,
        opaque(
            "waiver/subject",
            Reader.WAIVER,
            "The one subject whose metric it covers.",
            source=TOLERANCE_BAND,
            example=SOME_DIGEST,
        ),
    ] = None
    band: Annotated[
        Number | Text,
        opaque(
            "waiver/band",
            Reader.WAIVER,
            "The limit it was granted against.",
            source=TOLERANCE_BAND,
            example=1.4,
        ),
    ]
    verdict: Annotated[
        Digest,
        opaque(
            "waiver/verdict",
            Reader.WAIVER,
            "The recorded verdict that shows it.",
            source=TOLERANCE_BAND,
            example=SOME_DIGEST,
        ),
    ]
    reason: Annotated[
        Text,
        opaque(
            "waiver/reason",
            Reader.WAIVER,
            "Why it is intended.",
            source=TOLERANCE_BAND,
            example="the growth is explained by the new sources array",
        ),
    ]
    change_link: Annotated[
        Text,
        opaque(
            "waiver/change-link",
            Reader.WAIVER,
            "The change that caused it.",
            source=TOLERANCE_BAND,
            example="https://git.example.com/acme/agents/pull/41",
        ),
    ]
    owner: Annotated[
        Name,
        opaque(
            "waiver/owner",
            Reader.WAIVER,
            "The person who answers for it.",
            source=TOLERANCE_BAND,
            example="alice",
        ),
    ]
    granted_on: Annotated[
        Day,
        opaque(
            "waiver/granted-on",
            Reader.WAIVER,
            "Its first day.",
            source=TOLERANCE_BAND,
            example="2026-03-10",
        ),
    ]
    expires_on: Annotated[
        Day,
        opaque(
            "waiver/expires-on",
            Reader.WAIVER,
            "Its last day.",
            source=TOLERANCE_BAND,
            example="2026-03-24",
        ),
    ]
    renews: Annotated[
        Name | None,
        opaque(
            "waiver/renews",
            Reader.WAIVER,
            "The waiver it renews.",
            source=TOLERANCE_BAND,
            example="w-2026-02-tokens",
        ),
    ] = None
    evidence: Annotated[
        dict[Name, Text] | None,
        opaque(
            "waiver/evidence",
            Reader.WAIVER,
            "Whatever else the band asks for.",
            source=TOLERANCE_BAND,
            example={"trace": "https://traces.example.com/8f2"},
        ),
    ] = None

    @property
    def covers(self) -> str:
        """Name the field or the metric it covers."""
        return self.field or self.metric or ""
