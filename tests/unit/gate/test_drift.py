"""Sessions that are unlike the usual ones."""

from decimal import Decimal

import pytest
from agentpolicy.documents.models.band import Drift
from agentpolicy.gate.drift import CLASS_UNKNOWN, NO_SPREAD, TOO_FEW, alerts, notes
from agentpolicy.runs.record import RunRecord, Tokens
from tests.evidence import calls, run

USUAL = [8, 9, 10, 10, 10, 10, 10, 10, 11, 12]


def session(number: int, tools: tuple[str, ...] = ("look",), count: int | None = 10) -> RunRecord:
    tokens = None if count is None else Tokens(count, 10)
    return run("s", number, latency_ms=100, tokens=tokens, tool_calls=calls(*tools))


def flagged(tried: RunRecord, drift: Drift | None = None, usual: int = 10) -> list[tuple[str, str]]:
    known = [session(number, count=count) for number, count in enumerate(USUAL[:usual])]
    found = notes(drift or Drift(), known, [tried])
    return [(note.field, note.measured) for note in found if note.field != NO_SPREAD]


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


def test_a_window_without_spread_is_told_once_whether_or_not_anything_differs() -> None:
    known = [session(number, count=count) for number, count in enumerate(USUAL)]
    found = [one for one in alerts(Drift(), known, [session(99)]) if one.field == NO_SPREAD]
    assert [one.metric for one in found] == ["output tokens", "milliseconds", "tool calls"]
    assert found[2].why == (
        "all 10 usual sessions have 1 tool calls: without any spread every other value is "
        "flagged, and how far it lies cannot be told"
    )


def test_a_sentence_says_how_far_and_where_to_look() -> None:
    known = [session(n, ("look",) * (2 + n % 2)) for n in range(10)]
    tried = session(99, ("look", *["shell"] * 14))
    (why,) = [
        one.why for one in alerts(Drift(), known, [tried])
        if one.metric == "tool calls" and one.session
    ]  # fmt: skip
    assert why == (
        "s, attempt 99: 15 tool calls are far from the usual 2.5: 23.7 standard deviations above, "
        "6 times as many; most of it shell, called 14 times where 0 is usual"
    )
    assert "its tools overlap 0 with the usual ones; called: wipe; not called: look" in [
        one.why.partition(": ")[2] for one in alerts(Drift(), known, [session(99, ("wipe",))])
    ]
    idle = next(one for one in alerts(Drift(), known, [session(99, ())]) if one.session)
    assert idle.why.endswith(
        "0 tool calls are far from the usual 2.5: 4.7 standard deviations below"
    )


def test_long_context_sessions_are_held_against_their_like_alone() -> None:
    short = [session(n, count=n) for n in range(90, 100)]
    long = [session(n, ("look", "compact"), n * 100) for n in range(90, 100)]
    tried = [session(200, ("look", "compact"), 9500)]
    flags = [one.field for one in alerts(Drift(), short, tried) if one.session]
    assert flags  # among short ones alone it stands out
    apart = Drift(long_context_tokens=5000)
    assert not [one for one in alerts(apart, short + long, tried) if one.session]
    lost = [session(201, ("look", "compact"), 50_000)]
    (alert,) = [one for one in alerts(apart, short + long, lost) if one.session]
    assert alert.session_class == "long-context"
    assert alert.why.startswith("s, attempt 201 (long-context): 50000 input tokens are far from")


def test_too_few_long_context_sessions_cannot_tell_of_one() -> None:
    short = [session(n, count=n) for n in range(90, 100)]
    found = list(alerts(Drift(long_context_tokens=5000), short, [session(200, count=9000)]))
    assert {one.field for one in found} == {TOO_FEW}
    assert found[0].why == (
        "drift cannot be told: 0 of at least 10 usual long-context sessions show their input tokens"
    )


def test_a_session_that_does_not_show_what_it_was_sent_is_of_no_class() -> None:
    short = [session(n, count=n) for n in range(90, 100)]
    found = list(alerts(Drift(long_context_tokens=5000), short, [session(1, count=None)]))
    assert [(one.field, one.measured) for one in found] == [(CLASS_UNKNOWN, "1")]
