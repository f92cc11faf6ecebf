"""The part of a band (and of a budget) that says which waivers may exist."""

from typing import Annotated

from pydantic import Field

from agentpolicy.documents.models.leaf import (
    ApproverRole,
    PolicyModel,
    Texts,
    chain,
    max_limit,
    superset_of,
)
from agentpolicy.documents.rows import Reader

MAX_WAIVER_DAYS = 30
"""How long a waiver may last where the band does not say."""


class WaiverRules(PolicyModel):
    """Which evidence a waiver needs, how long it may last, and who approves it."""

    required_evidence: Annotated[
        Texts | None,
        superset_of(
            "band/waiver-evidence", Reader.WAIVER, "The facts every waiver of this band must carry."
        ),
    ] = None
    max_days: Annotated[
        int | None,
        Field(ge=1, le=90, strict=True),
        max_limit(
            "band/waiver-max-days",
            Reader.WAIVER,
            "The most days a waiver may last.",
            absent=str(MAX_WAIVER_DAYS),
        ),
    ] = None
    approver: Annotated[
        ApproverRole | None,
        chain(
            "band/waiver-approver",
            Reader.WAIVER,
            "The role whose approval a new waiver needs.",
            "platform-owner",
            "reviewer",
            absent="reviewer",
        ),
    ] = None
