"""Files in the git directory that spare work: whole and as they were written, or not there at all.

Whoever may write the git directory may write them, so nothing that decides reads one.
"""

import hashlib
import os
import tempfile
from pathlib import Path


def derived_folder(common_dir: Path) -> Path:
    """Give the folder they lie in, which all work trees of a clone share."""
    return common_dir / "agentpolicy"


def read_derived(place: Path, label: str, most_bytes: int) -> bytes | None:
    """Read a whole file that was written under this label; of any other there is nothing."""
    try:
        if place.is_symlink() or not place.is_file() or place.stat().st_size > most_bytes:
            return None
        head, _, body = place.read_bytes().partition(b"\n")
    except OSError:
        return None
    return body if head == _head(label, body) else None


def write_derived(place: Path, label: str, body: bytes) -> None:
    """Put a file in its place at once or not at all.

    Raises:
        OSError: nobody may write there.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=place.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_head(label, body) + b"\n" + body)
        Path(name).replace(place)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _head(label: str, body: bytes) -> bytes:
    return f"{label} {hashlib.sha256(body).hexdigest()}".encode("ascii")
