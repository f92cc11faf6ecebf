"""Where a value was written."""

from typing import NamedTuple


class Position(NamedTuple):
    """A place in a file. Lines and columns start at 1; column counts characters.

    A tuple, because a reader makes one for every key and value.
    """

    path: str
    line: int
    column: int

    def __str__(self) -> str:
        """Write the position as editors and terminals understand it."""
        return f"{self.path}:{self.line}:{self.column}"
