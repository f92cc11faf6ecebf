"""The order row of a leaf: which direction tightens, who reads it, what absence means.

A row stands next to the type it orders (in `documents.models`), travels in the generated JSON
Schema as `x-order`, and is all that `order` needs to compare two documents.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

X_ORDER = "x-order"
"""The schema keyword a row travels under."""


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
    """Named levels from strict to loose: toward the strict end tightens."""
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
    """The value that absence stands for, as text; None: no limit, empty set, or required."""
    absent_same_as: str = ""
    """JSON pointer of the leaf whose value stands in for an absent entry of a map."""
    chain: tuple[str, ...] = ()
    """For a chain: the levels, strict first."""
    source: str = ""
    """Where the rule comes from."""

    def as_json(self) -> dict[str, object]:
        """Write the row as the schema keyword holds it, leaving out what is empty."""
        fields: dict[str, object] = {
            "rule": self.rule, "kind": str(self.kind), "reader": str(self.reader), "why": self.why,
        }  # fmt: skip
        if self.absent is not None:
            fields["absent"] = self.absent
        if self.absent_same_as:
            fields["absent_same_as"] = self.absent_same_as
        if self.chain:
            fields["chain"] = list(self.chain)
        if self.source:
            fields["source"] = self.source
        return fields

    @classmethod
    def from_json(cls, fields: Mapping[str, object]) -> Self:
        """Read a row back from the schema keyword."""
        chain = fields.get("chain", ())
        assert isinstance(chain, (list, tuple))
        absent = fields.get("absent")
        return cls(
            rule=str(fields["rule"]),
            kind=Kind(str(fields["kind"])),
            reader=Reader(str(fields["reader"])),
            why=str(fields["why"]),
            absent=None if absent is None else str(absent),
            absent_same_as=str(fields.get("absent_same_as", "")),
            chain=tuple(str(level) for level in chain),
            source=str(fields.get("source", "")),
        )

    def __get_pydantic_json_schema__(
        self, core_schema: object, handler: Callable[[object], dict[str, object]]
    ) -> dict[str, object]:
        """Put the row into the generated schema of the leaf it stands next to."""
        schema = handler(core_schema)
        schema["description"] = self.why
        schema[X_ORDER] = self.as_json()
        return schema
