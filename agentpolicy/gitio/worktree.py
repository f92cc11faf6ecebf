"""What lies in the work tree, tracked or new, read without following a symbolic link."""

import os
import shlex
import stat
from collections.abc import Iterator
from pathlib import Path, PurePath

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.base.values import dataclass, field
from agentpolicy.gitio.pathspec import is_below, worktree_pathspecs
from agentpolicy.gitio.raw import SUBMODULE, SYMLINK
from agentpolicy.gitio.repository import Repository, bytes_of, text_of

UNSTORABLE = "000000"
"""The mode of what git cannot store, such as a named pipe."""


@dataclass(frozen=True, slots=True)
class WorkFile:
    """One file of the work tree, before any filter of `git add`."""

    path: str
    """Path from the top; bytes that are not UTF-8 stand as lone surrogates."""
    mode: str
    """As in the index, or `UNSTORABLE`."""
    data: bytes = field(repr=False)
    """The bytes; of a symbolic link its target; nothing where the mode says there are none."""


def worktree_files(repository: Repository, *prefixes: str) -> Iterator[WorkFile]:
    """Read the tracked and the new, not ignored, files at or below the prefixes, by path.

    The prefixes match in any spelling of their case. Symbolic links are not followed, neither at
    the end of a path nor on the way; what a link on the way hides counts as gone.

    Raises:
        InputError: there is no work tree, or a file cannot be read.
        UndecidedError: git cannot read the index.
    """
    if repository.top is None:
        message = f"The repository {repository.git_dir} has no work tree to read here."
        raise InputError(Problem("no-work-tree", message, "name a commit instead"))
    which = ("--cached", "--others", "--exclude-standard", "--deduplicate")
    listing = ("-c", "core.fsmonitor=false", "ls-files", "-z", *which, "--")
    names = [text_of(os.fsencode(entry.name)) for entry in repository.top.iterdir()]
    out = repository.run(*listing, *worktree_pathspecs(prefixes, names))
    for path in sorted(text_of(name) for name in out.split(b"\0")[:-1]):
        place = PurePath(os.fsdecode(bytes_of(path)))
        if is_below(path, prefixes) and not _beyond_link(repository.top, place):
            found = _read(path, repository.top / place)
            if found is not None:
                yield found


def _beyond_link(top: Path, place: PurePath) -> bool:
    return any((top / folder).is_symlink() for folder in place.parents)


def _read(path: str, place: Path) -> WorkFile | None:
    """Read one path; None when nothing stands there."""
    try:
        mode = _mode(place.lstat().st_mode)
        data = b""
        if mode == SYMLINK:
            data = os.fsencode(place.readlink())
        elif mode.startswith("100"):
            data = place.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        message = f"{path!r} cannot be read: {error.strerror}."
        raise InputError(
            Problem("file-unreadable", message, f"ls -l {shlex.quote(path)}", path)
        ) from error
    # git lists another, unregistered repository with a slash at its end
    return WorkFile(path.rstrip("/"), mode, data)


def _mode(bits: int) -> str:
    if stat.S_ISLNK(bits):
        return SYMLINK
    if stat.S_ISDIR(bits):
        return SUBMODULE
    if not stat.S_ISREG(bits):
        return UNSTORABLE
    return "100755" if bits & stat.S_IXUSR else "100644"
