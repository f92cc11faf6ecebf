"""Merges three states of one document as git merges text, but for its version number.

The number differs on every side and says nothing about the rules, so it alone is no conflict.
"""

import tempfile
from pathlib import Path

from agentpolicy.documents.document import VERSION_KEYS
from agentpolicy.gitio.repository import Repository
from agentpolicy.loading.document import read_document
from agentpolicy.workflows.versions import with_version


def three_way(
    repository: Repository, path: str, base: bytes | None, ours: bytes, theirs: bytes
) -> bytes | None:
    """Give the merged bytes; None where both sides changed the same lines.

    What comes out equal to a side but for its number is that side, the later one of two.

    Raises:
        InputError: a side, or the merged document, cannot be read.
    """
    sides = sorted((ours, theirs), key=lambda side: version_of(path, side))
    start = b"" if base is None else unnumbered(path, base)
    found = _merged(repository, start, *(unnumbered(path, side) for side in sides))
    if found is None:
        return None
    read_document(path, found)
    return next((side for side in reversed(sides) if unnumbered(path, side) == found), found)


def unnumbered(path: str, data: bytes) -> bytes:
    """Give a document's bytes under one and the same number, to compare and merge all the rest.

    Raises:
        InputError: the document cannot be read.
    """
    document = read_document(path, data)
    return with_version(document, 1) if document.kind in VERSION_KEYS else data


def version_of(path: str, data: bytes) -> int:
    """Read a document's version number.

    Raises:
        InputError: the document cannot be read.
    """
    return read_document(path, data).version


def _merged(repository: Repository, base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    with tempfile.TemporaryDirectory(prefix="agentpolicy-") as folder:
        files = [Path(folder, name) for name in ("ours", "base", "theirs")]
        for file, data in zip(files, (ours, base, theirs), strict=True):
            file.write_bytes(data)
        code, out = repository.try_run("merge-file", "-p", "-q", *map(str, files))
    return out if code == 0 else None
