"""Asking for verdicts, and what other decisions may rely on."""

import pytest
from agentpolicy.base.canonical import digest
from agentpolicy.base.instant import DAY, Instant
from agentpolicy.gate.decision import Decision
from agentpolicy.provenance.chain import LogVerifier
from agentpolicy.provenance.log import LogCommit, VerifiedLog
from agentpolicy.provenance.query import Wanted, query
from agentpolicy.provenance.reliance import TOLERANCE, gate_signed_verdicts, newest_instant
from agentpolicy.provenance.segment import ENVELOPE_FILE, open_segment
from agentpolicy.provenance.verdict import VerdictStatement
from hypothesis import given
from hypothesis import strategies as st
from tests.verdict_log import NOON, Pen, authority, drafted, verdict

FAILED = verdict(subject=digest(b"artefact"))
PASSED = verdict(Decision.PASS, agent="scheduler", commit="c" * 40)


def log_of(*entries: tuple[str, VerdictStatement]) -> VerifiedLog:
    """Verify a log of verdicts, each signed by somebody."""
    verifier = LogVerifier(authority())
    pens = {who: Pen(who) for who, _ in entries}
    state = None
    for who, statement in entries:
        commit: LogCommit = pens[who].write(state, *drafted(statement))
        verifier.take(commit)
        state = open_segment((commit.files or {})[ENVELOPE_FILE])[0].state
    log = verifier.result()
    assert log.complete
    return log


LOG = log_of(("ci", FAILED), ("alice", PASSED))


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (Wanted(), [FAILED, PASSED]),
        (Wanted(commit="a" * 40), [FAILED]),
        (Wanted(commit="cccc"), [PASSED]),
        (Wanted(commit="d"), []),
        (Wanted(decision="pass"), [PASSED]),
        (Wanted(agent="refund-agent"), [FAILED]),
        (Wanted(subject=digest(b"artefact")), [FAILED]),
        (Wanted(verdict=PASSED.digest), [PASSED]),
        (Wanted(verdict=PASSED.digest.removeprefix("sha256:")[:12]), [PASSED]),
        (Wanted(agent="scheduler", decision="fail"), []),
    ],
)
def test_a_query_finds_exactly_what_fits(wanted: Wanted, found: list[VerdictStatement]) -> None:
    answer = query(LOG, wanted)
    assert [one.verdict for one in answer.verdicts] == [one.digest for one in found]
    assert answer.complete


def test_only_the_gates_verdicts_in_force_can_be_relied_on() -> None:
    late = verdict(state="superseded")
    log = log_of(("ci", FAILED), ("alice", PASSED), ("ci", late))
    assert gate_signed_verdicts(log.records) == {FAILED.digest}


def test_the_newest_instant_is_the_gates() -> None:
    log = log_of(("ci", FAILED), ("alice", verdict(at=Instant(NOON + DAY))))
    assert newest_instant(log.records) == NOON
    assert newest_instant(log_of(("alice", FAILED)).records) is None
    assert newest_instant(()) is None


def test_somebody_else_cannot_set_the_clock_back() -> None:
    log = log_of(("ci", FAILED), ("alice", verdict(at=Instant(NOON - 400 * DAY))))
    assert newest_instant(log.records) == NOON


def test_a_record_dated_far_after_a_later_one_does_not_set_the_clock() -> None:
    far = verdict(at=Instant(NOON + 73 * 365 * DAY))
    assert newest_instant(log_of(("ci", far), ("ci", FAILED)).records) == NOON


@given(st.integers(0, 2 * TOLERANCE))
def test_clocks_may_differ_by_the_tolerance_and_no_more(ahead: int) -> None:
    log = log_of(("ci", verdict(at=Instant(NOON + ahead))), ("ci", FAILED))
    assert newest_instant(log.records) == (NOON + ahead if ahead <= TOLERANCE else NOON)
