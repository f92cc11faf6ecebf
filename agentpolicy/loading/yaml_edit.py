"""Makes a YAML file say something else and leaves every other byte as it was.

One difference after another is spliced in where it stands, so comments and layout stay. Whoever
writes the outcome reads it back first: this only proposes bytes.
"""

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

import yaml
from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode

from agentpolicy.documents.document import Value
from agentpolicy.loading.scalars import plain_scalar

_MOST_EDITS = 1000
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9._/-]*")


class _Splice(NamedTuple):
    start: int
    end: int
    text: str


def rewritten(data: bytes, target: Mapping[str, Value]) -> bytes:
    """Give the file with as few bytes changed as it takes to say `target`.

    Raises:
        ValueError: its layout is one that this cannot edit.
    """
    text = data.decode("utf-8")
    for _ in range(_MOST_EDITS):
        splice = _difference(text, yaml.compose(text, Loader=yaml.CSafeLoader), target)
        if splice is None:
            return text.encode("utf-8")
        text = text[: splice.start] + splice.text + text[splice.end :]
    raise ValueError("it differs in too many places")


def _difference(text: str, node: Node | None, target: Value) -> _Splice | None:
    """Find the first place that says something else, and what to write there."""
    if isinstance(node, MappingNode) and isinstance(target, Mapping):
        return _of_mapping(text, node, target)
    if isinstance(node, SequenceNode) and isinstance(target, tuple):
        return _of_sequence(text, node, target)
    if not isinstance(node, ScalarNode) or isinstance(target, Mapping | tuple):
        raise ValueError("a value of another shape stands there")  # noqa: TRY004 - about the file
    if _value(node) == target:
        return None
    return _Splice(node.start_mark.index, node.end_mark.index, written(target))


def _of_mapping(text: str, node: MappingNode, target: Mapping[str, Value]) -> _Splice | None:
    entries = [(str(key.value), key, value) for key, value in node.value]
    for number, (name, _, value) in enumerate(entries):
        if name not in target:
            return _removed(text, node, [(key, item) for _, key, item in entries], number)
        splice = _difference(text, value, target[name])
        if splice is not None:
            return splice
    there = {name for name, _, _ in entries}
    new = [f"{written(name)}: {written(target[name])}" for name in target if name not in there]
    last = entries[-1][2] if entries else None
    return _appended(text, node, last, new[0]) if new else None


def _of_sequence(text: str, node: SequenceNode, target: tuple[Value, ...]) -> _Splice | None:
    items: list[Node] = node.value
    for number, item in enumerate(items):
        surplus = len(items) > len(target)
        if surplus and (number >= len(target) or _value(item) not in target):
            return _removed(text, node, [(one, one) for one in items], number)
        splice = _difference(text, item, target[number])
        if splice is not None:
            return splice
    if len(items) == len(target):
        return None
    return _appended(text, node, items[-1] if items else None, written(target[len(items)]))


def _appended(text: str, node: CollectionNode, last: Node | None, new: str) -> _Splice:
    if last is None:
        place = node.end_mark.index - 1
        return _Splice(place, place, new)
    place = _end(last)
    if node.flow_style:
        return _Splice(place, place, f", {new}")
    line_end = text.find("\n", place)
    place = len(text) if line_end < 0 else line_end
    dash = "- " if isinstance(node, SequenceNode) else ""
    return _Splice(place, place, f"\n{' ' * node.start_mark.column}{dash}{new}")


def _removed(
    text: str, node: CollectionNode, entries: list[tuple[Node, Node]], number: int
) -> _Splice:
    """Take out one entry: with its comma where they stand in brackets, else its whole lines."""
    first, last = entries[number]
    start, end = first.start_mark.index, _end(last)
    if not node.flow_style:
        line_end = text.find("\n", end)
        return _Splice(
            text.rfind("\n", 0, start) + 1, len(text) if line_end < 0 else line_end + 1, ""
        )
    if number:
        return _Splice(_end(entries[number - 1][1]), end, "")
    return _Splice(start, entries[1][0].start_mark.index if len(entries) > 1 else end, "")


def _end(node: Node) -> int:
    """Give where a node's text ends; of a block it is where its last leaf does."""
    if isinstance(node, CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)


def _value(node: Node) -> Value:
    if isinstance(node, MappingNode):
        return {str(key.value): _value(value) for key, value in node.value}
    if isinstance(node, SequenceNode):
        return tuple(_value(item) for item in node.value)
    if not isinstance(node, ScalarNode) or node.style:
        return str(node.value)
    read = plain_scalar(str(node.value))
    if isinstance(read, str | bool | int) or not isinstance(read, tuple):
        return read
    raise ValueError(read.message)


def written(value: Value) -> str:
    """Write a value on one line, quoted unless every reader takes it for the same text."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        entries = (f"{written(name)}: {written(item)}" for name, item in value.items())
        return "{" + ", ".join(entries) + "}"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(written, value)) + "]"
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) and plain_scalar(value) == value
        return value if plain else json.dumps(value, ensure_ascii=False)
    return format(value, "f") if not isinstance(value, int) else str(value)
