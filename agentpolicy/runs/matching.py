"""Pairing two lists one to one, where what may pair with what can be unknown."""

from collections import deque
from collections.abc import Sequence

from agentpolicy.runs.evidence import Truth

Edges = Sequence[Sequence[Truth]]
"""Rows against columns: may this row pair with this column?"""


def pairs_up(edges: Edges) -> Truth:
    """Say whether the shorter side can be paired off completely, each member with its own.

    Unknown edges are taken as absent to prove it, and as present to disprove it.
    """
    columns = len(edges[0]) if edges else 0
    needed = min(len(edges), columns)
    if largest(edges, columns, unknown=False) >= needed:
        return True
    return None if largest(edges, columns, unknown=True) >= needed else False


def largest(edges: Edges, columns: int, *, unknown: bool) -> int:
    """Count the pairs of a largest matching; cost is rows times edges, without recursion."""
    neighbours = [
        [column for column, edge in enumerate(row) if edge or (unknown and edge is None)]
        for row in edges
    ]
    owner: list[int | None] = [None] * columns
    return sum(_augment(start, neighbours, owner) for start in range(len(edges)))


def _augment(start: int, neighbours: Sequence[Sequence[int]], owner: list[int | None]) -> bool:
    """Find a row a column, moving others along where that makes room."""
    came_from: dict[int, int] = {}
    waiting = deque([start])
    taken: dict[int, int] = {}
    while waiting:
        row = waiting.popleft()
        for column in neighbours[row]:
            if column in came_from:
                continue
            came_from[column] = row
            holder = owner[column]
            if holder is None:
                _shift(column, came_from, taken, owner)
                return True
            taken[holder] = column
            waiting.append(holder)
    return False


def _shift(
    column: int, came_from: dict[int, int], taken: dict[int, int], owner: list[int | None]
) -> None:
    """Give each row on the way the column that was found for it."""
    free: int | None = column
    while free is not None:
        row = came_from[free]
        owner[free] = row
        free = taken.get(row)
