"""Pairing off, against every possible assignment."""

from itertools import permutations, product

import pytest
from agentpolicy.runs.evidence import Truth
from agentpolicy.runs.matching import largest, pairs_up
from hypothesis import given
from hypothesis import strategies as st


def by_trying(edges: list[list[bool]], columns: int) -> bool:
    """Try every assignment of the shorter side to the longer one."""
    rows = len(edges)
    if rows > columns:
        edges = [[edges[row][column] for row in range(rows)] for column in range(columns)]
        rows, columns = columns, rows
    return any(
        all(edges[row][chosen[row]] for row in range(rows))
        for chosen in permutations(range(columns), rows)
    )


@st.composite
def tables(draw: st.DrawFn) -> list[list[Truth]]:
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    edge = st.sampled_from([True, False, False, None])
    return [[draw(edge) for _ in range(columns)] for _ in range(rows)]


@given(tables())
def test_pairs_are_found_if_and_only_if_some_assignment_has_them(edges: list[list[Truth]]) -> None:
    columns = len(edges[0])
    least = by_trying([[edge is True for edge in row] for row in edges], columns)
    most = by_trying([[edge is not False for edge in row] for row in edges], columns)
    assert pairs_up(edges) is (True if least else None if most else False)


@given(tables())
def test_an_unknown_edge_is_settled_either_way(edges: list[list[Truth]]) -> None:
    unknown = [
        (row, column)
        for row, line in enumerate(edges)
        for column, edge in enumerate(line)
        if edge is None
    ]
    answers = set()
    for settled in product((True, False), repeat=min(len(unknown), 6)):
        filled = [list(line) for line in edges]
        for (row, column), value in zip(unknown, settled, strict=False):
            filled[row][column] = value
        answers.add(pairs_up(filled))
    found = pairs_up(edges)
    assert found is None or answers == {found}


@pytest.mark.parametrize("edges", [[], [[]], [[], []]])
def test_nothing_needs_no_partner(edges: list[list[Truth]]) -> None:
    assert pairs_up(edges) is True


def test_a_first_choice_makes_room() -> None:
    assert pairs_up([[True, True], [True, False]]) is True
    assert (
        largest([[True, False, False], [True, True, False], [False, True, True]], 3, unknown=False)
        == 3
    )


def test_a_long_chain_of_moves_is_no_recursion() -> None:
    size = 1500
    edges: list[list[Truth]] = [
        [column in {row, row - 1} for column in range(size)] for row in range(size)
    ]
    edges.append([column == size - 1 for column in range(size)])
    assert pairs_up(edges) is True
