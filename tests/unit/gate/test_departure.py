"""The sentence that says in which way calls left every route: it is short, and it is true."""

import re
from collections import Counter
from collections.abc import Sequence

import pytest
from agentpolicy.base.instant import Instant
from agentpolicy.gate.band import judge_band
from agentpolicy.gate.dimensions.departure import departure
from agentpolicy.report.gate_json import findings_json
from agentpolicy.report.gate_text import gate_text
from hypothesis import given
from hypothesis import strategies as st
from tests.evidence import band, calls, run, run_set, tools

NAMES = st.lists(st.sampled_from(["a", "b", "c"]), max_size=4)


def said(called: str, *routes: str) -> str:
    return departure(called.split(), [route.split() for route in routes], lambda *_: True)


@pytest.mark.parametrize(
    ("called", "routes", "sentence"),
    [
        ("refund policy", ["policy refund"],
         "called `refund` before `policy`; every reference attempt calls `policy` first"),
        ("refund policy look", ["policy refund look", "look policy refund"],
         "called `refund` before `policy`; every reference attempt calls `policy` first"),
        ("b a c", ["a b c", "c b a"],
         "called `b` before `a`; the nearest reference attempt calls `a` first"),
        ("refund", ["policy refund"], "did not call `policy`, which every reference attempt does"),
        ("", ["policy refund"],
         "did not call `policy` and `refund`, which every reference attempt does"),
        ("look wipe wipe", ["look"],
         "called `wipe` twice, which no reference attempt does"),
        ("look look look", ["look", "look look"],
         "called `look` 3 times, no reference attempt so often"),
        ("look", ["look look", "look look look"],
         "called `look` once, no reference attempt so seldom"),
        ("wipe", ["look"],
         ("called `wipe`, which no reference attempt does; "
          "did not call `look`, which every reference attempt does")),
        ("a b", ["a", "b"],
         "against the nearest reference attempt it called `b`"),
    ],
)  # fmt: skip
def test_a_departure_is_one_sentence(called: str, routes: Sequence[str], sentence: str) -> None:
    assert said(called, *routes) == sentence


@given(NAMES, st.lists(NAMES, min_size=1, max_size=3))
def test_what_a_sentence_says_of_every_reference_is_so(
    called: list[str], routes: list[list[str]]
) -> None:
    if called in routes:
        return
    words = departure(called, routes, lambda *_: True)
    counts = [Counter(route) for route in routes]
    for part in words.split("; "):
        named = re.findall(r"`(.)`", part)
        assert named
        if "every reference attempt does" in part:
            assert all(count[name] for count in counts for name in named)
            assert not set(named) & set(called)
        if "no reference attempt does" in part:
            assert not any(count[name] for count in counts for name in named)
    inverted = re.fullmatch(
        r"called `(.)` before `(.)`; every reference attempt calls `.` first", words
    )
    if inverted:
        first, second = inverted.groups()
        assert called.index(first) < called.index(second) or called.count(first) > 1
        assert all(second in route and first in route for route in routes)


def test_a_harmless_exchange_is_not_the_one_that_is_told() -> None:
    """`search` and `fetch` may change places; `write` before its prerequisite may not."""
    listed = tools(
        search={"effect": "read", "idempotent": True},
        fetch={"effect": "read", "idempotent": True},
        write={"effect": "write", "requires": ("policy",)},
        policy={"effect": "read", "idempotent": True},
    )
    policy = band(None, tool_order="same_unless_idempotent")
    route = calls("search", "fetch", "policy", "write")
    before = run_set(run("f", side="b", tool_calls=route))
    after = run_set(run("f", tool_calls=calls("fetch", "search", "write", "policy")))
    result = judge_band(policy, listed, before, after, "a", (), (), Instant(0))
    sentence = "called `write` before `policy`; every reference attempt calls `policy` first"
    told = {one["field"]: one["why"] for one in findings_json(result)["crossings"]}
    assert told == {
        "tool_order": sentence,
        "requires": "called `write` before `policy` had succeeded; "
        "the tool catalogue asks for it first",
    }
    assert f"f, attempt 1: tool_order: {sentence}; the band says" in gate_text(result)


def test_the_page_ends_with_where_to_look_first() -> None:
    before = run_set(*(run(name, side="b", tool_calls=calls("a")) for name in "fgh"))
    tried = {"f": ("b",), "g": ("a",), "h": ("b", "c")}
    after = run_set(*(run(name, tool_calls=calls(*used)) for name, used in tried.items()))
    page = gate_text(judge_band(band(), None, before, after, "a", (), (), Instant(0)))
    assert "look first at: f, attempt 1 (1 crossing); h, attempt 1 (1 crossing)\n" in page
    inside = judge_band(band(), None, before, run_set(run("f", tool_calls=calls("a"))), "a",
                        (), (), Instant(0))  # fmt: skip
    assert "look first" not in gate_text(inside)
