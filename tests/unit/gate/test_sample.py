"""Whether there is enough evidence."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions import sample
from agentpolicy.gate.pairing import Fixture
from tests.evidence import fixture, run, whole_band

PASS, OPEN = Decision.PASS, Decision.INCONCLUSIVE


def tried(finished: int, unfinished: int = 0, expected: int = 1, name: str = "f") -> Fixture:
    attempts = [run(attempt=number) for number in range(finished)]
    attempts += [run(attempt=9 + number, status="infra_error") for number in range(unfinished)]
    return replace(fixture([run()], *attempts, expected=expected), id=name)


def judged(
    fixtures: Sequence[Fixture], **parts: int
) -> list[tuple[str, str | None, Decision, str | None]]:
    return [
        (one.field, one.fixture_id, one.result, one.measured)
        for one in sample.judge(whole_band(parts), fixtures)
    ]


@pytest.mark.parametrize(
    ("finished", "expected", "repeats", "result"),
    [(3, 1, 3, PASS), (2, 1, 3, OPEN), (3, 4, 3, OPEN), (4, 4, 3, PASS), (2, 2, 1, PASS)],
)
def test_the_larger_of_repeats_and_the_expected_attempts_is_needed(
    finished: int, expected: int, repeats: int, result: Decision
) -> None:
    found = judged([tried(finished, expected=expected)], repeats=repeats)
    assert found == [("repeats", "f", result, str(finished))]


def test_an_attempt_that_an_outage_ended_is_none() -> None:
    assert judged([tried(2, 1)], repeats=3) == [("repeats", "f", OPEN, "2")]
    assert judged([tried(0, 1)]) == [
        ("repeats", "f", OPEN, "0"),
        ("sample_min", None, OPEN, "0"),
    ]


def test_more_than_enough_is_enough() -> None:
    assert judged([tried(9)], repeats=2) == [("repeats", "f", PASS, "9")]


@pytest.mark.parametrize(("least", "result"), [(2, PASS), (3, OPEN)])
def test_fixtures_are_counted_not_attempts(least: int, result: Decision) -> None:
    fixtures = [tried(5, name="f"), tried(5, name="g")]
    assert judged(fixtures, sample_min=least) == [("sample_min", None, result, "2")]


def test_one_finished_attempt_of_each_is_not_worth_a_line() -> None:
    assert judged([tried(1)]) == []


def test_no_fixture_at_all_is_too_few() -> None:
    assert judged([]) == [("sample_min", None, OPEN, "0")]
