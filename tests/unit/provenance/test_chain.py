"""What counts as verified, foreign, tampered with and unknown, whoever wrote the commits."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from agentpolicy.base.errors import Problem
from agentpolicy.base.instant import DAY, Instant
from agentpolicy.gate.decision import Decision
from agentpolicy.provenance.chain import LogVerifier
from agentpolicy.provenance.log import FOREIGN, GATE_UNKNOWN, TAMPERED, LogCommit, VerifiedLog
from agentpolicy.provenance.records import (
    NO_RECORDS,
    Draft,
    RecordKind,
    WriterTip,
    numbered,
    parse_segment,
    segment_bytes,
)
from agentpolicy.provenance.segment import ENVELOPE_FILE, SEGMENT_FILE, next_state, open_segment
from agentpolicy.trust.authority import Authority
from hypothesis import given
from hypothesis import strategies as st
from tests.verdict_log import (
    NOON,
    Pen,
    authority,
    commit_at,
    drafted,
    history,
    signer_of,
    verdict,
)

TRUST = authority()
JUNK = LogCommit("f" * 40, {"README": b"hello"})


def verified(
    commits: Sequence[LogCommit], aside: Sequence[LogCommit] = (), *, trust: Authority = TRUST
) -> VerifiedLog:
    verifier = LogVerifier(trust)
    for commit in commits:
        verifier.take(commit)
    for commit in aside:
        verifier.take_aside(commit)
    return verifier.result()


def state_of(commit: LogCommit) -> str:
    assert commit.files is not None
    return open_segment(commit.files[ENVELOPE_FILE])[0].state


def written(count: int, *, pen: Pen | None = None, extends: str | None = None) -> list[LogCommit]:
    """Write segments, each upon the last."""
    pen = pen or Pen()
    commits: list[LogCommit] = []
    for _ in range(count):
        commits.append(pen.write(extends))
        extends = state_of(commits[-1])
    return commits


def with_file(commit: LogCommit, name: str, data: bytes) -> LogCommit:
    assert commit.files is not None
    return replace(commit, files={**commit.files, name: data})


LOG = written(4)


def test_an_honest_log_is_verified_to_its_last_record() -> None:
    log = verified(LOG)
    assert log.complete
    assert not log.foreign
    assert [logged.position for logged in log.records] == [1, 2, 3, 4]
    assert log.state == state_of(LOG[-1])
    assert log.segments == 4


def test_the_state_is_chained_by_sha256_over_the_segments() -> None:
    state = None
    for commit in LOG:
        assert commit.files is not None
        statement, _ = open_segment(commit.files[ENVELOPE_FILE])
        state = next_state(state, statement.files[SEGMENT_FILE])
    assert verified(LOG).state == state


def test_a_record_says_who_signed_it_and_whether_the_gate_did() -> None:
    by_ci = Pen().write(None)
    by_alice = Pen("alice").write(state_of(by_ci))
    first, second = verified([by_ci, by_alice]).records
    assert (first.person, first.by_gate, first.self_judged) == ("ci", True, False)
    assert (second.person, second.by_gate, second.self_judged) == ("alice", False, True)
    assert second.key == signer_of("alice").public_key.fingerprint


def test_a_record_that_is_no_verdict_is_not_self_judged() -> None:
    note = Draft(RecordKind.ANNOTATION, {"statement": "sha256:" + "0" * 64, "text": "typo"})
    log = verified([Pen("alice").write(None, note, tree=None)])
    assert log.complete
    assert not log.records[0].self_judged
    assert log.records[0].verdict is None


@given(cut=st.integers(0, 3), place=st.integers(0, 4), at=st.integers(0, 10**6))
def test_no_changed_byte_of_a_segment_goes_unseen(cut: int, place: int, at: int) -> None:
    segment = (LOG[cut].files or {})[SEGMENT_FILE]
    offset = at % len(segment)
    changed = segment[:offset] + bytes([segment[offset] ^ (1 << place)]) + segment[offset + 1 :]
    log = verified([*LOG[:cut], with_file(LOG[cut], SEGMENT_FILE, changed), *LOG[cut + 1 :]])
    assert [problem.code for problem in log.tampered] == [TAMPERED]
    assert len(log.records) == 3


@given(st.permutations(range(4)))
def test_no_order_but_the_written_one_is_taken_for_whole(order: list[int]) -> None:
    log = verified([LOG[place] for place in order])
    assert bool(log.tampered) == (order != [0, 1, 2, 3])


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_a_segment_taken_out_of_the_middle_is_tampering(gone: int) -> None:
    log = verified(LOG[:gone] + LOG[gone + 1 :])
    assert [problem.code for problem in log.tampered] == [TAMPERED]


def test_a_file_added_beside_what_was_signed_is_tampering() -> None:
    added = with_file(LOG[1], "policy.commit", b"tree 0")
    assert verified([LOG[0], added, *LOG[2:]]).tampered


def test_another_policies_tree_than_the_verdict_names_is_tampering() -> None:
    log = verified([LOG[0], replace(LOG[1], policy_tree="1" * 40), *LOG[2:]])
    assert "policy/" in log.tampered[0].message


def test_a_signature_that_does_not_hold_is_foreign_and_its_gap_is_tampering() -> None:
    envelope = (LOG[1].files or {})[ENVELOPE_FILE]
    forged = with_file(LOG[1], ENVELOPE_FILE, envelope.replace(b'"keyid":"S', b'"keyid":"T'))
    assert verified([LOG[0], forged, *LOG[2:]]).complete  # a hint nobody trusts
    broken = with_file(LOG[1], ENVELOPE_FILE, envelope[:-40] + envelope[-39:])
    log = verified([LOG[0], broken, *LOG[2:]])
    assert [problem.code for problem in log.foreign] == [FOREIGN]
    assert log.tampered


@given(place=st.integers(0, 4))
def test_junk_on_the_branch_is_listed_and_changes_no_answer(place: int) -> None:
    log = verified([*LOG[:place], JUNK, *LOG[place:]])
    assert log.complete
    assert log.records == verified(LOG).records
    assert [problem.code for problem in log.foreign] == [FOREIGN]


@given(again=st.integers(0, 3), place=st.integers(1, 4))
def test_an_old_segment_put_here_again_is_foreign(again: int, place: int) -> None:
    log = verified([*LOG[:place], *([LOG[again]] if again < place else []), *LOG[place:]])
    assert log.complete
    assert log.records == verified(LOG).records


def test_an_old_signature_over_new_bytes_is_foreign() -> None:
    log = verified([*LOG, with_file(LOG[0], SEGMENT_FILE, b"{}\n")])
    assert log.complete
    assert len(log.records) == 4


def test_another_repositorys_segment_is_foreign() -> None:
    other = Pen(repository="f" * 32).write(state_of(LOG[-1]))
    assert verified([*LOG, other]).complete
    assert len(verified([*LOG, other]).records) == 4


def test_a_strangers_segment_is_foreign_and_changes_no_answer() -> None:
    log = verified([*LOG, Pen("ria").write(state_of(LOG[-1]))])
    assert log.complete
    assert [problem.code for problem in log.foreign] == [FOREIGN]
    assert log.records == verified(LOG).records
    assert log.segments == 4


def test_a_strangers_segment_that_continues_nothing_is_foreign() -> None:
    log = verified([*LOG, Pen("ria").write("sha256:" + "0" * 64)])
    assert log.complete
    assert len(log.foreign) == 1


def test_a_stranger_cannot_raise_the_alarm_with_changed_bytes() -> None:
    stranger = Pen("ria").write(state_of(LOG[-1]))
    assert verified([*LOG, with_file(stranger, "README", b"")]).complete


def test_what_continues_a_strangers_segment_is_verified_whoever_the_stranger_is() -> None:
    by_ria = Pen("ria").write(None)
    commits = [by_ria, *written(2, extends=state_of(by_ria))]
    assert [logged.person for logged in verified(commits).records] == ["ci", "ci"]
    informed = verified(commits, trust=authority(("alice", "pat", "ci", "ria")))
    assert [logged.person for logged in informed.records] == ["ria", "ci", "ci"]
    assert verified(commits).state == informed.state


def test_records_signed_anew_by_a_stranger_to_hide_them_are_tampering() -> None:
    honest: list[LogCommit] = []
    for token in ("0a" * 8, "0b" * 8, "0c" * 8):  # three runs, whose records name no other run's
        honest += written(1, pen=Pen(token=token), extends=state_of(honest[-1]) if honest else None)
    segment = (honest[1].files or {})[SEGMENT_FILE]
    hidden = Pen("ria").seal(state_of(honest[0]), segment)
    assert verified(honest).complete
    log = verified([honest[0], hidden, honest[2]])
    assert [problem.code for problem in log.tampered] == [TAMPERED]


def test_strangers_records_under_another_name_disturb_nobody() -> None:
    stranger, ci = Pen("ria"), Pen()
    borrowed = stranger.put(None, numbered(drafted(verdict()), ci.writer, NO_RECORDS))
    log = verified([borrowed, stranger.seal(None, b"not a record\n"), ci.write(None)])
    assert log.complete
    assert [logged.person for logged in log.records] == ["ci"]


def retiring(name: str) -> Authority:
    """Give a trust root whose second version retired somebody's key."""
    people = ("alice", "pat", "ci", "ria")
    return history(authority(people), authority(people, 2, until={name: 2}))


