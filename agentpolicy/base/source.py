"""Where a value was written."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a file. Lines and columns start at 1; column counts characters."""

    path: str
    line: int
    column: int

    def __str__(self) -> str:
        """Write the position as editors and terminals understand it."""
        return f"{self.path}:{self.line}:{self.column}"
