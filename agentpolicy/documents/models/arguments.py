"""How one argument of one tool compares with what the references passed."""

from decimal import Decimal
from typing import Annotated, Any, Self

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from agentpolicy.documents.argument_rule import limit_text
from agentpolicy.documents.models.leaf import Number, PolicyModel, chain, max_limit
from agentpolicy.documents.models.sources import TOLERANCE_BAND
from agentpolicy.documents.rows import X_SHORTHAND, Reader

ARGUMENT_RULE = r"^(exact|normalised|ignored|similar\((0(\.[0-9]{1,4})?|1(\.0{1,4})?)\))$"
"""The spelling of a rule; scores have four places, so a threshold has no more."""

RuleText = Annotated[str, Field(pattern=ARGUMENT_RULE, strict=True)]


class ArgumentRule(PolicyModel):
    """One argument's rule, written as the rule itself or as `{rule, tolerance}`."""

    rule: Annotated[
        RuleText,
        chain(
            "band/argument-rule",
            Reader.RUN,
            "How closely the argument follows a reference's: exact, normalised, similar(0.9), "
            "or ignored.",
            "exact",
            "normalised",
            "similar()",
            "ignored",
            absent="exact",
            source=TOLERANCE_BAND,
            example="similar(0.9)",
        ),
    ]
    tolerance: Annotated[
        Number | None,
        max_limit(
            "band/argument-tolerance",
            Reader.RUN,
            "The largest difference of two numbers that still counts as none; `exact` ignores it.",
            absent="0",
            unread_beside=("exact", "ignored"),
            source=TOLERANCE_BAND,
            example=0.5,
        ),
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _written_short(cls, value: object) -> object:
        """Read the rule written alone."""
        return {"rule": value} if isinstance(value, str) else value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Let the rule stand for the object that holds nothing else."""
        written = handler.resolve_ref_schema(handler(core_schema))
        whole: dict[str, Any] = dict(written)
        short = {"type": "string", "pattern": ARGUMENT_RULE}
        return {"anyOf": [short, whole], X_SHORTHAND: "rule"}

    @property
    def level(self) -> str:
        """Give the rule without its threshold: `exact`, `normalised`, `similar` or `ignored`."""
        return self.rule.partition("(")[0]

    @property
    def threshold(self) -> Decimal | None:
        """Give the least score that `similar` accepts; None under any other rule."""
        _, opened, rest = self.rule.partition("(")
        return Decimal(rest.removesuffix(")")) if opened else None

    @property
    def text(self) -> str:
        """Write the whole rule the one way crossings show it and waivers copy it."""
        return limit_text({"rule": self.rule, "tolerance": self.tolerance or Decimal(0)})

    @classmethod
    def default(cls) -> Self:
        """Give the rule of an argument the band does not name."""
        return cls(rule="exact")
