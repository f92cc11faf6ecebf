"""The order row of a leaf: which direction tightens, who reads it, what absence means.

A row stands next to the type it orders (in `documents.models`), travels in the generated JSON
Schema as `x-order`, and is all that `order` needs to compare two documents.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Self

from agentpolicy.base.values import dataclass, field

X_ORDER = "x-order"
"""The schema keyword a row travels under."""
X_SHORTHAND = "x-shorthand"
"""The schema keyword of an object that may be written as the value of one of its own keys."""
X_KEYED_BY = "x-keyed-by"
"""The schema keyword of a list whose entries are told apart by one of their keys."""


ANY = "any"
"""What an absent set of allowed things may stand for: every one."""


class Kind(StrEnum):
    """How two values of a leaf compare."""

    MAX_LIMIT = "max-limit"
    """Lower tightens; absent is no limit unless the row says otherwise."""
    MIN_LIMIT = "min-limit"
    """Higher tightens; absent is no limit unless the row says otherwise."""
    SUBSET_OF = "subset-of"
    """A set of allowed things: fewer tightens."""
    SUPERSET_OF = "superset-of"
    """A set of required things: more tightens; a word such as `exact` only equals itself."""
    CHAIN = "chain"
    """Named levels from strict to loose: toward the strict end tightens.

    A level such as `similar()` carries a share, `similar(0.9)`: a higher one is stricter.
    """
    ADDITIONS = "additions"
    """A list of accepted things: more loosens, and whatever else happens is incomparable."""
    RECORD = "record"
    """No verdict reads it."""
    OPAQUE = "opaque"
    """Any change is incomparable."""
    ROOT = "root"
    """Part of the trust root: any change needs the platform owners' quorum."""
    VERSION = "version"
    """Counts the document's states; judged by admission, never by strictness."""


class Reader(StrEnum):
    """Who reads a leaf, and so where a witness of its loosening is found."""

    RUN = "run"
    RELEASE = "release"
    ROUTE = "route"
    FLAG = "flag"
    WAIVER = "waiver"
    GUARD = "guard"
    ADMISSION = "admission"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Row:
    """What one leaf declares about its order. The rule id is stable and never reused."""

    rule: str
    kind: Kind
    reader: Reader
    why: str
    """One sentence: what the leaf decides."""
    absent: str | None = None
    """What absence stands for, as text (of a set: a JSON list, or `ANY`).

    None: no limit, nothing required, or, of a set of allowed things, that it must be written.
    """
    absent_same_as: str = ""
    """JSON pointer of the leaf whose value stands in for an absent entry of a map."""
    joined_with: str = ""
    """JSON pointer of the set that every set under this map also holds."""
    unread_beside: tuple[str, ...] = ()
    """Levels of the object's shorthand key under which nothing reads this leaf."""
    chain: tuple[str, ...] = ()
    """For a chain: the levels, strict first."""
    source: str = ""
    """The text that asks for the rule; empty where this project does."""
    example: object = field(default=None, compare=False, repr=False)
    """What an editor offers to write; it stands beside the row in the schema, not in it."""

    def __hash__(self) -> int:
        """Tell rows apart by the rule, which alone nearly always does."""
        return hash(self.rule)

    def as_json(self) -> dict[str, object]:
        """Write the row as the schema keyword holds it, leaving out what is empty."""
        fields: dict[str, object] = {
            "rule": self.rule, "kind": str(self.kind), "reader": str(self.reader), "why": self.why,
        }  # fmt: skip
        if self.absent is not None:
            fields["absent"] = self.absent
        for name in ("absent_same_as", "joined_with", "source"):
            if text := getattr(self, name):
                fields[name] = text
        for name in ("unread_beside", "chain"):
            if levels := getattr(self, name):
                fields[name] = list(levels)
        return fields

    @classmethod
    def from_json(cls, fields: Mapping[str, object]) -> Self:
        """Read a row back from the schema keyword."""
        absent = fields.get("absent")
        return cls(
            rule=str(fields["rule"]),
            kind=Kind(str(fields["kind"])),
            reader=Reader(str(fields["reader"])),
            why=str(fields["why"]),
            absent=None if absent is None else str(absent),
            absent_same_as=str(fields.get("absent_same_as", "")),
            joined_with=str(fields.get("joined_with", "")),
            unread_beside=_texts(fields.get("unread_beside", ())),
            chain=_texts(fields.get("chain", ())),
            source=str(fields.get("source", "")),
        )

    def __get_pydantic_json_schema__(
        self, core_schema: object, handler: Callable[[object], dict[str, object]]
    ) -> dict[str, object]:
        """Put the row into the generated schema of the leaf it stands next to."""
        schema = handler(core_schema)
        schema["description"] = self.why
        if self.example is not None:
            schema["examples"] = [self.example]
        schema[X_ORDER] = self.as_json()
        return schema


def _texts(values: object) -> tuple[str, ...]:
    """Read a list of texts."""
    assert isinstance(values, (list, tuple))
    return tuple(str(value) for value in values)
