"""Verifies the log, commit by commit: what is verified, what is foreign, what was tampered with.

* *verified*: signed with a key that counts at this position, and continuing the log's state.
* *foreign*: says nothing that anybody listed vouches for here. Listed, skipped, never part of an
  answer, so that one junk commit cannot poison the log.
* *tampered*: a verified record changed or vanished.
* *unknown*: cannot be told: an object is missing, or a kind of record is not known.

Positions decide, never dates. What a commit says is looked at only after its signature held.
The state goes on with every segment that continues it, whoever signed it, so that all readers
agree on it, however much of the trust root's history they know.
"""

from agentpolicy.base.canonical import canonical_bytes, digest
from agentpolicy.base.errors import Problem
from agentpolicy.provenance.log import (
    FOREIGN,
    GATE_UNKNOWN,
    TAMPERED,
    LogCommit,
    LoggedRecord,
    VerifiedLog,
)
from agentpolicy.provenance.records import (
    NO_RECORDS,
    Record,
    RecordKind,
    WriterTip,
    parse_segment,
    wrote,
)
from agentpolicy.provenance.segment import (
    ENVELOPE_FILE,
    SEGMENT_FILE,
    SegmentStatement,
    open_segment,
)
from agentpolicy.provenance.signers import Signers
from agentpolicy.provenance.verdict import VerdictStatement, parse_verdict
from agentpolicy.trust.authority import Authority
from agentpolicy.trust.keys import PublicKey

_KINDS = frozenset(RecordKind)


