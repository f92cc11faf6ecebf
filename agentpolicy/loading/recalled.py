"""Documents that are known to be readable, and are read only when somebody asks for one."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")


class Recalled(Mapping[str, T], Generic[T]):
    """A mapping by path whose values are made when they are first asked for."""

    __slots__ = ("_load", "_order", "_read")

    def __init__(
        self, order: Sequence[str], read: Mapping[str, T], load: Callable[[str], T]
    ) -> None:
        """Hold what was `read`; `load` makes the value of any other path of `order`."""
        self._order = dict.fromkeys(order)
        self._read = dict(read)
        self._load = load

    def __getitem__(self, path: str) -> T:
        """Give the value at a path, making it if nobody asked before."""
        if path not in self._order:
            raise KeyError(path)
        if path not in self._read:
            self._read[path] = self._load(path)
        return self._read[path]

    def __iter__(self) -> Iterator[str]:
        """Go through the paths in order, making nothing."""
        return iter(self._order)

    def __len__(self) -> int:
        """Count the paths."""
        return len(self._order)

    def __contains__(self, path: object) -> bool:
        """Say whether there is a value, making nothing."""
        return path in self._order
