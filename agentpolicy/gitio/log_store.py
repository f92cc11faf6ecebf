"""Appends to the verdict log: a branch of its own, which only ever grows.

It is a branch because git guards branches: servers can refuse to rewrite or delete them, and a
clone brings them along. A log commit holds the segment, its signature, the policies tree itself
(so that it outlives squashing and garbage collection) and the raw policy commit.
"""

import hashlib
import time
from collections.abc import Mapping

from agentpolicy.base.canonical import digest
from agentpolicy.base.errors import Problem, UndecidedError
from agentpolicy.base.instant import Instant
from agentpolicy.base.values import dataclass, field
from agentpolicy.gitio.log_reader import RECORDED_REF, LogReader
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.raw import TREE, Entry
from agentpolicy.gitio.refs import LOG_REF, update_ref
from agentpolicy.gitio.repository import Repository
from agentpolicy.gitio.write import write_blob, write_commit, write_tree
from agentpolicy.provenance.log import VerifiedLog
from agentpolicy.provenance.records import (
    NO_RECORDS,
    Draft,
    Record,
    numbered,
    segment_bytes,
    writer_name,
)
from agentpolicy.provenance.segment import (
    ENVELOPE_FILE,
    POLICY_FOLDER,
    SEGMENT_FILE,
    SegmentStatement,
    seal_segment,
)
from agentpolicy.trust.authority import Authority
from agentpolicy.trust.envelope import Signer

TRIES = 200
"""How often an append begins anew because somebody else was first."""
_PAUSE_SECONDS = 0.01
_LONGEST_PAUSE_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Addition:
    """What one append puts into the log."""

    drafts: tuple[Draft, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Files that are signed along with the segment, by name."""
    policy_tree: str | None = None
    """Id of the `policies` tree that the drafts rest on."""


@dataclass(frozen=True, slots=True)
class Writer:
    """Who appends: a key, and the random id of one run, so that parallel jobs never collide."""

    signer: Signer
    token: str
    """16 to 64 hex digits that the caller drew."""

    @property
    def name(self) -> str:
        """What the writer's records name."""
        return writer_name(self.signer.public_key, self.token)


@dataclass(frozen=True, slots=True)
class Appended:
    """What stands in the log now."""

    commit: str
    state: str
    """Digest of the state the log is in with it."""
    records: tuple[Record, ...]


def read_log(repository: Repository, authority: Authority) -> VerifiedLog | None:
    """Verify the whole log as it stands here; None where there never was one.

    Cost: one signature check a log commit.

    Raises:
        UndecidedError: git cannot read its refs, or the log was merged beyond recognition.
    """
    with Objects(repository) as objects:
        reader = LogReader(repository, objects, authority)
        log = reader.read()
        return None if reader.tip is None and reader.recorded is None else log


def append(
    repository: Repository, writer: Writer, authority: Authority, addition: Addition, at: Instant
) -> Appended:
    """Put records at the end of the log, signed; begun anew while others are quicker.

    `at` is only the date git shows. Cost: as for `read_log`, since what is signed names the state
    of the log; each further try reads only what was added meanwhile.

    Raises:
        InputError: the signer cannot sign.
        UndecidedError: nothing was recorded: the log was tampered with, cannot be read to its
            start, or others were always quicker.
    """
    work = _Appending(repository, writer, authority.repository, addition, at)
    with Objects(repository) as objects:
        reader = LogReader(repository, objects, authority)
        for attempt in range(TRIES):
            log = reader.read()
            _require_appendable(log)
            appended = work.upon(log, reader.tip)
            if update_ref(repository, LOG_REF, appended.commit, reader.tip):
                _remember(repository, appended.commit, reader.recorded)
                return appended
            time.sleep(_pause(attempt, writer.name))
    raise UndecidedError(
        Problem(
            "log-append-lost",
            f"nothing was recorded: others were quicker {TRIES} times in a row",
            "run the same command again",
        )
    )


class _Appending:
    """Makes the log commit; what stays the same from try to try is stored once."""

    def __init__(
        self,
        repository: Repository,
        writer: Writer,
        repository_id: str,
        addition: Addition,
        at: Instant,
    ) -> None:
        self._repository = repository
        self._writer = writer
        self._repository_id = repository_id
        self._addition = addition
        self._at = at
        self._entries = [self._file(name, data) for name, data in addition.files.items()]
        if addition.policy_tree is not None:
            self._entries.append(Entry(TREE, POLICY_FOLDER, addition.policy_tree))

    def upon(self, log: VerifiedLog, tip: str | None) -> Appended:
        """Make a commit that continues the log; it is in the log only once the ref moves to it."""
        writer = self._writer
        last = log.writers.get(writer.name, NO_RECORDS)
        records = numbered(self._addition.drafts, writer.name, last)
        segment = segment_bytes(records)
        files = {SEGMENT_FILE: segment, **self._addition.files}
        digests = {name: digest(data) for name, data in files.items()}
        statement = SegmentStatement(self._repository_id, digests, log.state)
        envelope = seal_segment(statement, writer.signer)
        added = [self._file(SEGMENT_FILE, segment), self._file(ENVELOPE_FILE, envelope)]
        tree = write_tree(self._repository, [*self._entries, *added])
        parents = [] if tip is None else [tip]
        message = f"log: {records[0].kind}, record {records[0].digest}"
        commit = write_commit(self._repository, tree, parents, message, self._at)
        return Appended(commit, statement.state, records)

    def _file(self, name: str, data: bytes) -> Entry:
        return Entry("100644", name, write_blob(self._repository, data))


def _require_appendable(log: VerifiedLog) -> None:
    """Refuse to build on a log whose state is not certain: what is added might never count."""
    if log.tampered:
        raise UndecidedError(*log.tampered)
    if not log.state_known:
        raise UndecidedError(*log.unknown)


def _remember(repository: Repository, commit: str, recorded: str | None) -> None:
    """Note where the log ends, unless another append here already noted a later end."""
    try:
        update_ref(repository, RECORDED_REF, commit, recorded)
    except UndecidedError:
        return  # the record stands in the log, which is what was asked; only the memory is older


def _pause(attempt: int, writer: str) -> float:
    """Wait longer from try to try, and each writer differently, so that they fall out of step."""
    spread = hashlib.sha256(f"{writer} {attempt}".encode()).digest()[0] / 256
    return min(_PAUSE_SECONDS * (attempt + 1), _LONGEST_PAUSE_SECONDS) * (0.5 + spread)
