"""Latency of the whole set."""

from typing import Any

import pytest
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions import latency
from agentpolicy.gate.finding import Finding
from tests.evidence import fields, fixture, run

PASS, FAIL, OPEN = Decision.PASS, Decision.FAIL, Decision.INCONCLUSIVE


def only(findings: Any) -> Finding:  # noqa: ANN401 - any iterator of findings
    (finding,) = findings
    assert isinstance(finding, Finding)
    return finding


def timed(before: list[int | None], after: list[int | None], **limits: str) -> list[Decision]:
    sets = fixture([run(latency_ms=one) for one in before], *[run(latency_ms=one) for one in after])
    return [finding.result for finding in latency.judge(fields(latency_ms_p50=limits), [sets])]


@pytest.mark.parametrize(
    ("before", "after", "result"),
    [
        ([1000], [3000], PASS),
        ([1000], [3001], FAIL),
        ([1000, 1000], [2000, 9000], PASS),
        ([1000], [None], OPEN),
        ([0], [1], OPEN),
        ([1000] * 3, [9000, 9000, None], FAIL),
        ([1000] * 3, [1000, 1000, None], PASS),
    ],
)
def test_latency_compares_the_median_of_the_set(
    before: list[int | None], after: list[int | None], result: Decision
) -> None:
    assert timed(before, after, fail="3.0x") == [result]


def test_a_warning_is_a_note_and_never_a_finding() -> None:
    assert timed([1000], [2000], warn="1.5x") == []
    slow = fixture([run(latency_ms=1000)], run(latency_ms=1501))
    written = fields(latency_ms_p50={"warn": "1.5x"})
    assert [note.measured for note in latency.notes(written, [slow])] == ["1.501"]
    level = fixture([run(latency_ms=1000)], run(latency_ms=1500))
    assert not list(latency.notes(written, [level]))


def test_a_fixture_left_out_is_an_unknown_latency() -> None:
    written = fields(latency_ms_p50={"fail": "3.0x"})
    there = fixture([run(latency_ms=1)], run(latency_ms=1))
    gone = fixture([run(latency_ms=1)])
    assert only(latency.judge(written, [there, gone, gone])).result is OPEN


@pytest.mark.parametrize(
    ("after", "result"),
    [
        ([1000] * 18 + [9000] * 2, FAIL),
        ([1000] * 19 + [9000], PASS),
        ([1000] * 19 + [None], PASS),
        ([1000] * 18 + [None, None], OPEN),
    ],
)
def test_the_tail_is_the_nearest_95th_rank_of_the_set(
    after: list[int | None], result: Decision
) -> None:
    sets = fixture([run(latency_ms=1000)], *[run(latency_ms=one) for one in after])
    finding = only(latency.judge(fields(latency_ms_p95="3.0x"), [sets]))
    assert (finding.field, finding.fixture_id, finding.result) == ("latency_ms_p95", None, result)


def test_the_tail_and_the_median_are_judged_each_by_itself() -> None:
    written = fields(latency_ms_p50={"fail": "9x"}, latency_ms_p95="1.5x")
    sets = fixture([run(latency_ms=10)], run(latency_ms=10), run(attempt=2, latency_ms=90))
    found = [(one.field, one.result, one.measured) for one in latency.judge(written, [sets])]
    assert found == [("latency_ms_p50.fail", PASS, "1"), ("latency_ms_p95", FAIL, "9")]
    assert next(iter(latency.judge(fields(latency_ms_p95="1.5x"), [sets]))).value == 9
