"""New objects, byte for byte: nothing of the user's identity, filters or settings enters them."""

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from agentpolicy.base.errors import Problem, UndecidedError
from agentpolicy.base.instant import Instant
from agentpolicy.base.values import replace
from agentpolicy.gitio.raw import TREE, Entry, object_id, zero_oid
from agentpolicy.gitio.repository import Repository, bytes_of

AUTHOR = "agentpolicy <agentpolicy@localhost.invalid>"
"""Who wrote the commits this tool makes; signatures say who answers for them."""


def write_blob(repository: Repository, data: bytes) -> str:
    """Store bytes as a blob and give its id.

    Raises:
        UndecidedError: git cannot store it, or stored something else.
    """
    return _write(repository, "blob", data)


def write_tree(repository: Repository, entries: Iterable[Entry]) -> str:
    """Store a tree of entries in any order and give its id.

    Raises:
        UndecidedError: an object it names is missing, a name is impossible, or git cannot store it.
    """
    lines = [
        b"%s %s %s\t%s\0"
        % (
            entry.mode.encode(),
            b"tree" if entry.mode == TREE else b"blob",
            entry.oid.encode(),
            bytes_of(entry.name),
        )
        for entry in entries
    ]
    return repository.run("mktree", "-z", stdin=b"".join(lines)).decode("ascii").strip()


def tree_with(repository: Repository, commit: str, changed: Mapping[str, bytes | None]) -> str:
    """Store the tree of a commit with some files changed (None: removed), and give its id.

    An index of its own is used, so that nobody's work is touched.

    Raises:
        UndecidedError: git cannot read the commit or store what is new.
    """
    zero = zero_oid(repository.object_format)
    lines = [
        f"0 {zero}\t{path}" if data is None else f"100644 {write_blob(repository, data)}\t{path}"
        for path, data in changed.items()
    ]
    with tempfile.TemporaryDirectory(prefix="agentpolicy-") as folder:
        environ = {**repository.environ, "GIT_INDEX_FILE": str(Path(folder, "index"))}
        aside = replace(repository, environ=environ)
        aside.run("read-tree", f"{commit}^{{tree}}")
        listed = b"".join(bytes_of(line) + b"\0" for line in lines)
        aside.run("update-index", "-z", "--index-info", stdin=listed)
        return aside.run("write-tree").decode("ascii").strip()


def write_commit(
    repository: Repository, tree: str, parents: Sequence[str], message: str, at: Instant
) -> str:
    """Store a commit in the tool's own name, dated `at` in UTC, and give its id.

    Raises:
        UndecidedError: git cannot store it, or stored something else.
    """
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
    lines += [f"author {AUTHOR} {at} +0000", f"committer {AUTHOR} {at} +0000", "", message]
    return _write(repository, "commit", bytes_of("\n".join(lines) + "\n"))


def _write(repository: Repository, kind: str, data: bytes) -> str:
    args = ("hash-object", "-t", kind, "-w", "--stdin")
    oid = repository.run(*args, stdin=data).decode("ascii").strip()
    if oid != object_id(kind, data, repository.object_format):
        raise UndecidedError(
            Problem(
                "object-corrupt",
                f"git stored {oid}, whose bytes are not those given to it.",
                "git fsck --full",
            )
        )
    return oid
