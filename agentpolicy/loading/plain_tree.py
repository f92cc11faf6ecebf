"""Reads the YAML that nearly every policy is written in, quickly, and gives up on any other.

The same events of libyaml as `tree_builder` sees, in one loop: where that would complain, or merely
do something seldom asked for, this says nothing and the file is read again by `tree_builder`.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from yaml import YAMLError
from yaml._yaml import CParser
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from agentpolicy.base.source import Position
from agentpolicy.documents.document import Value
from agentpolicy.loading.characters import unclean
from agentpolicy.loading.pointers import child
from agentpolicy.loading.scalars import REMEMBERED, Refusal, is_plain_key, plain_scalar
from agentpolicy.loading.tree_builder import MAX_DEPTH, MAX_VALUES

_LINE = 32
"""Bits of a packed mark that hold the column; the line stands above them."""
_COLUMN = (1 << _LINE) - 1


class PlainTree(NamedTuple):
    """A file's mapping, with the marks of everything in it in the order of the file."""

    value: Mapping[str, Value]
    marks: Sequence[int]
    whole: tuple[int, ...]
    """Which marks are of numbers spelled with a fraction of zero, such as `3.0`."""


def read_plain(  # noqa: C901, PLR0911, PLR0912, PLR0915 - a call an event would double its cost
    data: bytes,
) -> PlainTree | None:
    """Read a file that `tree_builder` has nothing to say about; None where it might."""
    next_event = CParser(data).get_event
    marks: list[Any] = []
    whole: list[int] = []
    top: list[Value] = []
    entries: dict[str, Value] = {}
    # Of the collection being read: its items, None for a mapping; the key whose value comes next.
    items: list[Value] | None = top
    key: str | None = None
    around: list[tuple[dict[str, Value], list[Value] | None, str | None]] = []
    value: Value | Refusal
    try:
        while True:
            event: Any = next_event()
            kind = event.__class__
            if kind is ScalarEvent:
                text, style = event.value, event.style
                if event.anchor is not None or event.tag is not None:
                    return None
                marks.append(event.start_mark)
                if key is None and items is None:
                    key = None if style else _key(text)
                    if key is None or key in entries:
                        return None
                    continue
                value = text
                if not style:
                    value = plain_scalar(text)
                    if value.__class__ is Refusal:
                        return None
                    if value.__class__ is Decimal and text.rstrip("0")[-1] == ".":
                        whole.append(len(marks) - 1)
                elif style == '"' and unclean(text):
                    return None
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                value = entries if items is None else tuple(items)
                entries, items, key = around.pop()
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                odd = event.anchor is not None or event.tag is not None
                if odd or (key is None and items is None) or len(around) == MAX_DEPTH:
                    return None
                marks.append(event.start_mark)
                around.append((entries, items, key))
                entries, items = {}, None if kind is MappingStartEvent else []
                key = None
                continue
            elif kind is StreamEndEvent:
                break
            elif kind is AliasEvent or (kind is DocumentEndEvent and event.explicit):
                return None
            else:
                continue
            if items is None:
                assert key is not None
                entries[key] = value
                key = None
            else:
                items.append(value)
    except YAMLError:
        return None
    if len(top) != 1 or not isinstance(top[0], dict) or len(marks) > MAX_VALUES:
        return None
    packed = array("Q", [mark.line << _LINE | mark.column for mark in marks])
    return PlainTree(top[0], packed, tuple(whole))


@lru_cache(REMEMBERED)
def _key(text: str) -> str | None:
    """Give a plain key, always the same object for the same text; None where it is refused."""
    return text if text != "<<" and is_plain_key(text) else None


class MarkedPlaces(Mapping[str, Position]):
    """Positions by JSON pointer of a plain tree. Few are ever asked for, and then all are found."""

    __slots__ = ("_are_keys", "_found", "_path", "_tree")

    def __init__(self, path: str, tree: PlainTree, *, keys: bool) -> None:
        """Give the places of the keys, or those of the values, of the file at `path`."""
        self._path, self._tree, self._are_keys = path, tree, keys
        self._found: dict[str, int] | None = None

    def __getitem__(self, pointer: str) -> Position:
        """Give the position of what stands at a pointer."""
        mark = self._marks()[pointer]
        return Position(self._path, (mark >> _LINE) + 1, (mark & _COLUMN) + 1)

    def __iter__(self) -> Iterator[str]:
        """Go through the pointers in the order of the file."""
        return iter(self._marks())

    def __len__(self) -> int:
        """Count the places."""
        return len(self._marks())

    def _marks(self) -> dict[str, int]:
        if self._found is None:
            values, keys = _by_pointer(self._tree, self._tree.marks)
            self._found = keys if self._are_keys else values
        return self._found


def fractions_of(tree: PlainTree) -> frozenset[str]:
    """Give the pointers of the whole numbers that are spelled with a fraction."""
    if not tree.whole:
        return frozenset()
    values, _ = _by_pointer(tree, range(len(tree.marks)))
    return frozenset(pointer for pointer, number in values.items() if number in tree.whole)


def _by_pointer(tree: PlainTree, marks: Sequence[int]) -> tuple[dict[str, int], dict[str, int]]:
    """Hand out one mark to each value and each key, in the order of the file."""
    values: dict[str, int] = {}
    keys: dict[str, int] = {}
    _hand_out(tree.value, "", iter(marks), values, keys)
    return values, keys


def _hand_out(
    value: Value, pointer: str, left: Iterator[int], values: dict[str, int], keys: dict[str, int]
) -> None:
    """Give a value the next mark, and all that is in it those behind."""
    values[pointer] = next(left)
    if isinstance(value, dict):
        for key, below in value.items():
            at = child(pointer, key)
            keys[at] = next(left)
            _hand_out(below, at, left, values, keys)
    elif isinstance(value, tuple):
        for index, below in enumerate(value):
            _hand_out(below, f"{pointer}/{index}", left, values, keys)
