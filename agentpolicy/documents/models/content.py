"""What an answer must hold, or must not, whatever its similarity."""

from typing import Annotated, Literal

from pydantic import Field

from agentpolicy.documents.models.leaf import UNIQUE, AsTuple, Distinct, PolicyModel, Text, opaque
from agentpolicy.documents.models.sources import BEHAVIOUR_DIFF
from agentpolicy.documents.rows import Reader


class Contains(PolicyModel):
    """The answer must hold this text."""

    contains: Annotated[
        Text,
        opaque(
            "band/content-contains",
            Reader.RUN,
            "Text the answer must hold.",
            source=BEHAVIOUR_DIFF,
            example="order number",
        ),
    ]


class Absent(PolicyModel):
    """The answer must not hold this text."""

    absent: Annotated[
        Text,
        opaque(
            "band/content-absent",
            Reader.RUN,
            "Text the answer must not hold.",
            source=BEHAVIOUR_DIFF,
            example="as an AI",
        ),
    ]


Gate = Literal["cites_source", "must_refuse"] | Contains | Absent
Gates = Annotated[tuple[Gate, ...], Field(json_schema_extra=UNIQUE), Distinct, AsTuple]
