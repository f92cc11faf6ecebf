"""The stored approvals of a state beside those of the next: only what differs costs anything.

They are append-only and grow with history, so that going through all of them at every step would
make a long history unreadable.
"""

from collections.abc import Iterator, Mapping


class Overlay(Mapping[str, bytes]):
    """The approvals of a base, with some added, altered or removed (None)."""

    __slots__ = ("base", "changes", "touched")

    def __init__(
        self,
        base: Mapping[str, bytes],
        changes: Mapping[str, bytes | None],
        touched: frozenset[str],
    ) -> None:
        """Lay changes over a base that stays as it is; `touched` are those that it has."""
        self.base, self.changes, self.touched = base, changes, touched

    def __getitem__(self, path: str) -> bytes:
        """Give an approval's bytes."""
        if path not in self.changes:
            return self.base[path]
        data = self.changes[path]
        if data is None:
            raise KeyError(path)
        return data

    def __contains__(self, path: object) -> bool:
        """Say whether there is such an approval, without reading it."""
        if path in self.changes:
            return self.changes[str(path)] is not None
        return path in self.base

    def __iter__(self) -> Iterator[str]:
        """List the paths."""
        yield from (path for path in self.base if path not in self.changes)
        yield from (path for path, data in self.changes.items() if data is not None)

    def __len__(self) -> int:
        """Count the approvals."""
        return sum(1 for _ in self)


def differing(base: Mapping[str, bytes], head: Mapping[str, bytes]) -> tuple[list[str], list[str]]:
    """List the approvals that `head` adds to `base`, and those it alters or drops, by path."""
    if isinstance(head, Overlay) and head.base is base:
        changes = head.changes
        new = {path for path in changes.keys() - head.touched if changes[path] is not None}
        touched = {path for path in head.touched if changes[path] != base[path]}
    else:
        new = head.keys() - base.keys()
        touched = {path for path, data in base.items() if head.get(path) != data}
    return sorted(new), sorted(touched)
