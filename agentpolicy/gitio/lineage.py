"""What each commit of a chain changes in what is governed, read in bulk along the chain.

Trees are compared folder by folder: what has the same id is the same and is not looked into. All
trees of a stretch of commits are asked for together, a level at a time, so that git is asked a
few questions a stretch rather than a few a commit.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from agentpolicy.base.errors import Problem, UndecidedError
from agentpolicy.base.values import dataclass, field
from agentpolicy.gitio.objects import LONGEST_PATH, Objects, corrupt
from agentpolicy.gitio.raw import SUBMODULE, TREE, Commit, Entry, entry_below
from agentpolicy.gitio.tree_growth import NO_TREE, Difference, Tree, grown, read_tree

_STRETCH = 256
"""Commits whose trees and new files are in memory together."""


class Leaf(NamedTuple):
    """A file, symbolic link or submodule as a tree lists it."""

    mode: str
    oid: str


class LeafChange(NamedTuple):
    """One path of what is governed, before and after; None where nothing was there."""

    old: Leaf | None
    new: Leaf | None


@dataclass(frozen=True, slots=True)
class Change:
    """What one commit changes beside the commit before it on the chain."""

    commit: Commit
    top: Difference
    """The names at the top of the repository that differ."""
    leaves: Mapping[str, LeafChange]
    """What is governed and differs, by path."""
    contents: Mapping[str, bytes] = field(repr=False)
    """The bytes of every new file of the stretch, by object id, one byte beyond the limit."""


@dataclass(slots=True)
class _Pair:
    """Two trees at one path of one commit, of which the older may be missing, or the newer."""

    number: int
    path: str
    old: str | None
    new: str | None


class Lineage:
    """Reads along a chain, keeping the trees of this stretch and of the one before it."""

    def __init__(self, objects: Objects, governed: Callable[[str], bool], limit: int) -> None:
        """Prepare to read; `governed` says of a name at the top whether it is looked into.

        Of files larger than `limit` one byte more than that is kept.
        """
        self._objects, self._governed, self._limit = objects, governed, limit
        self._trees: dict[str, Tree] = {}
        self._earlier: dict[str, Tree] = {}
        self._raw: Mapping[str, bytes] = {}

    def changes(self, before: Commit | None, commits: Sequence[Commit]) -> Iterator[Change]:
        """Say what each commit changes beside the one before it; `before` precedes the first.

        Raises:
            UndecidedError: a tree or a file cannot be read.
        """
        last = before.tree if before else None
        for at in range(0, len(commits), _STRETCH):
            stretch = commits[at : at + _STRETCH]
            yield from self._stretch(last, stretch)
            last = stretch[-1].tree

    def entry_at(self, tree: str, path: str) -> Entry | None:
        """Find the entry at exactly this path below a tree; None where there is none.

        Raises:
            UndecidedError: a tree on the way cannot be read.
        """
        return entry_below(tree, path, self._named)

    def _named(self, tree: str, name: str) -> Entry | None:
        return self._tree(tree).entry(name)

    def _stretch(self, last: str | None, commits: Sequence[Commit]) -> Iterator[Change]:
        self._earlier, self._trees = self._trees, {}
        tops: list[Difference] = [{} for _ in commits]
        leaves: list[dict[str, LeafChange]] = [{} for _ in commits]
        pairs: list[_Pair] = []
        for number, commit in enumerate(commits):
            if commit.tree != last:
                pairs.append(_Pair(number, "", last, commit.tree))
            last = commit.tree
        while pairs:
            self._ask_for(pairs)
            pairs = [below for pair in pairs for below in self._compare(pair, tops, leaves)]
        contents = self._contents(leaves)
        for commit, top, changed in zip(commits, tops, leaves, strict=True):
            yield Change(commit, top, changed, contents)

    def _compare(
        self, pair: _Pair, tops: list[Difference], leaves: list[dict[str, LeafChange]]
    ) -> Iterator[_Pair]:
        """Take note of the leaves that differ, and give the folders to look into next."""
        difference = self._difference(pair)
        if not pair.path:
            tops[pair.number] = difference
        for name, (old, new) in difference.items():
            if not pair.path and not self._governed(name):
                continue
            path = f"{pair.path}{name}"
            if len(path) > LONGEST_PATH:
                words = f"a path below {path[:80]!r} is longer than {LONGEST_PATH:,} characters"
                raise UndecidedError(Problem("tree-too-large", words, "git fsck --full"))
            was, now = (
                Leaf(entry.mode, entry.oid) if entry and entry.mode != TREE else None
                for entry in (old, new)
            )
            if was or now:
                leaves[pair.number][path] = LeafChange(was, now)
            folders = [entry.oid if entry and entry.mode == TREE else None for entry in (old, new)]
            if folders != [None, None]:
                yield _Pair(pair.number, f"{path}/", *folders)

    def _difference(self, pair: _Pair) -> Difference:
        old = NO_TREE if pair.old is None else self._tree(pair.old)
        if pair.new is None:
            return {entry.name: (entry, None) for entry in old.entries}
        raw = self._raw.get(pair.new)
        if raw is None:
            raw = self._tree(pair.new).raw
        try:
            self._trees[pair.new], difference = grown(old, raw, self._objects.object_format)
        except ValueError as error:
            raise corrupt(pair.new, str(error)) from error
        return difference

    def _ask_for(self, pairs: Sequence[_Pair]) -> None:
        """Read the newer trees of many pairs at once."""
        wanted = dict.fromkeys(pair.new for pair in pairs if pair.new is not None)
        unread = [oid for oid in wanted if oid not in self._trees and oid not in self._earlier]
        self._raw = dict(zip(unread, self._objects.raw_trees(unread), strict=True))

    def _tree(self, oid: str) -> Tree:
        found = self._trees.get(oid) or self._earlier.get(oid)
        if found is None:
            (raw,) = self._objects.raw_trees([oid])
            try:
                found = read_tree(raw, self._objects.object_format)
            except ValueError as error:
                raise corrupt(oid, str(error)) from error
        self._trees[oid] = found
        return found

    def _contents(self, leaves: Sequence[Mapping[str, LeafChange]]) -> Mapping[str, bytes]:
        """Read every new file of a stretch; what a submodule points at is not here."""
        new = (change.new for changed in leaves for change in changed.values())
        wanted = dict.fromkeys(leaf.oid for leaf in new if leaf and leaf.mode != SUBMODULE)
        return dict(zip(wanted, self._objects.blobs(wanted, self._limit), strict=True))
