"""Reads a tree beside one that is much like it: only what differs is parsed, and named.

Along a history most of a folder stays as it was. Bytes that equal those of a tree that was read
strictly before need no second reading; the rest is read as strictly as any tree.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from itertools import pairwise
from operator import attrgetter
from typing import TypeAlias

from agentpolicy.base.values import dataclass, field
from agentpolicy.gitio.raw import Entry, in_order, parse_tree_with_places

Difference: TypeAlias = Mapping[str, tuple[Entry | None, Entry | None]]
"""By name: the entry before and after, where they differ; None where there is none."""

_NAME = attrgetter("name")
_SMALL = 256
"""Bytes of a tree below which comparing costs more than reading it."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree that was read strictly, and where in its bytes each entry begins."""

    raw: bytes = field(repr=False)
    entries: tuple[Entry, ...]
    starts: tuple[int, ...] = field(repr=False)

    def entry(self, name: str) -> Entry | None:
        """Find the entry of a name; None where there is none, which one look at the bytes tells."""
        if b" %b\0" % name.encode("utf-8", "surrogateescape") not in self.raw:
            return None
        return next((entry for entry in self.entries if entry.name == name), None)


NO_TREE = Tree(b"", (), ())


def read_tree(raw: bytes, object_format: str) -> Tree:
    """Read a tree by itself.

    Raises:
        ValueError: as for `parse_tree`.
    """
    entries, starts = parse_tree_with_places(raw, object_format)
    return Tree(raw, entries, starts)


def grown(old: Tree, raw: bytes, object_format: str) -> tuple[Tree, Difference]:
    """Read a tree, and say by which entries it differs from another.

    Raises:
        ValueError: as for `parse_tree`.
    """
    if len(old.raw) >= _SMALL:
        try:
            return _beside(old, raw, object_format)
        except ValueError:
            pass  # where entries begin may not be where they began; reading it alone decides
    tree = read_tree(raw, object_format)
    return tree, _difference(old.entries, tree.entries)


def _beside(old: Tree, raw: bytes, object_format: str) -> tuple[Tree, Difference]:
    """Read only what lies between the bytes that both trees begin and end with.

    When that is whole entries in order, so is the rest: it was read before, entry by entry.
    """
    alike = _alike(old.raw, raw)
    first = max(bisect_right(old.starts, alike) - 1, 0)
    begin = old.starts[first]
    room = min(len(old.raw), len(raw)) - begin
    tail = _alike_at_end(old.raw, raw, room)
    last = bisect_left(old.starts, len(old.raw) - tail)
    kept_from = old.starts[last] if last < len(old.starts) else len(old.raw)
    end = len(raw) - (len(old.raw) - kept_from)
    middle, places = parse_tree_with_places(raw[begin:end], object_format)
    before, after = old.entries[:first], old.entries[last:]
    replaced = old.entries[first:last]
    _must_fit(before, middle, after, {entry.name for entry in replaced})
    shift = len(raw) - len(old.raw)
    starts = old.starts[last:] if not shift else tuple(at + shift for at in old.starts[last:])
    tree = Tree(
        raw,
        (*before, *middle, *after),
        (*old.starts[:first], *(begin + at for at in places), *starts),
    )
    return tree, _difference(replaced, middle)


def _must_fit(
    before: tuple[Entry, ...], middle: tuple[Entry, ...], after: tuple[Entry, ...], gone: set[str]
) -> None:
    """Refuse entries that do not stand in order between, or repeat a name of, those around them."""
    around = (*before[-1:], *middle, *after[:1])
    if not all(in_order(one, other) for one, other in pairwise(around)):
        raise ValueError("a tree holds names twice or out of order")
    new = {entry.name for entry in middle} - gone
    if new and not new.isdisjoint(map(_NAME, (*before, *after))):
        raise ValueError("a tree holds a name twice")


def _difference(old: tuple[Entry, ...], new: tuple[Entry, ...]) -> Difference:
    was, now = ({entry.name: entry for entry in side} for side in (old, new))
    return {
        name: (was.get(name), now.get(name))
        for name in {**was, **now}
        if was.get(name) != now.get(name)
    }


def _alike(one: bytes, other: bytes) -> int:
    """Count the bytes that two texts have in common at their beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _alike_at_end(one: bytes, other: bytes, most: int) -> int:
    """Count the bytes, at most so many, that two texts have in common at their end."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle :] == other[len(other) - middle :]:
            low = middle
        else:
            high = middle - 1
    return low
