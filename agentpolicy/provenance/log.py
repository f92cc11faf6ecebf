"""What is known of the log: its commits as read, and its records once they are verified."""

from collections.abc import Mapping

from agentpolicy.base.errors import Problem
from agentpolicy.base.instant import Instant, parse_instant
from agentpolicy.base.values import dataclass, field
from agentpolicy.provenance.records import Record, WriterTip
from agentpolicy.provenance.verdict import VerdictStatement
from agentpolicy.runs.truth import Truth, negation

TAMPERED = "tampered"
FOREIGN = "log-foreign"
GATE_UNKNOWN = "log-gate-unknown"
"""The one doubt that is about a signer's role, not about what the log holds."""


@dataclass(frozen=True, slots=True)
class LogCommit:
    """What one commit on the log branch holds, as read; nothing about it is verified."""

    oid: str
    files: Mapping[str, bytes] | None = field(repr=False)
    """The plain files at its top by name; None where they could not be read."""
    policy_tree: str | None = None
    """Id of the tree it holds as `policy/`."""
    problem: Problem | None = None
    """Why it could not be read."""


@dataclass(frozen=True, slots=True)
class LoggedRecord:
    """A verified record, where it stands, and whose it is."""

    record: Record
    commit: str
    """The log commit that holds it."""
    position: int
    """Its place among the log's verified records, from 1."""
    person: str
    key: str
    """Fingerprint of the key that signed it."""
    by_gate: Truth
    """Whether the person held the role `gate`; None where that cannot be told."""
    verdict: VerdictStatement | None = None
    """What it states, where it is a verdict."""

    @property
    def dated(self) -> Instant | None:
        """The instant it says it was made at; None where its kind says none."""
        if self.verdict is not None:
            return self.verdict.evaluated_at
        written = self.record.statement.get("opened_at")
        try:
            return parse_instant(written) if isinstance(written, str) else None
        except ValueError:
            return None

    @property
    def self_judged(self) -> Truth:
        """Whether it is a verdict by somebody who judged without holding the role `gate`."""
        return False if self.verdict is None else negation(self.by_gate)


@dataclass(frozen=True, slots=True)
class VerifiedLog:
    """Everything that is known about a log after reading it from the start."""

    records: tuple[LoggedRecord, ...] = ()
    segments: int = 0
    state: str | None = None
    """Digest of the state the log is in; None while it is empty."""
    state_known: bool = True
    """False where commits before the last verified one could not be read."""
    writers: Mapping[str, WriterTip] = field(default_factory=dict)
    tampered: tuple[Problem, ...] = ()
    unknown: tuple[Problem, ...] = ()
    foreign: tuple[Problem, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether nothing is missing from `records`, as far as the log itself can show."""
        return not self.tampered and not self.unknown
