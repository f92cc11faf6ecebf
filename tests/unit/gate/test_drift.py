"""Sessions that are unlike the usual ones."""

from decimal import Decimal

import pytest
from agentpolicy.documents.models.band import Drift
from agentpolicy.gate.drift import notes
from agentpolicy.runs.record import RunRecord, Tokens
from tests.evidence import calls, run

USUAL = [8, 9, 10, 10, 10, 10, 10, 10, 11, 12]


def session(number: int, tools: tuple[str, ...] = ("look",), count: int | None = 10) -> RunRecord:
    tokens = None if count is None else Tokens(count, 10)
    return run("s", number, latency_ms=100, tokens=tokens, tool_calls=calls(*tools))


def flagged(tried: RunRecord, drift: Drift | None = None, usual: int = 10) -> list[tuple[str, str]]:
    known = [session(number, count=count) for number, count in enumerate(USUAL[:usual])]
    return [(note.field, note.measured) for note in notes(drift or Drift(), known, [tried])]


@pytest.mark.parametrize(
    ("count", "expected"),
    [(10, []), (13, []), (14, [("drift.z_max", "14")]), (6, [("drift.z_max", "6")]), (None, [])],
)
def test_more_than_three_standard_deviations_is_far(
    count: int | None, expected: list[tuple[str, str]]
) -> None:
    assert flagged(session(99, count=count)) == expected


def test_the_band_says_how_far_is_far() -> None:
    assert flagged(session(99, count=13), Drift(z_max=Decimal(2))) == [("drift.z_max", "13")]
    assert flagged(session(99, count=14), Drift(z_max=Decimal(4))) == []


def test_a_value_that_never_varied_is_told_as_such() -> None:
    assert flagged(session(99, ("look", "look"))) == [("drift.z_max", "no spread")]


def test_other_tools_than_usual_are_flagged() -> None:
    assert ("drift.jaccard_min", "0.3333") in flagged(session(99, ("look", "shell", "wipe")))
    assert flagged(session(99, ("look", "shell")), Drift(z_max=Decimal(3)))[1:] == []
    strict = Drift(jaccard_min=Decimal("0.51"))
    assert ("drift.jaccard_min", "0.5") in flagged(session(99, ("look", "shell")), strict)


def test_too_few_usual_sessions_tell_nothing() -> None:
    found = flagged(session(99, ("shell",), 99), usual=9)
    assert found == [("drift.warmup_sessions", "9")] * 4
    assert flagged(session(99, count=99), Drift(warmup_sessions=9), usual=9) == [
        ("drift.z_max", "99")
    ]


def test_a_band_without_drift_flags_nothing() -> None:
    assert not list(notes(None, [session(1)], [session(2, ("shell",), 99)]))