def test_the_records_of_a_retired_key_stay_verified() -> None:
    trust = retiring("alice")
    by_alice = Pen("alice").write(None, *drafted(verdict(commit=commit_at(1))))
    after = Pen().write(state_of(by_alice), *drafted(verdict(commit=commit_at(2))))
    log = verified([by_alice, after], trust=trust)
    assert log.complete
    assert [logged.person for logged in log.records] == ["alice", "ci"]
    alone = authority(("alice", "pat", "ci"), 2, until={"alice": 2})
    assert len(verified([by_alice, after], trust=alone).records) == 2


def test_the_records_of_somebody_no_longer_listed_stay_verified() -> None:
    trust = history(authority(("alice", "pat", "ci")), authority(("pat", "ci"), 2))
    by_alice = Pen("alice").write(None, *drafted(verdict(commit=commit_at(1))))
    assert [one.person for one in verified([by_alice], trust=trust).records] == ["alice"]


def test_a_key_stops_counting_with_the_first_record_that_shows_its_retirement() -> None:
    trust = retiring("alice")
    first = Pen().write(None, *drafted(verdict(commit=commit_at(2))))
    late = Pen("alice").write(
        state_of(first), *drafted(verdict(commit=commit_at(1), at=Instant(NOON - DAY)))
    )
    log = verified(
        [first, late, *written(1, pen=Pen(token="ab" * 16), extends=state_of(late))], trust=trust
    )
    assert log.complete
    assert [logged.person for logged in log.records] == ["ci", "ci"]
    assert "does not count at this place" in log.foreign[0].message


