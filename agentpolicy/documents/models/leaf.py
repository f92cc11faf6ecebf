"""What a leaf may be: the exact types, and the words that write its order row."""

from decimal import Decimal
from typing import Annotated, Any, Literal, TypedDict, Unpack, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from agentpolicy.base.numbers import MULTIPLE, multiple
from agentpolicy.documents.invariants import LEAST_EVIDENCE
from agentpolicy.documents.rows import Kind, Reader, Row


class PolicyModel(BaseModel):
    """A frozen part of a document. A leaf without exactly one order row fails at import."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:  # noqa: ANN401 - pydantic's own
        """Refuse a class with a leaf that does not say how it is ordered."""
        super().__pydantic_init_subclass__(**kwargs)
        for name, field in cls.model_fields.items():
            rows = [item for item in field.metadata if isinstance(item, Row)]
            if len(rows) == 1 or (not rows and _ordered_within(field.annotation)):
                continue
            raise TypeError(f"{cls.__name__}.{name} needs exactly one order row")


def _ordered_within(annotation: object) -> bool:
    """Say whether a field is no leaf, but holds models, or a map whose entries have a row."""
    if isinstance(annotation, Row):
        return True
    if isinstance(annotation, type) and issubclass(annotation, PolicyModel):
        return True
    return any(_ordered_within(part) for part in get_args(annotation))


def _exact(value: object) -> object:
    """Let only integers and decimals through: no float, no text, no boolean."""
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        raise ValueError("an exact number belongs here")  # noqa: TRY004 - pydantic reads ValueError
    return value


def _multiple(value: object) -> object:
    """Read `1.5x` as the number 1.5; a bare number is no multiple of anything."""
    if not isinstance(value, str):
        raise ValueError("a multiple such as 1.5x belongs here")  # noqa: TRY004 - as above
    return multiple(value)


def _distinct(value: object) -> object:
    """Refuse a list that says the same thing twice."""
    items = value if isinstance(value, tuple) else ()
    if any(item in items[:index] for index, item in enumerate(items)):
        raise ValueError("an item stands there twice")
    return value


def _tuple(value: object) -> object:
    """Take a list or tuple; nothing else becomes a sequence."""
    return tuple(value) if isinstance(value, list) else value


Number = Annotated[Decimal, Field(ge=0), BeforeValidator(_exact)]
Share = Annotated[Decimal, Field(ge=0, le=1), BeforeValidator(_exact)]
"""A number from 0 to 1: a rate or a similarity."""
Multiple = Annotated[
    Decimal,
    BeforeValidator(_multiple),
    WithJsonSchema({"type": "string", "pattern": f"^{MULTIPLE.pattern}$"}),
]
"""A multiple of the baseline, written `1.5x`."""
Whole = Annotated[int, Field(ge=0, strict=True)]
Count = Annotated[int, Field(ge=1, strict=True)]
Version = Annotated[int, Field(ge=1, le=2**31 - 1, strict=True)]
Text = Annotated[str, Field(min_length=1, max_length=1000, strict=True)]
OneLine = Annotated[str, Field(pattern=r"^[^\r\n]+$", max_length=1000, strict=True)]
"""A reason that fits on one line."""
Day = Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", strict=True)]
Digest = Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$", strict=True)]
SOME_DIGEST = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
"""A digest for examples."""
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=100, strict=True)]
ToolName = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.:/-]*$", max_length=200, strict=True)
]
"""The name of a tool, as runs record it."""
ArgumentName = Annotated[str, Field(pattern=r"^\S+$", max_length=200, strict=True)]
"""The name of one argument of a tool."""
AsTuple = BeforeValidator(_tuple)
"""Reads a list of the tree as the frozen tuple of the model."""
UNIQUE = {"uniqueItems": True}
Distinct = AfterValidator(_distinct)
"""Holds the model to what `UNIQUE` says in the schema."""
ToolNames = Annotated[tuple[ToolName, ...], Field(json_schema_extra=UNIQUE), Distinct, AsTuple]
Texts = Annotated[tuple[Text, ...], Field(json_schema_extra=UNIQUE), Distinct, AsTuple]
Names = Annotated[tuple[Name, ...], Field(json_schema_extra=UNIQUE), Distinct, AsTuple]
YesNo = Annotated[bool, Field(strict=True)]


class RowOptions(TypedDict, total=False):
    """What a row says beyond its direction; see `Row`."""

    absent: str
    absent_same_as: str
    joined_with: str
    unread_beside: tuple[str, ...]
    source: str
    example: object


def max_limit(rule: str, reader: Reader, why: str, **options: Unpack[RowOptions]) -> Row:
    """Order a ceiling: lower tightens."""
    return Row(rule, Kind.MAX_LIMIT, reader, why, **options)


def min_limit(rule: str, reader: Reader, why: str, **options: Unpack[RowOptions]) -> Row:
    """Order a floor: higher tightens."""
    return Row(rule, Kind.MIN_LIMIT, reader, why, **options)


def subset_of(rule: str, reader: Reader, why: str, **options: Unpack[RowOptions]) -> Row:
    """Order a set of allowed things: fewer tightens."""
    return Row(rule, Kind.SUBSET_OF, reader, why, **options)


def superset_of(rule: str, reader: Reader, why: str, **options: Unpack[RowOptions]) -> Row:
    """Order a set of required things: more tightens."""
    return Row(rule, Kind.SUPERSET_OF, reader, why, **options)


def chain(rule: str, reader: Reader, why: str, *levels: str, **options: Unpack[RowOptions]) -> Row:
    """Order named levels, strict first."""
    return Row(rule, Kind.CHAIN, reader, why, chain=levels, **options)


def additions(rule: str, reader: Reader, why: str, **options: Unpack[RowOptions]) -> Row:
    """Order a list of accepted things: more loosens, all else is incomparable."""
    return Row(rule, Kind.ADDITIONS, reader, why, **options)


def record(rule: str, why: str, **options: Unpack[RowOptions]) -> Row:
    """Declare a leaf that no verdict reads."""
    return Row(rule, Kind.RECORD, Reader.NOBODY, why, **options)


def opaque(rule: str, reader: Reader, why: str, **options: Unpack[RowOptions]) -> Row:
    """Declare a leaf any change of which is incomparable."""
    return Row(rule, Kind.OPAQUE, reader, why, **options)


def root(rule: str, why: str, **options: Unpack[RowOptions]) -> Row:
    """Declare a leaf of the trust root."""
    return Row(rule, Kind.ROOT, Reader.ADMISSION, why, **options)


def version(rule: str, **options: Unpack[RowOptions]) -> Row:
    """Declare the counter of the document's states."""
    why = "Counts the states of this document."
    options = {"example": 1, **options}
    return Row(rule, Kind.VERSION, Reader.ADMISSION, why, **options)


ApproverRole = Literal["platform-owner", "reviewer"]
EVIDENCE: tuple[str, ...] = LEAST_EVIDENCE
"""The least evidence pack of a waiver, which a document that names none asks for."""
