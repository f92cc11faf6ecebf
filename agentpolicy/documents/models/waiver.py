"""One exception with an end (`waivers/<id>.yaml`)."""

from typing import Annotated, Literal

from pydantic import Field

from agentpolicy.documents.models.leaf import (
    AsTuple,
    Day,
    Digest,
    Name,
    Number,
    PolicyModel,
    Text,
    opaque,
)
from agentpolicy.documents.rows import Reader

WAIVABLE = ("text_similarity.threshold", "tool_order", "token_ratio.min", "token_ratio.max")
"""The band fields a waiver may name; all others are never waivable (DESIGN section 8)."""


class Case(PolicyModel):
    """One fixture, by its exact id, and the value it was measured at."""

    fixture_id: Annotated[
        Text, opaque("waiver/fixture", Reader.WAIVER, "The fixture, by its exact id.")
    ]
    measured: Annotated[
        Number | Digest,
        opaque("waiver/measured", Reader.WAIVER, "The measured value; no worse one is covered."),
    ]


Cases = Annotated[tuple[Case, ...], Field(min_length=1), AsTuple]


class Waiver(PolicyModel):
    """A known crossing that may pass until its last day. Nothing edits a waiver."""

    id: Annotated[Name, opaque("waiver/id", Reader.WAIVER, "The waiver's id, its file name.")]
    agent: Annotated[Name, opaque("waiver/agent", Reader.WAIVER, "The agent it is for.")]
    field: Annotated[
        Literal["text_similarity.threshold", "tool_order", "token_ratio.min", "token_ratio.max"],
        opaque("waiver/field", Reader.WAIVER, "The one side of the one band field it covers."),
    ]
    cases: Annotated[Cases, opaque("waiver/cases", Reader.WAIVER, "What exactly is covered.")]
    band: Annotated[
        Number | Text,
        opaque("waiver/band", Reader.WAIVER, "The limit it was granted against."),
    ]
    verdict: Annotated[
        Digest, opaque("waiver/verdict", Reader.WAIVER, "The recorded verdict that shows it.")
    ]
    reason: Annotated[Text, opaque("waiver/reason", Reader.WAIVER, "Why it is intended.")]
    change_link: Annotated[
        Text, opaque("waiver/change-link", Reader.WAIVER, "The change that caused it.")
    ]
    owner: Annotated[Name, opaque("waiver/owner", Reader.WAIVER, "The person who answers for it.")]
    granted_on: Annotated[Day, opaque("waiver/granted-on", Reader.WAIVER, "Its first day.")]
    expires_on: Annotated[Day, opaque("waiver/expires-on", Reader.WAIVER, "Its last day.")]
    renews: Annotated[
        Name | None, opaque("waiver/renews", Reader.WAIVER, "The waiver it renews.")
    ] = None
    evidence: Annotated[
        dict[Name, Text] | None,
        opaque("waiver/evidence", Reader.WAIVER, "Whatever else the band asks for."),
    ] = None
