"""What is said of a change: its findings, the class of each document, the class of the whole."""

from collections.abc import Iterable
from enum import StrEnum

from agentpolicy.base.errors import Problem
from agentpolicy.base.source import Position
from agentpolicy.base.values import dataclass, field
from agentpolicy.documents.document import Document
from agentpolicy.documents.rows import Reader, Row
from agentpolicy.order.compare import Strictness

ChangeClass = Strictness
"""The class of a change is the strictness of everything in it taken together."""


class Effect(StrEnum):
    """What one finding does. A severity is derived from it, never set by hand."""

    TIGHTER = "tighter"
    LOOSER = "looser"
    INCOMPARABLE = "incomparable"
    NEUTRAL = "neutral"
    RECORD = "record"
    """A leaf changed that no verdict reads."""
    ROOT = "root"
    """Part of the trust root changed; weighs as incomparable and needs its own quorum."""
    UNKNOWN = "unknown"


class Operation(StrEnum):
    """What happened to a document. A rename is a deletion and an addition."""

    ADD = "add"
    MODIFY = "modify"
    DELETE = "delete"
    CLOSE = "close"
    """A waiver moved to `waivers/closed/<year>/`, byte for byte."""
    RATIFY = "ratify"
    """Nothing happened, and it is approved anew: it stood on a key that is compromised."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One difference that was found, which way it goes, and why."""

    rule: str
    """Stable id, never reused: the leaf's, or `document/…`, `waiver/…`, `guarded/…`."""
    effect: Effect
    document: str
    pointer: str
    """JSON pointer of the leaf; empty when the finding is about the whole document."""
    old: str | None
    """The old value's canonical text; None where it was absent."""
    new: str | None
    location: Position | None
    """On the new side, or on the old side where nothing is left on the new one."""
    old_location: Position | None
    why: str
    """One sentence that gives the direction in words."""
    row: Row | None = field(default=None, repr=False)
    """The order row of the leaf; None where no single leaf is meant."""

    @property
    def reader(self) -> Reader:
        """Say who reads what changed; findings without a leaf concern admission."""
        return self.row.reader if self.row else Reader.ADMISSION


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """One document, or guarded file, whose bytes are not the same on both sides."""

    path: str
    """Of a closed waiver: where it stood while it was open."""
    operation: Operation
    change_class: ChangeClass
    """Depends on this document alone."""
    old: Document | None
    """None where it was absent or unreadable, and for guarded files."""
    new: Document | None
    old_sha256: str | None
    """None where there was no such file."""
    new_sha256: str | None
    """Of a closed waiver the same as the old one."""
    findings: tuple[Finding, ...]
    fields: int = 0
    """How many leaves were compared, in whatever direction they went."""

    @property
    def old_version(self) -> int:
        """Give the version number before; 0 where there was no readable document."""
        return self.old.version if self.old else 0

    @property
    def new_version(self) -> int:
        """Give the version number after; 0 where there is no readable document."""
        return self.new.version if self.new else 0


@dataclass(frozen=True, slots=True)
class ChangeReport:
    """What a whole snapshot's change amounts to."""

    change_class: ChangeClass
    documents: tuple[DocumentChange, ...]
    """The changed ones, by path."""
    compared: int
    """How many documents and guarded files there are on either side, changed or not."""
    problems: tuple[Problem, ...] = ()
    """What no approval can allow on the new side."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Give all findings, by document and pointer."""
        return tuple(finding for change in self.documents for finding in change.findings)


def combine(effects: Iterable[Effect]) -> ChangeClass:
    """Derive the class of a change from the effects in it; none at all is neutral.

    Looser and tighter together are incomparable: what one gives, the other does not take back.
    """
    present = set(effects) - {Effect.NEUTRAL, Effect.RECORD}
    if Effect.UNKNOWN in present:
        return ChangeClass.UNKNOWN
    if not present:
        return ChangeClass.NEUTRAL
    if present == {Effect.TIGHTER}:
        return ChangeClass.TIGHTER
    return ChangeClass.LOOSER if present == {Effect.LOOSER} else ChangeClass.INCOMPARABLE
