"""Every leaf of every document, every edit of it, and the direction it must go."""

from collections.abc import Iterator, Mapping
from decimal import Decimal

import pytest
from agentpolicy.documents.document import Value
from agentpolicy.documents.rows import X_ORDER, Kind, Reader, Row
from agentpolicy.order.compare import Strictness, compare
from tests.leaf_edits import DIRECTIONS, I, L, N, T, U, both_ways
from tests.policies import SCHEMAS


def rows_in(node: object) -> Iterator[Row]:
    if isinstance(node, Mapping):
        if X_ORDER in node:
            yield Row.from_json(node[X_ORDER])
        node = list(node.values())
    if isinstance(node, list):
        for part in node:
            yield from rows_in(part)


def rows() -> Iterator[Row]:
    for schema in SCHEMAS.values():
        yield from rows_in(schema)


ROWS = {row.rule: row for row in rows()}
CASES = [
    pytest.param(ROWS[rule], old, new, expected, id=f"{rule}: {old} to {new}")
    for rule, old, new, expected in both_ways()
    if rule in ROWS
]


@pytest.mark.parametrize(("row", "old", "new", "expected"), CASES)
def test_an_edit_of_a_leaf_goes_the_way_the_table_says(
    row: Row, old: Value | None, new: Value | None, expected: Strictness
) -> None:
    assert compare(row, old, new) is expected


def test_every_leaf_of_the_schemas_stands_in_the_table_and_nothing_else() -> None:
    assert set(DIRECTIONS) == set(ROWS)


def test_one_rule_is_one_row() -> None:
    by_rule: dict[str, Row] = {}
    for row in rows():
        assert by_rule.setdefault(row.rule, row) == row


def test_what_is_no_list_of_accepted_things_is_unknown() -> None:
    assert compare(ROWS["baseline/re-baselined"], (), "all") is U


def row_of(kind: Kind, absent: str | None = None, chain: tuple[str, ...] = ()) -> Row:
    return Row("test/leaf", kind, Reader.RUN, "A leaf.", absent=absent, chain=chain)


@pytest.mark.parametrize("kind", [Kind.MAX_LIMIT, Kind.MIN_LIMIT])
@pytest.mark.parametrize(
    "value", [True, "0.9", "1.5", "x", (), {}, Decimal("NaN"), Decimal("Infinity")]
)
def test_what_is_no_limit_is_unknown_even_beside_no_limit(kind: Kind, value: Value) -> None:
    assert compare(row_of(kind), None, value) is U
    assert compare(row_of(kind), value, 1) is U


@pytest.mark.parametrize("kind", [Kind.SUBSET_OF, Kind.SUPERSET_OF])
@pytest.mark.parametrize("value", [1, True, {}, (1,), ("a", 1), (("a",),), "any"])
def test_what_is_no_set_of_names_is_unknown(kind: Kind, value: Value) -> None:
    assert compare(row_of(kind), ("a",), value) is U


def test_an_absent_set_of_allowed_things_is_not_guessed_to_be_empty() -> None:
    assert compare(row_of(Kind.SUBSET_OF), ("a",), None) is U


def test_an_absent_set_of_allowed_things_may_stand_for_all_of_them() -> None:
    row = row_of(Kind.SUBSET_OF, absent="any")
    assert compare(row, None, None) is N
    assert compare(row, None, ("any",)) is T


def test_an_absent_set_may_stand_for_a_written_one() -> None:
    row = row_of(Kind.SUPERSET_OF, absent='["a", "b"]')
    assert compare(row, None, ("b", "a")) is N
    assert compare(row, None, ()) is L
    assert compare(row, None, "exact") is I


def test_a_share_within_a_level_is_compared_exactly() -> None:
    row = row_of(Kind.CHAIN, chain=("exact", "similar()"))
    tiny = f"similar(0.{'3' * 33}1)"
    assert compare(row, tiny, f"similar(0.{'3' * 33}2)") is T


def test_a_chain_without_a_meaning_for_absence_cannot_place_it() -> None:
    assert compare(row_of(Kind.CHAIN, chain=("strict", "loose")), "strict", None) is U


def test_a_multiple_may_stand_for_absence() -> None:
    row = row_of(Kind.MAX_LIMIT, absent="3.0x")
    assert compare(row, None, "3x") is N
    assert compare(row, None, "2.9x") is T
    assert compare(row, None, Decimal(2)) is U


def test_an_absence_that_stands_for_no_number_is_unknown() -> None:
    assert compare(row_of(Kind.MAX_LIMIT, absent="plenty"), None, 1) is U


def test_an_opaque_default_written_out_is_no_change() -> None:
    row = row_of(Kind.OPAQUE, absent="lexical-indel@1")
    assert compare(row, None, "lexical-indel@1") is N
    assert compare(row, None, "lexical-indel@2") is I


def test_a_number_and_its_text_are_different_opaque_values() -> None:
    assert compare(row_of(Kind.OPAQUE), 1, "1") is I
    assert compare(row_of(Kind.OPAQUE), True, "true") is I
    assert compare(row_of(Kind.OPAQUE), 1, True) is I


def test_limits_are_compared_exactly() -> None:
    row = row_of(Kind.MAX_LIMIT)
    tiny = Decimal("0.3000000000000000000000000000000001")
    assert compare(row, tiny, Decimal("0.3")) is T
    assert compare(row, 2**53, 2**53 + 1) is L
