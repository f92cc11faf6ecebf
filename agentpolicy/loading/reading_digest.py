"""Which version of the code this is: what one accepts or says, another may not."""

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from agentpolicy import __version__

_PACKAGE = Path(__file__).parent.parent
_WHAT_READS = ("base/*.py", "documents/*.py", "loading/*.py", "schemas/*.json")
_WHAT_ANSWERS = ("**/*.py", "schemas/*.json")


@cache
def reading_digest() -> str:
    """Name the version, the schemas and the code that decide whether a file can be read."""
    return _digest_of(_WHAT_READS)


@cache
def answering_digest() -> str:
    """Name the version, the schemas and all code, which decide what is said about a change."""
    return _digest_of(_WHAT_ANSWERS)


def _digest_of(patterns: Iterable[str]) -> str:
    hasher = hashlib.sha256(__version__.encode())
    for pattern in patterns:
        for file in sorted(_PACKAGE.glob(pattern)):
            data = file.read_bytes()
            name = file.relative_to(_PACKAGE).as_posix()
            hasher.update(b"%s %d\0" % (name.encode(), len(data)))
            hasher.update(data)
    return hasher.hexdigest()
