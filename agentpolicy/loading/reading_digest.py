"""Which reading this is: what one version of the package accepts, another may refuse."""

import hashlib
from functools import cache
from pathlib import Path

from agentpolicy import __version__

_PACKAGE = Path(__file__).parent.parent
_WHAT_READS = ("base/*.py", "documents/*.py", "loading/*.py", "schemas/*.json")


@cache
def reading_digest() -> str:
    """Name the version, the schemas and the code that decide whether a file can be read."""
    hasher = hashlib.sha256(__version__.encode())
    for pattern in _WHAT_READS:
        for file in sorted(_PACKAGE.glob(pattern)):
            data = file.read_bytes()
            hasher.update(b"%s %d\0" % (file.name.encode(), len(data)))
            hasher.update(data)
    return hasher.hexdigest()