def test_a_retired_key_cannot_raise_the_alarm() -> None:
    first = Pen().write(None, *drafted(verdict(commit=commit_at(2))))
    broken = Pen("alice").write("sha256:" + "0" * 64)
    altered = with_file(Pen("alice").write(state_of(first)), "README", b"")
    assert verified([first, broken, altered], trust=retiring("alice")).complete


def test_the_gates_verdicts_stay_the_gates_after_it_lost_the_role() -> None:
    people = ("alice", "pat", "ci", "ria")
    trust = history(authority(people), authority(people, 2, gate=("ria",)))
    earlier = Pen().write(None, *drafted(verdict(commit=commit_at(1))))
    later = Pen().write(None, *drafted(verdict(commit=commit_at(2))))
    assert [one.by_gate for one in verified([earlier], trust=trust).records] == [True]
    assert [one.by_gate for one in verified([later], trust=trust).records] == [False]


def test_a_verdict_of_a_commit_nobody_knows_by_somebody_once_the_gate_is_unknown() -> None:
    people = ("alice", "pat", "ci", "ria")
    trust = history(authority(people), authority(people, 2, gate=("ria",)))
    log = verified([Pen().write(None, *drafted(verdict(commit="f" * 40)))], trust=trust)
    assert [problem.code for problem in log.unknown] == [GATE_UNKNOWN]
    assert [(one.by_gate, one.self_judged) for one in log.records] == [(None, None)]


