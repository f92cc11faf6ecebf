"""The rule of one argument: what is inside it, and which rule is stricter."""

from decimal import Decimal
from itertools import product

import pytest
from agentpolicy.gate.argument_rules import EXACT, IGNORED, Rule, parse_rule, rules_of
from agentpolicy.gate.catalogue import catalogue_of
from agentpolicy.runs.evidence import Truth
from tests.evidence import fields, tools

ONE, TWO = "sha256:" + "1" * 64, "sha256:" + "2" * 64
HALF = Decimal("0.5")
RULES = [
    Rule(level, threshold, tolerance)
    for level in ("normalised", "similar")
    for threshold in ((HALF, Decimal("0.9")) if level == "similar" else (Decimal(1),))
    for tolerance in (Decimal(0), Decimal(2))
] + [EXACT, IGNORED]
VALUES: list[object] = [
    "x1",
    "X1 ",
    "x1 and more",
    "x2",
    "",
    1,
    Decimal("1.0"),
    2,
    4,
    ONE,
    TWO,
    ["b", "a"],
    ["A", "b"],
    None,
]


def rank(answer: Truth) -> int:
    return {False: 0, None: 1, True: 2}[answer]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.text)
def test_a_looser_rule_takes_in_all_that_a_stricter_one_does(rule: Rule) -> None:
    for other in RULES:
        if rule.no_stricter_than(other):
            for value, reference in product(VALUES, VALUES):
                assert rank(rule.inside(value, reference)) >= rank(other.inside(value, reference))


def test_levels_stand_in_their_order() -> None:
    chain = [
        EXACT,
        Rule("normalised"),
        Rule("similar", Decimal("0.9")),
        Rule("similar", HALF),
        IGNORED,
    ]
    for index, rule in enumerate(chain):
        assert [rule.no_stricter_than(other) for other in chain] == [
            place <= index for place in range(len(chain))
        ]


def test_a_wider_tolerance_and_a_stricter_level_do_not_compare() -> None:
    wide, similar = Rule("normalised", tolerance=Decimal(2)), Rule("similar", HALF)
    assert not wide.no_stricter_than(similar)
    assert not similar.no_stricter_than(wide)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.text)
def test_a_rule_reads_back_as_it_is_written(rule: Rule) -> None:
    assert parse_rule(rule.text) == rule


@pytest.mark.parametrize(
    "text", ["", "strict", "similar", "similar(2)", "normalised within", "0.9"]
)
def test_what_is_no_rule_is_none(text: str) -> None:
    assert parse_rule(text) is None


def test_similar_accepts_what_normalised_does_whatever_the_raw_score() -> None:
    assert Rule("similar", Decimal("0.9")).inside("x1", "X1") is True
    assert Rule("similar", Decimal("0.9")).inside("x1", "y2") is False
    assert Rule("similar", HALF).inside("x1 and more", "x1 and less") is True


def test_equal_commitments_satisfy_every_rule_and_unequal_ones_cross_only_exact() -> None:
    for rule in RULES:
        assert rule.inside(ONE, ONE) is True
    assert EXACT.inside(ONE, TWO) is False
    assert Rule("normalised").inside(ONE, TWO) is None
    assert Rule("similar", HALF).inside(ONE, TWO) is None
    assert Rule("similar", HALF).inside(ONE, "text") is None
    assert IGNORED.inside(ONE, TWO) is True


def test_a_tolerance_counts_everywhere_but_under_exact() -> None:
    written = fields(
        arguments={
            "pay": {
                "a": {"rule": "exact", "tolerance": HALF},
                "b": {"rule": "normalised", "tolerance": HALF},
                "c": {"rule": "similar(0.9)", "tolerance": HALF},
                "d": "normalised",
            }
        }
    )
    rules = rules_of(written, catalogue_of(None))
    answers = {name: rules.of("pay", name).inside(1, Decimal("1.5")) for name in "abcde"}
    assert answers == {"a": False, "b": True, "c": True, "d": False, "e": False}


def test_an_identity_is_exact_whatever_the_band_says() -> None:
    written = fields(arguments={"pay": {"order_id": "ignored", "note": "ignored"}})
    listed = catalogue_of(tools(pay={"effect": "write", "identity_args": ("order_id",)}))
    rules = rules_of(written, listed)
    assert (rules.of("pay", "order_id"), rules.of("pay", "note")) == (EXACT, IGNORED)
    assert rules.of("other", "note") is EXACT


def test_what_is_ignored_is_looser_than_any_rule() -> None:
    assert all(IGNORED.no_stricter_than(rule) for rule in RULES)
    assert not any(rule.no_stricter_than(IGNORED) for rule in RULES if rule != IGNORED)


def test_equal_thresholds_and_scores_are_inside() -> None:
    narrow, wide = Rule("similar", HALF), Rule("similar", HALF, Decimal(2))
    assert wide.no_stricter_than(narrow)
    assert not narrow.no_stricter_than(wide)
    assert narrow.inside("ab", "bc") is True
    assert Rule("similar", Decimal("0.5001")).inside("ab", "bc") is False


def test_a_threshold_of_0_takes_in_whatever_is_a_text() -> None:
    rule = parse_rule("similar(0)")
    assert rule is not None
    assert rule.threshold == 0
    assert rule.inside("x", "y") is True
    assert rule.no_stricter_than(EXACT)
