"""Objects read from git and checked against their names, through one `git cat-file --batch`.

Git is asked for bytes by full object id and believed only when the bytes hash to that id, so a
damaged pack, a poisoned object cache or a replaced object cannot change what is decided.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from types import TracebackType
from typing import Self

from agentpolicy.base.errors import Problem, UndecidedError
from agentpolicy.gitio.batch import Answer, Batch
from agentpolicy.gitio.raw import TREE, Commit, Entry, File, entry_below, parse_commit, parse_tree
from agentpolicy.gitio.repository import Repository

MOST_ENTRIES = 1_000_000
"""A walk visits no more entries than this: a few shared trees can spell out billions of files."""
LONGEST_PATH = 4096
"""Bytes of a path; longer ones cannot be checked out anywhere."""

_KEPT_BLOB, _KEPT_BLOBS = 1 << 16, 1 << 24
"""Bytes of the largest blob that is kept, and of all kept blobs together."""
_CHUNK = 128
"""Ids sent before the answers are read: 8 KiB, which the smallest pipe holds."""
_STRIDE = 16
"""Commits followed one by one before the rest of the chain is asked for in bulk."""
_LONGEST_STRIDE = 8192


class Objects:
    """Verified objects of one repository. Commits and trees are kept, blobs only when asked to."""

    def __init__(self, repository: Repository) -> None:
        """Prepare to read; git is started by the first read."""
        self._repository = repository
        self._format = repository.object_format
        self._batch = Batch(repository)
        self._commits: dict[str, Commit] = {}
        self._trees: dict[str, tuple[Entry, ...]] = {}
        self._blobs: dict[str, bytes] = {}
        self._room = _KEPT_BLOBS

    @property
    def object_format(self) -> str:
        """Which hash names the objects: `sha1` or `sha256`."""
        return self._format

    def __enter__(self) -> Self:
        """Read inside a `with`, so that git ends with it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the git process."""
        self._batch.close()

    def read(self, oid: str) -> tuple[str, bytes]:
        """Give the type and the bytes of one object.

        Raises:
            UndecidedError: `object-missing`, or `object-corrupt` when its bytes are not its name.
        """
        answer = self._answers([oid], None)[0]
        return answer.kind, answer.data

    def read_many(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Give the type and the bytes of many objects, in the order asked.

        Raises:
            UndecidedError: as for `read`, for the first object that fails.
        """
        for answer in self._stream(oids, None):
            yield answer.kind, answer.data

    def blob(self, oid: str, limit: int | None = None) -> bytes:
        """Give the bytes of a file; of one beyond `limit`, the first `limit + 1` bytes.

        The whole is verified either way; only memory is bounded.

        Raises:
            UndecidedError: as for `read`, or the object is not a blob.
        """
        answer = self._answers([oid], limit)[0]
        self._expect(answer, "blob")
        return answer.data

    def blobs(self, oids: Iterable[str], limit: int | None = None) -> Iterator[bytes]:
        """Give the bytes of many files, in the order asked; `limit` as for `blob`.

        Raises:
            UndecidedError: as for `blob`, for the first object that fails.
        """
        for answer in self._stream(oids, limit):
            self._expect(answer, "blob")
            yield answer.data

    def documents(self, oids: Sequence[str], limit: int) -> tuple[bytes, ...]:
        """Give the bytes of files as `blobs` does, keeping the small ones.

        For files that stay the same from commit to commit: each is read once.

        Raises:
            UndecidedError: as for `blob`, for the first object that fails.
        """
        wanted = dict.fromkeys(oid for oid in oids if oid not in self._blobs)
        read = dict(zip(wanted, self.blobs(wanted, limit), strict=True))
        for oid, data in read.items():
            if len(data) <= min(limit, _KEPT_BLOB, self._room):
                self._blobs[oid] = data
                self._room -= len(data)
        return tuple(read[oid] if oid in read else self._blobs[oid][: limit + 1] for oid in oids)

    def commit(self, oid: str) -> Commit:
        """Give a commit as its bytes say, without grafts and replacements.

        Raises:
            UndecidedError: as for `read`, or the object is not a readable commit.
        """
        if oid not in self._commits:
            self._keep_commits([oid])
        return self._commits[oid]

    def tree(self, oid: str) -> tuple[Entry, ...]:
        """Give the entries of a tree, in git's order.

        Raises:
            UndecidedError: as for `read`, or the object is not a readable tree.
        """
        if oid not in self._trees:
            self._keep_trees([oid])
        return self._trees[oid]

    def raw_trees(self, oids: Iterable[str]) -> Iterator[bytes]:
        """Give the bytes of many trees, in the order asked, without reading or keeping them.

        Raises:
            UndecidedError: as for `read`, or an object is not a tree.
        """
        for answer in self._stream(oids, None):
            self._expect(answer, "tree")
            yield answer.data

    def prefetch_trees(self, oids: Iterable[str]) -> None:
        """Read trees in bulk, so that asking for each of them later waits for nothing.

        Raises:
            UndecidedError: as for `tree`, for the first tree that fails.
        """
        self._keep_trees(dict.fromkeys(oid for oid in oids if oid not in self._trees))

    def prefetch_folders(self, oids: Iterable[str]) -> None:
        """Read trees and all trees below them in bulk, a level at a time.

        Raises:
            UndecidedError: as for `tree`, for the first tree that fails.
        """
        level = {oid for oid in oids if oid not in self._trees}
        while level:
            self._keep_trees(sorted(level))
            below = (entry for oid in level for entry in self._trees[oid])
            level = {entry.oid for entry in below if entry.mode == TREE} - self._trees.keys()

    def entry_at(self, tree: str, path: str) -> Entry | None:
        """Find the entry at exactly this path below a tree; None where there is none.

        Raises:
            UndecidedError: a tree on the way cannot be read.
        """
        return entry_below(tree, path, self._named)

    def walk(self, tree: str, prefix: str = "") -> Iterator[File]:
        """List every leaf below a tree, symbolic links and submodules too, in git's order.

        `prefix` is the path of the tree itself: `policies` lists `policies/roles.yaml`.

        Raises:
            UndecidedError: a tree cannot be read, or there are more entries or longer paths than
                any honest repository has.
        """
        seen = 0
        stack = [(prefix + "/" if prefix else "", iter(self._with_subtrees(tree)))]
        while stack:
            base, entries = stack[-1]
            entry = next(entries, None)
            if entry is None:
                stack.pop()
                continue
            seen += 1
            path = base + entry.name
            if seen > MOST_ENTRIES or len(path) > LONGEST_PATH:
                raise UndecidedError(
                    Problem(
                        "tree-too-large",
                        f"The tree {tree} is too large to be read: more than {MOST_ENTRIES:,} "
                        f"entries, or a path longer than {LONGEST_PATH:,} characters.",
                        f"git ls-tree -r --name-only {tree}",
                    )
                )
            if entry.mode == TREE:
                stack.append((path + "/", iter(self._with_subtrees(entry.oid))))
            else:
                yield File(path, entry.mode, entry.oid)

    def first_parents(self, tip: str, stop_at: str | None = None) -> tuple[Commit, ...] | None:
        """Follow first parents from `tip`, newest first, down to but without `stop_at`.

        None when the chain ends without meeting `stop_at`; without one, the chain to its root.

        Raises:
            UndecidedError: a commit on the way cannot be read, as in a shallow clone.
        """
        chain: list[Commit] = []
        oid = tip
        while oid != stop_at:
            if len(chain) >= _STRIDE and oid not in self._commits:
                self._keep_ahead(oid, min(2 * len(chain), _LONGEST_STRIDE))
            commit = self.commit(oid)
            chain.append(commit)
            if not commit.parents:
                return tuple(chain) if stop_at is None else None
            oid = commit.parents[0]
        return tuple(chain)

    def _keep_ahead(self, oid: str, count: int) -> None:
        """Ask git which commits probably come next. Only a hint: parents are read in process."""
        args = ("rev-list", "--first-parent", f"--max-count={count}", oid)
        code, listed = self._repository.try_run(*args)
        if code == 0:
            self._keep_commits(listed.decode("ascii").split())

    def _keep_commits(self, oids: Iterable[str]) -> None:
        for answer in self._stream(oids, None):
            self._expect(answer, "commit")
            try:
                self._commits[answer.oid] = parse_commit(answer.oid, answer.data, self._format)
            except ValueError as error:
                raise corrupt(answer.oid, str(error)) from error

    def _keep_trees(self, oids: Iterable[str]) -> None:
        for answer in self._stream(oids, None):
            self._expect(answer, "tree")
            try:
                self._trees[answer.oid] = parse_tree(answer.data, self._format)
            except ValueError as error:
                raise corrupt(answer.oid, str(error)) from error

    def _named(self, tree: str, name: str) -> Entry | None:
        return next((entry for entry in self.tree(tree) if entry.name == name), None)

    def _with_subtrees(self, oid: str) -> tuple[Entry, ...]:
        entries = self.tree(oid)
        self.prefetch_trees(entry.oid for entry in entries if entry.mode == TREE)
        return entries

    def _stream(self, oids: Iterable[str], limit: int | None) -> Iterator[Answer]:
        remaining = iter(oids)
        while chunk := list(islice(remaining, _CHUNK)):
            yield from self._answers(chunk, limit)

    def _answers(self, oids: list[str], limit: int | None) -> list[Answer]:
        answers = self._batch.ask(oids, limit)
        for answer in answers:
            if answer.found != answer.oid:
                raise self._missing(answer) if not answer.kind else _mismatch(answer)
        return answers

    def _missing(self, answer: Answer) -> UndecidedError:
        shallow = self._repository.shallow
        message = f"The object {answer.oid} is not in this repository"
        message += ", whose history was cut by a shallow clone." if shallow else "."
        hint = "git fetch --unshallow" if shallow else "git fetch"
        return UndecidedError(Problem("object-missing", message, hint))

    def _expect(self, answer: Answer, kind: str) -> None:
        if answer.kind != kind:
            message = f"The object {answer.oid} is a {answer.kind} where a {kind} is needed."
            raise UndecidedError(Problem("object-type", message, f"git cat-file -t {answer.oid}"))


def _mismatch(answer: Answer) -> UndecidedError:
    return corrupt(answer.oid, f"its bytes are those of {answer.found}")


def corrupt(oid: str, why: str) -> UndecidedError:
    """Say that the bytes of an object are not what its name promises."""
    message = f"The object {oid} cannot be trusted: {why}."
    return UndecidedError(Problem("object-corrupt", message, "git fsck --full"))
