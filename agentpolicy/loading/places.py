"""Where things stand in a file: the parser's own marks, turned into positions when asked."""

from collections.abc import Iterator, Mapping

from yaml import Mark as PurePythonMark
from yaml._yaml import Mark

from agentpolicy.base.source import Position


class Places(Mapping[str, Position]):
    """Positions by JSON pointer. Few are ever asked for, so none is made before."""

    __slots__ = ("_path", "marks")

    def __init__(self, path: str) -> None:
        """Start with nothing found in the file at `path`."""
        self._path = path
        self.marks: dict[str, Mark | PurePythonMark | None] = {}

    def __getitem__(self, pointer: str) -> Position:
        """Give the position of what stands at a pointer."""
        mark = self.marks[pointer]
        assert mark is not None, "the parser marks where every event starts"
        return Position(self._path, mark.line + 1, mark.column + 1)

    def __iter__(self) -> Iterator[str]:
        """Go through the pointers in the order of the file."""
        return iter(self.marks)

    def __len__(self) -> int:
        """Count the places."""
        return len(self.marks)

    def __contains__(self, pointer: object) -> bool:
        """Say whether something stands at a pointer."""
        return pointer in self.marks
