"""The tool catalogue: what a call of each tool does (`tools.yaml`)."""

from typing import Annotated, Literal

from pydantic import Field

from agentpolicy.documents.models.leaf import (
    UNIQUE,
    ArgumentName,
    AsTuple,
    Distinct,
    PolicyModel,
    ToolName,
    ToolNames,
    Version,
    YesNo,
    chain,
    superset_of,
    version,
)
from agentpolicy.documents.models.sources import RUN_BUDGET, TOLERANCE_BAND
from agentpolicy.documents.rows import Reader


class Tool(PolicyModel):
    """One tool. A tool that is not listed is destructive, not idempotent, without requirements."""

    effect: Annotated[
        Literal["destructive", "write", "read"],
        chain(
            "tools/effect",
            Reader.RUN,
            "What a call does to the world; a call of any tool not `read` is an effect.",
            "destructive",
            "write",
            "read",
            absent="destructive",
            source=RUN_BUDGET,
        ),
    ]
    idempotent: Annotated[
        YesNo | None,
        chain(
            "tools/idempotent",
            Reader.RUN,
            "Whether calling it twice is the same as calling it once.",
            "false",
            "true",
            absent="false",
            source=TOLERANCE_BAND,
        ),
    ] = None
    requires: Annotated[
        ToolNames | None,
        superset_of(
            "tools/requires",
            Reader.RUN,
            "Tools of which a successful call must come before each call of this one.",
            source=TOLERANCE_BAND,
            example=["orders.lookup"],
        ),
    ] = None
    identity_args: Annotated[
        tuple[ArgumentName, ...] | None,
        Field(json_schema_extra=UNIQUE),
        Distinct,
        AsTuple,
        superset_of(
            "tools/identity-args",
            Reader.RUN,
            "Arguments that say what a call is about: exact, whatever a band's rule says.",
            source=TOLERANCE_BAND,
            example=["order_id"],
        ),
    ] = None


class Tools(PolicyModel):
    """The catalogue. What a run record says of a tool's effect is never believed."""

    tools_version: Annotated[Version, version("tools/version")]
    tools: dict[ToolName, Tool]