class LogVerifier:
    """Takes the commits of the log's first-parent chain, oldest first, one at a time."""

    def __init__(self, authority: Authority) -> None:
        """Begin before the first commit, with the trust root that says whose key is whose."""
        self._authority = authority
        self._signers = Signers(authority)
        self._state: str | None = None
        self._sure = True
        """Whether the state is known: nothing unreadable stands between it and the next commit."""
        self._passed: set[str | None] = {None}
        """Every state the log has been in."""
        self._gaps = False
        """Whether records may be missing for a reason that is already told."""
        self._writers: dict[str, WriterTip] = {}
        self._records: list[LoggedRecord] = []
        self._segments = 0
        self._tampered: list[Problem] = []
        self._unknown: list[Problem] = []
        self._foreign: list[Problem] = []

    def result(self) -> VerifiedLog:
        """Give what is known so far."""
        return VerifiedLog(
            tuple(self._records),
            self._segments,
            self._state,
            self._sure,
            dict(self._writers),
            tuple(self._tampered),
            tuple(self._unknown),
            tuple(self._foreign),
        )

    def take(self, commit: LogCommit) -> None:
        """Verify the next commit of the chain."""
        opened = self._open(commit)
        if opened is None:
            return
        statement, key = opened
        person = self._signers.person_of(key)
        if person is None:
            self._pass_by(commit, statement, key)
            return
        if not self._placed(commit, statement):
            return
        self._advance(statement)
        self._segments += 1
        altered = _altered(commit, statement)
        if altered:
            self._alarm(commit, altered)
            self._gaps = True
        else:
            self._read(commit, person, key)

    def miss(self, oid: str) -> None:
        """Say that a commit which this repository once had in its log is not in it any more."""
        words = f"commit {oid} was in the log and is not any more"
        if self._gaps:
            self._unknown.append(Problem("log-cut", f"{words}, or cannot be seen here", _FETCH))
        else:
            self._tampered.append(
                Problem(TAMPERED, f"the log was rewritten: {words}", f"git log {oid}")
            )

    def take_aside(self, commit: LogCommit) -> None:
        """Look at a commit that a merge put beside the chain, once the chain was taken.

        The log is never merged, so a listed signer's segment that stands only there was moved out
        of the log's order, and so out of every answer.
        """
        opened = self._open(commit)
        if opened is None:
            return
        statement, key = opened
        if self._authority.listed_person_of(key) is None or statement.state in self._passed:
            self._skip(commit, "it stands beside the log")
        else:
            self._alarm(commit, "a merge moved it out of the log")

    def _pass_by(self, commit: LogCommit, statement: SegmentStatement, key: PublicKey) -> None:
        """Skip a stranger's segment.

        The state goes on with it where it holds nothing but the stranger's own records: to
        somebody who knows more of the trust root it may be no stranger's. Where it holds others'
        records, they were signed anew to hide them, and what continues them raises the alarm.
        """
        continues = self._sure and statement.extends == self._state
        if continues and not _altered(commit, statement) and _own(commit, key):
            self._advance(statement)
        person = self._authority.listed_person_of(key)
        if person is None:
            self._skip(commit, f"the key {key.fingerprint} that signed it was never listed")
        else:
            why = f"the key {key.fingerprint} of {person} does not count at this place of the log"
            self._skip(commit, why)

    def _placed(self, commit: LogCommit, statement: SegmentStatement) -> bool:
        """Say whether a segment continues the log; tell what is wrong where it should and does not.

        What was signed for a state the log has left is an old segment put here again. What was
        signed for a state that never was here shows that something before it is gone.
        """
        if self._sure and statement.extends == self._state:
            return True
        if statement.extends in self._passed - {self._state}:
            self._skip(commit, "it was signed for an earlier state of the log")
            return False
        words = (
            "it continues a log state that is not here: an earlier record was changed or removed"
        )
        if self._sure and not self._gaps:
            self._alarm(commit, words)
        elif self._sure:
            self._doubt(commit, "log-gap", words, _FETCH)
        self._gaps = True
        return True

    def _open(self, commit: LogCommit) -> tuple[SegmentStatement, PublicKey] | None:
        """Give what a commit's signature states, if there is one for this repository's log."""
        if commit.files is None:
            self._sure, self._gaps = False, True
            if commit.problem is not None:
                self._unknown.append(commit.problem)
            return None
        if ENVELOPE_FILE not in commit.files:
            self._skip(commit, f"it holds no {ENVELOPE_FILE}")
            return None
        try:
            statement, key = open_segment(commit.files[ENVELOPE_FILE])
        except ValueError as error:
            self._skip(commit, str(error))
            return None
        if statement.repository != self._authority.repository:
            self._skip(commit, "it is of another repository's log")
            return None
        return statement, key

    def _advance(self, statement: SegmentStatement) -> None:
        self._state = statement.state
        self._passed |= {statement.extends, statement.state}
        self._sure = True

    def _read(self, commit: LogCommit, person: str, key: PublicKey) -> None:
        """Take the records of a segment that verified."""
        assert commit.files is not None
        try:
            records = parse_segment(commit.files[SEGMENT_FILE])
        except ValueError as error:
            self._doubt(commit, "log-segment-unreadable", str(error), _UPGRADE)
            self._gaps = True
            return
        for record in records:
            if not wrote(record.writer, key):
                self._alarm(commit, f"{person} signed a record of the writer {record.writer}")
                continue
            if self._follows(record):
                self._keep(commit, record, person, key)
            else:
                words = f"record {record.seq} does not follow the last one of {record.writer}"
                self._alarm(commit, words)
            self._writers[record.writer] = WriterTip(record.seq, record.digest)

    def _keep(self, commit: LogCommit, record: Record, person: str, key: PublicKey) -> None:
        verdict = self._verdict(commit, record)
        named = verdict.policy.commit if verdict else None
        by_gate = self._signers.by_gate(key, named)
        self._signers.show(named)
        if verdict and by_gate is None:
            words = f"whether {person} held the role gate under policy commit {named} is not known"
            self._doubt(commit, GATE_UNKNOWN, words, _POLICY)
        self._records.append(
            LoggedRecord(
                record=record,
                commit=commit.oid,
                position=len(self._records) + 1,
                person=person,
                key=key.fingerprint,
                by_gate=by_gate,
                verdict=verdict,
            )
        )

    def _follows(self, record: Record) -> bool:
        """Say whether a record continues its writer's records, as far as they could be read."""
        tip = self._writers.get(record.writer, NO_RECORDS)
        if (record.seq, record.prev) == (tip.seq + 1, tip.digest):
            return True
        return self._gaps and record.seq > tip.seq + 1

    def _verdict(self, commit: LogCommit, record: Record) -> VerdictStatement | None:
        """Read what a record states; what is not understood makes answers unknown."""
        if record.kind != RecordKind.VERDICT:
            if record.kind not in _KINDS:
                words = f"this version does not know records of kind {record.kind!r}"
                self._doubt(commit, "log-kind-unknown", words, _UPGRADE)
            return None
        try:
            verdict = parse_verdict(canonical_bytes(record.statement))
        except ValueError as error:
            self._doubt(commit, "log-statement-unreadable", str(error), _UPGRADE)
            return None
        if verdict.policy.repository != self._authority.repository:
            words = "it holds a verdict about another repository's policy"
            self._doubt(commit, "log-statement-foreign", words, _WHO)
            return None
        if verdict.policy.tree != commit.policy_tree:
            self._alarm(commit, "the policy/ it holds is not the one its verdict names")
        return verdict

    def _skip(self, commit: LogCommit, why: str) -> None:
        hint = f"git show {commit.oid}"
        self._foreign.append(Problem(FOREIGN, f"log commit {commit.oid} is skipped: {why}", hint))

    def _doubt(self, commit: LogCommit, code: str, why: str, hint: str) -> None:
        self._unknown.append(
            Problem(code, f"log commit {commit.oid} is not understood: {why}", hint)
        )

    def _alarm(self, commit: LogCommit, why: str) -> None:
        self._tampered.append(
            Problem(TAMPERED, f"the log was tampered with at commit {commit.oid}: {why}", _WHO)
        )


_UPGRADE = "a newer agentpolicy may read it; upgrade, then ask again"
_WHO = "git log --first-parent --format=fuller refs/heads/agentpolicy/log"
_FETCH = "git fetch --unshallow, then ask again"
_POLICY = "fetch the branch that holds this policy commit, then ask again"


def _altered(commit: LogCommit, statement: SegmentStatement) -> str:
    """Say how the files of a commit differ from what its signature states; empty: not at all."""
    assert commit.files is not None
    held = {name: digest(data) for name, data in commit.files.items() if name != ENVELOPE_FILE}
    for name in sorted(held.keys() | statement.files.keys()):
        if held.get(name) != statement.files.get(name):
            return f"its {name} is not what was signed"
    return ""


def _own(commit: LogCommit, key: PublicKey) -> bool:
    """Say whether every record of a segment is written under the name of the key that signed it."""
    assert commit.files is not None
    try:
        records = parse_segment(commit.files[SEGMENT_FILE])
    except ValueError:
        return False
    return all(wrote(record.writer, key) for record in records)
