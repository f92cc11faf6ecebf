"""The part of a band, and of a budget, that says which waivers may exist."""

import json
from typing import Annotated, Literal

from pydantic import Field

from agentpolicy.documents.models.leaf import (
    EVIDENCE,
    ApproverRole,
    PolicyModel,
    Texts,
    Whole,
    chain,
    max_limit,
    opaque,
    superset_of,
)
from agentpolicy.documents.models.sources import TOLERANCE_BAND
from agentpolicy.documents.rows import Reader, Row

MAX_WAIVER_DAYS = 30
"""How long a waiver may last where the document does not say."""
MAX_RENEWALS = 2
"""How often a waiver may be renewed where the document does not say."""

Days = Annotated[int, Field(ge=1, le=90, strict=True)]


def _evidence(document: str) -> Row:
    return superset_of(
        f"{document}/waiver-evidence",
        Reader.WAIVER,
        f"The facts every waiver of this {document} must carry; the six of the default at least.",
        absent=json.dumps(EVIDENCE),
        source=TOLERANCE_BAND,
        example=list(EVIDENCE),
    )


def _max_days(document: str) -> Row:
    return max_limit(
        f"{document}/waiver-max-days",
        Reader.WAIVER,
        "The most days a waiver may last.",
        absent=str(MAX_WAIVER_DAYS),
        source=TOLERANCE_BAND,
        example=14,
    )


def _max_renewals(document: str) -> Row:
    return max_limit(
        f"{document}/waiver-max-renewals",
        Reader.WAIVER,
        "How often a waiver may be renewed.",
        absent=str(MAX_RENEWALS),
        example=1,
    )


def _max_open(document: str) -> Row:
    return max_limit(
        f"{document}/waiver-max-open",
        Reader.WAIVER,
        "How many unexpired waivers there may be; read only when a new one is admitted.",
        example=5,
    )


class WaiverRules(PolicyModel):
    """Which evidence a waiver of a band needs, how long it may last, and who approves it."""

    required_evidence: Annotated[Texts | None, _evidence("band")] = None
    max_days: Annotated[Days | None, _max_days("band")] = None
    max_renewals: Annotated[Whole | None, _max_renewals("band")] = None
    max_open: Annotated[Whole | None, _max_open("band")] = None
    approver: Annotated[
        ApproverRole | None,
        chain(
            "band/waiver-approver",
            Reader.WAIVER,
            "The role whose approval a new waiver needs.",
            "platform-owner",
            "reviewer",
            absent="reviewer",
            source=TOLERANCE_BAND,
        ),
    ] = None


class BudgetWaiverRules(WaiverRules):
    """The same of a budget, whose waivers are the platform owner's to approve."""

    required_evidence: Annotated[Texts | None, _evidence("budget")] = None
    max_days: Annotated[Days | None, _max_days("budget")] = None
    max_renewals: Annotated[Whole | None, _max_renewals("budget")] = None
    max_open: Annotated[Whole | None, _max_open("budget")] = None
    approver: Annotated[
        Literal["platform-owner"] | None,
        opaque(
            "budget/waiver-approver",
            Reader.WAIVER,
            "The role whose approval a new waiver of a budget needs: there is no other.",
            absent="platform-owner",
        ),
    ] = None
