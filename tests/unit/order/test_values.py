from decimal import Decimal

import pytest
from agentpolicy.documents.document import Value
from agentpolicy.documents.rows import Kind, Reader, Row
from agentpolicy.order.values import same, shown


def row(kind: Kind) -> Row:
    return Row("test/leaf", kind, Reader.RUN, "A leaf.")


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (Kind.MAX_LIMIT, Decimal("0.900"), "0.9"),
        (Kind.MAX_LIMIT, 25, "25"),
        (Kind.MAX_LIMIT, Decimal(100), "100"),
        (Kind.MAX_LIMIT, "3.0x", "3x"),
        (Kind.OPAQUE, "3.0x", "3.0x"),
        (Kind.CHAIN, True, "true"),
        (Kind.CHAIN, "any", "any"),
        (Kind.SUBSET_OF, ("b", "a", "b"), '["a", "b"]'),
        (Kind.ROOT, ("b", "a"), '["b", "a"]'),
        (Kind.OPAQUE, {"b": 1, "a": (True, Decimal("1.50"))}, '{"a": [true, 1.5], "b": 1}'),
        (Kind.OPAQUE, {"a": "ä\n"}, '{"a": "ä\\n"}'),
    ],
)
def test_a_value_has_one_text(kind: Kind, value: Value, text: str) -> None:
    assert shown(row(kind), value) == text


def test_an_absent_value_has_no_text() -> None:
    assert shown(row(Kind.MAX_LIMIT), None) is None


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        (Kind.MAX_LIMIT, 1, Decimal("1.00")),
        (Kind.MAX_LIMIT, "1.5x", "1.50x"),
        (Kind.SUBSET_OF, ("a", "b"), ("b", "a", "a")),
    ],
)
def test_spellings_of_one_value_are_the_same(kind: Kind, one: Value, other: Value) -> None:
    assert same(row(kind), one, other)


@pytest.mark.parametrize(
    ("one", "other"), [(1, "1"), (True, "true"), (("a",), '["a"]'), ({}, "{}"), (None, "None")]
)
def test_a_text_is_never_the_value_it_spells(one: Value | None, other: Value) -> None:
    assert not same(row(Kind.OPAQUE), one, other)


def test_the_order_of_a_list_that_is_no_set_counts() -> None:
    assert not same(row(Kind.ROOT), ("a", "b"), ("b", "a"))
