"""Records of the verdict log, and the segments they are signed in.

A record names its writer's previous record by sha256, so that none of a writer's records can be
taken out or changed unseen. A line is the canonical JSON of one record.
"""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum

from agentpolicy.base.canonical import canonical_bytes, digest
from agentpolicy.base.values import dataclass
from agentpolicy.provenance.json_fields import int_at, object_at, optional_text_at, require
from agentpolicy.trust.canonical_json import only_keys, read_canonical, text_at
from agentpolicy.trust.keys import PublicKey

MOST_RECORDS = 1000
MOST_BYTES = 1 << 20
"""A segment holds at most so many records and bytes."""

_WRITER = re.compile(r"SHA256:[A-Za-z0-9+/]{43}:[0-9a-f]{16,64}")
_TOKEN = re.compile(r"[0-9a-f]{16,64}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class RecordKind(StrEnum):
    """What a record says. Any other word makes answers unknown; it is never skipped."""

    OPENED = "opened"
    """A judgement begins; its verdict must follow."""
    VERDICT = "verdict"
    ANNOTATION = "annotation"
    """A correction: names a statement by its sha256."""
    PRUNE = "prune"
    """Evidence was removed, under a rule."""
    CHECKPOINT = "checkpoint"


@dataclass(frozen=True, slots=True)
class Draft:
    """A record to be: what to say, before it has its place in the log."""

    kind: RecordKind
    statement: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Record:
    """One record, in its place among its writer's records."""

    writer: str
    """The key's fingerprint and a random id of one run, so that parallel jobs never collide."""
    seq: int
    """1 for the writer's first record, then counted on by one."""
    prev: str | None
    """Digest of the writer's previous record; None for its first."""
    kind: str
    """One of `RecordKind`, or a word this version does not know."""
    statement: Mapping[str, object]

    def to_bytes(self) -> bytes:
        """Write the record as its line, without the line break."""
        return canonical_bytes(
            {
                "writer": self.writer,
                "seq": self.seq,
                "prev": self.prev,
                "kind": str(self.kind),
                "statement": self.statement,
            }
        )

    @property
    def digest(self) -> str:
        """What the writer's next record names as `prev`."""
        return digest(self.to_bytes())


@dataclass(frozen=True, slots=True)
class WriterTip:
    """Where a writer's records end."""

    seq: int
    digest: str | None


NO_RECORDS = WriterTip(0, None)
"""Of a writer that has written nothing yet."""


def writer_name(key: PublicKey, token: str) -> str:
    """Name a writer: its key, and a random id (16 to 64 hex digits) that the caller drew.

    Raises:
        ValueError: the id is not of that form.
    """
    require(_TOKEN.fullmatch(token), f"{token!r} is no random id of 16 to 64 hex digits")
    return f"{key.fingerprint}:{token}"


def wrote(writer: str, key: PublicKey) -> bool:
    """Say whether a writer's name is one that this key may write under."""
    return writer.rpartition(":")[0] == key.fingerprint


def numbered(drafts: Iterable[Draft], writer: str, tip: WriterTip) -> tuple[Record, ...]:
    """Give drafts their places after the writer's last record."""
    records: list[Record] = []
    seq, prev = tip.seq, tip.digest
    for draft in drafts:
        seq += 1
        record = Record(writer, seq, prev, draft.kind, draft.statement)
        prev = record.digest
        records.append(record)
    return tuple(records)


def segment_bytes(records: Iterable[Record]) -> bytes:
    """Write records as a segment.

    Raises:
        ValueError: there are none, or too many, or too large ones.
    """
    lines = [record.to_bytes() for record in records]
    data = b"".join(line + b"\n" for line in lines)
    _require_size(len(lines), len(data))
    return data


def parse_segment(data: bytes) -> tuple[Record, ...]:
    """Read the records of a segment in exactly the spelling `segment_bytes` gives them.

    Kinds are not judged here.

    Raises:
        ValueError: anything else, with the number of the line.
    """
    *lines, rest = data.split(b"\n")
    require(not rest, "a segment ends with a line break")
    _require_size(len(lines), len(data))
    return tuple(_record(number, line) for number, line in enumerate(lines, start=1))


def _record(number: int, line: bytes) -> Record:
    try:
        fields = read_canonical(line)
        only_keys(fields, {"writer", "seq", "prev", "kind", "statement"}, set())
        record = Record(
            writer=text_at(fields, "writer"),
            seq=int_at(fields, "seq"),
            prev=optional_text_at(fields, "prev"),
            kind=text_at(fields, "kind"),
            statement=object_at(fields, "statement"),
        )
        require(_WRITER.fullmatch(record.writer), f"{record.writer!r} is no writer")
        named = record.prev is None or _DIGEST.fullmatch(record.prev)
        require(named, f"{record.prev!r} is no digest")
        require(record.seq > 0, f"{record.seq} is no place among a writer's records")
    except ValueError as error:
        raise ValueError(f"record {number}: {error}") from error
    return record


def _require_size(records: int, size: int) -> None:
    require(records, "a segment holds at least one record")
    require(records <= MOST_RECORDS, f"a segment holds at most {MOST_RECORDS:,} records")
    require(size <= MOST_BYTES, f"a segment holds at most {MOST_BYTES:,} bytes")
