"""Everything governed at one point, from files as git holds them: nothing is ever dropped."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from shlex import quote
from typing import NamedTuple

from agentpolicy.base.canonical import digest
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.base.source import Position
from agentpolicy.documents.document import Document, Snapshot
from agentpolicy.documents.layout import APPROVALS, is_approval
from agentpolicy.loading.document import read_document

MAX_APPROVAL_BYTES = 16 * 1024
"""The largest stored approval."""

_MODES: Mapping[str, tuple[str, str]] = {
    "120000": ("symlink", "a symlink, so its content lies elsewhere"),
    "160000": ("submodule", "a submodule, so its content lies in another repository"),
}
_REGULAR = frozenset({"100644", "100755"})


class PolicyFile(NamedTuple):
    """A file under `policies/` as git has it."""

    path: str
    """Path from the top of the repository; bytes that are not UTF-8 as surrogate escapes."""
    mode: str
    """Git's mode: `100644`, `100755`, `120000` (symlink) or `160000` (submodule)."""
    data: bytes
    """The content; of a symlink its target, of a submodule nothing."""


class ReadCache(dict[tuple[str, str], "Document | tuple[Problem, ...]"]):
    """Remembers what each path and content read as, so that nothing is parsed twice.

    Only valid within one process: results are immutable and depend on path and bytes alone.
    """


def read_snapshot(
    files: Iterable[PolicyFile],
    guarded: Mapping[str, bytes] | None = None,
    cache: ReadCache | None = None,
) -> Snapshot:
    """Read all files under `policies/` and the guarded files that exist.

    What cannot be read is kept with its problems in `unreadable`; this never raises for content.
    """
    remembered = ReadCache() if cache is None else cache
    given = tuple(files)
    twins = name_collisions(file.path for file in given)
    documents: dict[str, Document] = {}
    unreadable: dict[str, tuple[Problem, ...]] = {}
    digests: dict[str, str] = {}
    approvals: dict[str, bytes] = {}
    for file in given:
        path = file.path
        approval = is_approval(path)
        if not approval:
            digests[path] = digest(file.data)
        problems = tuple(_refusals(file, twins.get(path, ())))
        if problems:
            unreadable[path] = problems
        elif approval:
            approvals[path] = file.data
        else:
            found = _read(file, digests[path], remembered)
            if isinstance(found, Document):
                documents[path] = found
            else:
                unreadable[path] = found
    held = {path: digest(data) for path, data in (guarded or {}).items()}
    return Snapshot(documents, unreadable, digests, approvals, held)


def _read(file: PolicyFile, sha256: str, cache: ReadCache) -> Document | tuple[Problem, ...]:
    """Read a document, or recall how the same bytes at the same path read before."""
    key = (file.path, sha256)
    found = cache.get(key)
    if found is None:
        try:
            found = read_document(file.path, file.data)
        except InputError as error:
            found = error.problems
        cache[key] = found
    return found


def _refusals(file: PolicyFile, twins: tuple[str, ...]) -> Iterator[Problem]:
    """Say why a file is refused before its content is looked at."""
    path, mode, data = file
    shown = path if _is_plain(path) else ascii(path)[1:-1]
    if not _is_plain(path):
        message = f"the name {path!a} holds more than visible ASCII without spaces"
        yield _problem("unusual-path", message, "rename it to a-z, 0-9, `.`, `_` and `-`", shown)
    if mode in _MODES:
        code, what = _MODES[mode]
        yield _problem(code, f"`{shown}` is {what}", "put the file itself here", shown)
    elif mode not in _REGULAR:
        message = f"`{shown}` has mode {mode}, which is no regular file"
        yield _problem("unknown-mode", message, "put a regular file here", shown)
    for twin in twins:
        message = f"`{shown}` and {twin!a} are one name on some file systems"
        yield _problem("name-collision", message, f"rename one: git mv {quote(shown)} …", shown)
    if not path.startswith(APPROVALS):
        return
    if not is_approval(path):
        message = f"`{shown}` is not where a stored approval belongs"
        yield _problem("misplaced-approval", message, f"git rm {quote(shown)}", shown)
    elif len(data) > MAX_APPROVAL_BYTES:
        message = f"the approval has {len(data)} bytes; one has at most {MAX_APPROVAL_BYTES}"
        yield _problem("approval-too-large", message, f"git rm {quote(shown)}", shown)


def _problem(code: str, message: str, hint: str, path: str) -> Problem:
    return Problem(code, message, hint, path, Position(path, 1, 1))


def _is_plain(path: str) -> bool:
    """Say whether a path is visible ASCII without spaces."""
    return path.isascii() and path.isprintable() and " " not in path


def name_collisions(paths: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """Find names that differ only by case or by how their characters are composed."""
    by_fold: dict[str, list[str]] = {}
    for path in paths:
        fold = path.lower() if path.isascii() else _folded(path)
        by_fold.setdefault(fold, []).append(path)
    return {
        path: tuple(other for other in alike if other != path)
        for alike in by_fold.values()
        if len(alike) > 1
        for path in alike
    }


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())
