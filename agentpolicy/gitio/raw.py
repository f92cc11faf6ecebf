"""Git objects as bytes: their names by content, and strict reading of commits and trees.

What git itself would read in two ways is refused here, so that a tree shows the same files to
everyone: names that repeat, are out of order, or hold a slash.
"""

import hashlib
from collections.abc import Callable
from typing import NamedTuple

from agentpolicy.base.values import dataclass, field

TREE = "040000"
SYMLINK = "120000"
SUBMODULE = "160000"

_HEX = frozenset("0123456789abcdef")
_DIGITS = {"sha1": 40, "sha256": 64}
_RESERVED = frozenset({b"", b".", b".."})
_MODES = {
    b"100644": "100644",
    b"100755": "100755",
    b"40000": TREE,
    b"120000": SYMLINK,
    b"160000": SUBMODULE,
}
_MODE_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit, from the bytes its name was computed over."""

    oid: str
    tree: str
    parents: tuple[str, ...]
    """In the order written, before any graft or replacement."""
    raw: bytes = field(repr=False)


class Entry(NamedTuple):
    """One line of a tree. A tuple, because there are very many."""

    mode: str
    """Six octal digits as `git ls-tree` prints them: `100644`, `040000`, `120000`, `160000`."""
    name: str
    """One path component; bytes that are not UTF-8 stand as lone surrogates."""
    oid: str


@dataclass(frozen=True, slots=True)
class File:
    """One leaf of a tree: a file, a symbolic link or a submodule."""

    path: str
    """Path from the top; bytes that are not UTF-8 stand as lone surrogates."""
    mode: str
    oid: str


def is_oid(text: str, object_format: str) -> bool:
    """Say whether a text is a full object id of this format, in lower case."""
    return len(text) == _DIGITS[object_format] and _HEX.issuperset(text)


def zero_oid(object_format: str) -> str:
    """Give the id that stands for no object."""
    return "0" * _DIGITS[object_format]


def object_id(kind: str, data: bytes, object_format: str) -> str:
    """Compute the id git gives an object (`blob`, `tree`, `commit`, `tag`) of these bytes."""
    hasher = hashlib.new(object_format, b"%s %d\0" % (kind.encode(), len(data)))
    hasher.update(data)
    return hasher.hexdigest()


def parse_commit(oid: str, raw: bytes, object_format: str) -> Commit:
    """Read the tree and the parents of a commit.

    Raises:
        ValueError: the header does not start with one tree and then the parents.
    """
    lines = raw.partition(b"\n\n")[0].split(b"\n")
    tree = _named(lines[0], b"tree ", object_format)
    parents: list[str] = []
    for line in lines[1:]:
        if not line.startswith(b"parent "):
            break
        parents.append(_named(line, b"parent ", object_format))
    return Commit(oid, tree, tuple(parents), raw)


def parse_tree(raw: bytes, object_format: str) -> tuple[Entry, ...]:
    """Read the entries of a tree, in the order written.

    Raises:
        ValueError: cut short, or a name or mode that could be read in two ways.
    """
    return parse_tree_with_places(raw, object_format)[0]


def parse_tree_with_places(
    raw: bytes, object_format: str
) -> tuple[tuple[Entry, ...], tuple[int, ...]]:
    """Read the entries of a tree as `parse_tree` does, and say where in the bytes each begins.

    Raises:
        ValueError: as for `parse_tree`.
    """
    width = _DIGITS[object_format] // 2
    entries: list[Entry] = []
    starts: list[int] = []
    names: set[bytes] = set()
    at, last = 0, b""
    while at < len(raw):
        end = raw.find(b"\0", at)
        if end < 0 or end + 1 + width > len(raw):
            raise ValueError("a tree is cut short")
        written, _, name = raw[at:end].partition(b" ")
        starts.append(at)
        at = end + 1 + width
        mode = _MODES.get(written) or _unusual_mode(written)
        if name in _RESERVED or b"/" in name:
            raise ValueError(f"a tree holds the impossible name {name!r}")
        order = name + b"/" if mode == TREE else name
        if order <= last or name in names:
            raise ValueError(f"a tree holds {name!r} twice or out of order")
        names.add(name)
        last = order
        entries.append(
            Entry(mode, name.decode("utf-8", "surrogateescape"), raw[end + 1 : at].hex())
        )
    return tuple(entries), tuple(starts)


def in_order(one: Entry, other: Entry) -> bool:
    """Say whether git writes the one before the other; a folder sorts as if it ended in `/`."""
    return _sort_key(one) < _sort_key(other)


def _sort_key(entry: Entry) -> bytes:
    name = entry.name.encode("utf-8", "surrogateescape")
    return name + b"/" if entry.mode == TREE else name


def _named(line: bytes, label: bytes, object_format: str) -> str:
    oid = line.removeprefix(label).decode("ascii", "replace")
    if not line.startswith(label) or not is_oid(oid, object_format):
        raise ValueError(f"a commit header reads {line[:80]!r} where {label.decode()}ID belongs")
    return oid


def _unusual_mode(written: bytes) -> str:
    text = written.decode("ascii", "replace")
    digits = set(text) <= set("01234567") and len(text) <= _MODE_DIGITS
    if not digits or not text or text.startswith("0"):
        raise ValueError(f"a tree holds the impossible mode {text!r}")
    return text.zfill(_MODE_DIGITS)


def entry_below(tree: str, path: str, named: Callable[[str, str], Entry | None]) -> Entry | None:
    """Find the entry at exactly a path below a tree, asking `named` for one name in one tree."""
    *folders, name = path.split("/")
    for folder in folders:
        entry = named(tree, folder)
        if entry is None or entry.mode != TREE:
            return None
        tree = entry.oid
    return named(tree, name)
