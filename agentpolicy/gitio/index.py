"""What is staged, as git sees it.

Every question goes to git, so that the temporary index of `git commit -a` and `git commit FILE`
is the one that answers.
"""

from collections.abc import Iterable

from agentpolicy.base.values import dataclass
from agentpolicy.gitio.pathspec import is_below, pathspecs
from agentpolicy.gitio.raw import object_id
from agentpolicy.gitio.repository import Repository, bytes_of, text_of


@dataclass(frozen=True, slots=True)
class IndexFile:
    """One entry of the index."""

    path: str
    """Path from the top; bytes that are not UTF-8 stand as lone surrogates."""
    mode: str
    """`100644`, `100755`, `120000` or `160000`."""
    oid: str
    stage: int
    """0, or 1 to 3 for the sides of a conflict."""


def index_files(repository: Repository, *prefixes: str) -> tuple[IndexFile, ...]:
    """List what is staged at or below the prefixes, in any spelling of their case.

    `GIT_INDEX_FILE` is honoured. Files only announced by `git add --intent-to-add` are not part
    of the commit and are left out.

    Raises:
        UndecidedError: git cannot read the index.
    """
    out = repository.run("ls-files", "-s", "-z", "--", *pathspecs(prefixes))
    files = [_index_file(line) for line in out.split(b"\0")[:-1]]
    files = [file for file in files if is_below(file.path, prefixes)]
    nothing = object_id("blob", b"", repository.object_format)
    if any(file.oid == nothing for file in files):
        announced = _announced(repository)
        files = [file for file in files if file.oid != nothing or file.path not in announced]
    return tuple(files)


def add(repository: Repository, paths: Iterable[str]) -> None:
    """Stage these paths as they lie in the work tree; one that is gone is staged as deleted.

    Raises:
        UndecidedError: git cannot write the index, or a path names a folder.
    """
    listed = b"".join(bytes_of(path) + b"\0" for path in paths)
    repository.run("update-index", "--add", "--remove", "-z", "--stdin", stdin=listed)


def _index_file(line: bytes) -> IndexFile:
    about, _, path = line.partition(b"\t")
    mode, oid, stage = about.decode("ascii").split(" ")
    return IndexFile(text_of(path), mode, oid, int(stage))


def _announced(repository: Repository) -> frozenset[str]:
    if repository.top is None:
        return frozenset()
    out = repository.run("diff-files", "--name-only", "--diff-filter=A", "-z")
    return frozenset(text_of(path) for path in out.split(b"\0")[:-1])