def test_a_record_of_an_unknown_kind_is_kept_and_makes_answers_unknown() -> None:
    pen = Pen()
    known = numbered(drafted(verdict()), pen.writer, NO_RECORDS)
    odd = pen.put(None, (replace(known[0], kind="oracle"),))
    log = verified([odd, *written(1, extends=state_of(odd))])
    assert [problem.code for problem in log.unknown] == ["log-kind-unknown"]
    assert log.records[0].record.kind == "oracle"


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ({"predicateType": "urn:agentpolicy:verdict:v2"}, "log-statement-unreadable"),
        (drafted(verdict(repository="f" * 32))[0].statement, "log-statement-foreign"),
    ],
)
def test_a_verdict_that_is_not_understood_makes_answers_unknown(
    statement: dict[str, object], code: str
) -> None:
    log = verified([Pen().write(None, Draft(RecordKind.VERDICT, statement))])
    assert [problem.code for problem in log.unknown] == [code]
    assert log.records[0].verdict is None


def test_signed_bytes_that_are_no_records_make_answers_unknown() -> None:
    log = verified([Pen().seal(None, b"not a record\n")])
    assert [problem.code for problem in log.unknown] == ["log-segment-unreadable"]


@pytest.mark.parametrize("tip", [WriterTip(1, None), WriterTip(0, "sha256:" + "0" * 64)])
def test_a_gap_in_a_writers_records_is_tampering(tip: WriterTip) -> None:
    pen = Pen()
    log = verified([pen.put(None, numbered(drafted(verdict()), pen.writer, tip))])
    assert [problem.code for problem in log.tampered] == [TAMPERED]
    assert log.records == ()


def test_a_record_under_another_keys_name_is_tampering_and_does_not_disturb_its_owner() -> None:
    alice, ci = Pen("alice"), Pen()
    borrowed = alice.put(None, numbered(drafted(verdict()), ci.writer, NO_RECORDS))
    log = verified([borrowed, ci.write(state_of(borrowed))])
    assert len(log.tampered) == 1
    assert [logged.person for logged in log.records] == ["ci"]


@given(st.lists(st.sampled_from(["ci", "alice", "pat"]), min_size=1, max_size=6))
def test_writers_may_take_turns_in_any_order(turns: list[str]) -> None:
    pens = {who: Pen(who) for who in set(turns)}
    commits: list[LogCommit] = []
    state = None
    for who in turns:
        commits.append(pens[who].write(state))
        state = state_of(commits[-1])
    log = verified(commits)
    assert log.complete
    assert [logged.person for logged in log.records] == turns


@given(lost=st.integers(0, 3))
def test_a_commit_that_cannot_be_read_makes_answers_unknown_and_never_tampered(lost: int) -> None:
    missing = LogCommit("e" * 40, None, problem=Problem("object-missing", "gone"))
    log = verified([*LOG[:lost], missing, *LOG[lost + 1 :]])
    assert [problem.code for problem in log.unknown] == ["object-missing"]
    assert not log.tampered
    assert len(log.records) == 3
    assert log.state_known == (lost < 3)


def test_a_break_after_a_gap_is_unknown_because_the_gap_may_explain_it() -> None:
    missing = LogCommit("e" * 40, None, problem=Problem("object-missing", "gone"))
    log = verified([missing, LOG[1], LOG[3]])
    assert not log.tampered
    assert not log.complete


def test_a_segment_that_a_merge_moved_out_of_the_chain_is_tampering() -> None:
    assert verified(LOG[:2], aside=LOG[2:]).tampered


def test_what_a_merge_put_beside_the_chain_without_hiding_anything_is_foreign() -> None:
    log = verified(LOG, aside=[JUNK, LOG[0], Pen("ria").write(state_of(LOG[-1]))])
    assert log.complete
    assert len(log.foreign) == 3


def test_a_vanished_commit_is_tampering_unless_a_gap_may_explain_it() -> None:
    whole, shallow = LogVerifier(TRUST), LogVerifier(TRUST)
    shallow.take(LogCommit("e" * 40, None, problem=Problem("object-missing", "gone")))
    for verifier in (whole, shallow):
        verifier.miss("d" * 40)
    assert whole.result().tampered
    assert not shallow.result().tampered
    assert not shallow.result().complete


def test_a_segment_of_many_records_counts_each() -> None:
    commit = Pen().write(None, *drafted(verdict(), verdict(Decision.PASS)))
    log = verified([commit])
    assert [logged.verdict and logged.verdict.decision for logged in log.records] == [
        Decision.FAIL,
        Decision.PASS,
    ]
    assert segment_bytes(parse_segment((commit.files or {})[SEGMENT_FILE]))
