"""The fixtures of an agent and the outputs it is held against (`baselines/<agent>.yaml`)."""

from typing import Annotated

from pydantic import Field

from agentpolicy.documents.models.leaf import (
    SOME_DIGEST,
    UNIQUE,
    AsTuple,
    Count,
    Digest,
    Distinct,
    Name,
    OneLine,
    PolicyModel,
    Text,
    Version,
    additions,
    opaque,
    version,
)
from agentpolicy.documents.models.sources import (
    BEHAVIOUR_DIFF,
    RUN_BUDGET,
    TOLERANCE_BAND,
)
from agentpolicy.documents.rows import X_KEYED_BY, Reader


class Fixture(PolicyModel):
    """One fixture. The candidate's own word on any of this is never believed."""

    id: Annotated[
        Text,
        opaque(
            "baseline/fixture",
            Reader.RELEASE,
            "The fixture's exact id.",
            source=BEHAVIOUR_DIFF,
            example="refund-017",
        ),
    ]
    fixture_class: Annotated[
        Name | None,
        Field(alias="class"),
        opaque(
            "baseline/fixture-class",
            Reader.RELEASE,
            "The class whose thresholds and content gates hold for it.",
            source=BEHAVIOUR_DIFF,
            example="formatting",
        ),
    ] = None
    criticality: Annotated[
        Name | None,
        opaque(
            "baseline/fixture-criticality",
            Reader.ROUTE,
            "How much a crossing counts; on a `critical` one it always means the full gate.",
            source=BEHAVIOUR_DIFF,
            example="critical",
        ),
    ] = None
    task_type: Annotated[
        Text | None,
        opaque(
            "baseline/fixture-task-type",
            Reader.RELEASE,
            "The task type of its budget.",
            source=RUN_BUDGET,
            example="schedule_meeting",
        ),
    ] = None
    variant: Annotated[
        Text | None,
        opaque(
            "baseline/fixture-variant",
            Reader.RELEASE,
            "The variant of its budget.",
            source=RUN_BUDGET,
            example="multi_attendee_cross_tz",
        ),
    ] = None
    attempts: Annotated[
        Count | None,
        opaque(
            "baseline/fixture-attempts",
            Reader.RELEASE,
            "How many attempts are expected of a candidate.",
            absent="1",
            source=BEHAVIOUR_DIFF,
            example=3,
        ),
    ] = None


Fixtures = Annotated[
    tuple[Fixture, ...],
    Field(min_length=1, json_schema_extra={X_KEYED_BY: "id"}),
    AsTuple,
]


_ACCEPTED = {
    "fixture_id": "refund-017",
    "before": SOME_DIGEST,
    "after": SOME_DIGEST,
    "reason": "names the source of the rate now",
}


class Accepted(PolicyModel):
    """One output that a reviewer took as a further reference text."""

    fixture_id: Annotated[
        Text,
        opaque(
            "baseline/accepted-fixture",
            Reader.RUN,
            "The fixture it is accepted for.",
            source=TOLERANCE_BAND,
            example="refund-017",
        ),
    ]
    before: Annotated[
        Digest,
        opaque(
            "baseline/accepted-before",
            Reader.RUN,
            "Digest of the text before.",
            source=TOLERANCE_BAND,
            example=SOME_DIGEST,
        ),
    ]
    after: Annotated[
        Digest,
        opaque(
            "baseline/accepted-after",
            Reader.RUN,
            "Digest of the text after.",
            source=TOLERANCE_BAND,
            example=SOME_DIGEST,
        ),
    ]
    reason: Annotated[
        OneLine,
        opaque(
            "baseline/accepted-reason",
            Reader.RUN,
            "Why it is as good, in one line.",
            source=TOLERANCE_BAND,
            example="names the source of the rate now",
        ),
    ]


class Baseline(PolicyModel):
    """What there is to judge an agent on, and against what."""

    baseline_version: Annotated[Version, version("baseline/version")]
    runs: Annotated[
        Digest,
        opaque(
            "baseline/runs",
            Reader.RELEASE,
            "Digest of the runs that are the reference.",
            source=TOLERANCE_BAND,
            example=SOME_DIGEST,
        ),
    ]
    fixtures: Fixtures
    accepted: Annotated[
        tuple[Accepted, ...] | None,
        Field(json_schema_extra=UNIQUE),
        Distinct,
        AsTuple,
        additions(
            "baseline/re-baselined",
            Reader.RUN,
            "Outputs that a reviewer accepted as reference texts, by digest, a reason each.",
            source=TOLERANCE_BAND,
            example=[_ACCEPTED],
        ),
    ] = None
