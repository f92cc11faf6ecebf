"""Which facts a text states."""

from collections import Counter

import pytest
from agentpolicy.runs.facts import facts_of
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("", []),
        ("nothing to see, and/or not", []),
        ("Order A-1042 costs $40.00.", ["$ 40", "identifier A-1042"]),
        ("1,200.50 and .5 and 3,", ["number 0.5", "number 1200.5", "number 3"]),
        ("-5 or \u22125, but 3-5", ["identifier 3-5", "number -5", "number -5"]),
        ("40% of 40 EUR, EUR 40, \u20ac40", ["% 40", "EUR 40", "EUR 40", "\u20ac 40"]),
        ("items 1,2,3", ["number 1", "number 2", "number 3"]),
        ("2026-03-02, March 2, 2026 or 2 March 2026", ["date 2026-03-02"] * 3),
        ("on the 1st of May", ["date --05-01"]),
        ("You may 5 times", ["number 5"]),
        ("31 February 2026", ["date 31 February 2026"]),
        ("2026-03-02T10:00:00+01:00", ["instant 63908125200"]),
        ("2026-03-02T09:00:00Z", ["instant 63908125200"]),
        ("at 14:30 by v1.2", ["identifier 14:30", "identifier v1.2"]),
        (
            "ask a@b.example or https://x.example/y",
            ["identifier a@b.example", "identifier https://x.example/y"],
        ),
        ("\uff14\uff12", ["number 42"]),
        ("9" * 40, ["number " + "9" * 40]),
    ],
)
def test_facts_are_numbers_amounts_dates_and_identifiers(text: str, facts: list[str]) -> None:
    assert sorted(facts_of(text).elements()) == facts


@pytest.mark.parametrize(
    ("one", "other"),
    [("A-1042", "A-1024"), ("$40", "\u20ac40"), ("40%", "40"), ("-5", "5"), ("A-1", "a-1")],
)
def test_other_facts_are_told_apart(one: str, other: str) -> None:
    assert facts_of(one) != facts_of(other)


def test_a_fact_counts_as_often_as_it_is_stated() -> None:
    assert facts_of("5 and 5") == Counter({"number 5": 2})


@given(st.text(max_size=60))
def test_any_text_has_facts_that_are_the_same_every_time(text: str) -> None:
    assert facts_of(text) == facts_of(text)
    assert not set(facts_of(text)) & {""}


@given(st.lists(st.sampled_from(["A-1", "$5", "7", "2026-03-02", "word"]), max_size=6))
def test_the_order_of_words_is_no_fact(words: list[str]) -> None:
    assert facts_of("; ".join(words)) == facts_of("; ".join(reversed(words)))
