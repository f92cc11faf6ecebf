from dataclasses import replace

import pytest
from agentpolicy.gate.decision import Decision
from agentpolicy.provenance.log import LoggedRecord, VerifiedLog
from agentpolicy.provenance.query import Answer, Found
from agentpolicy.provenance.records import Record, RecordKind
from agentpolicy.provenance.verdict import VerdictStatement
from agentpolicy.provenance.verdict_parts import Judged
from agentpolicy.report.audit_text import query_text, verify_text
from tests.verdict_log import verdict

TASK = Judged("budget", "scheduler", "schedule_meeting", "multi_attendee_cross_tz")


def found(statement: VerdictStatement, *, by_gate: bool | None = True) -> Found:
    record = Record("writer", 1, None, RecordKind.VERDICT, {})
    logged = LoggedRecord(record, "c" * 40, 1, "alice", "SHA256:key", by_gate, statement)
    return Found(statement.digest, statement, logged)


def page(*verdicts: Found) -> list[str]:
    return query_text(Answer(verdicts, VerifiedLog())).splitlines()


def test_the_usual_table_fits_a_terminal_of_80_columns() -> None:
    bands = [found(verdict(decision)) for decision in Decision]
    lines = page(*bands, found(replace(verdict(), judged=TASK)))
    assert max(map(len, lines)) <= 80
    assert lines[0].endswith("  BY")


def test_only_a_long_task_gives_way_to_the_width() -> None:
    lines = page(found(replace(verdict(Decision.PASS_WITH_WAIVERS), judged=TASK)))
    assert len(lines[1]) <= 80
    assert "schedule_" in lines[1]
    assert "…" in lines[1]
    alone = page(found(replace(verdict(), judged=Judged("budget", None, "mail", "short"))))
    assert "mail/short" in alone[1]


@pytest.mark.parametrize(
    ("by_gate", "mark"), [(True, "alice"), (False, "alice*"), (None, "alice?")]
)
def test_a_signer_outside_the_gate_is_marked_and_the_mark_explained(
    by_gate: bool | None, mark: str
) -> None:
    lines = page(found(verdict(), by_gate=by_gate))
    assert lines[1].endswith(f" {mark}")
    explained = [line for line in lines[2:] if line[0] == mark[-1]]
    assert len(explained) == (by_gate is not True)


def test_one_record_is_not_written_as_many() -> None:
    record = found(verdict()).logged
    assert "1 segment, 1 verified record," in verify_text(VerifiedLog((record,), 1), "ok")
