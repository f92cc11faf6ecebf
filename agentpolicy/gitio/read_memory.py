"""Which blobs were read without fault before: a hint that spares `diff` reading them again.

Whoever may write the git directory may write this file, so nothing that decides reads it: not
`check`, no hook, not `verify-history`, not the gate. A line only ever says "nothing is wrong with
these bytes at this path"; what the bytes say always comes from git.
"""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from agentpolicy.gitio.derived_file import derived_folder, read_derived, write_derived
from agentpolicy.gitio.repository import Repository, bytes_of, text_of

MOST_LINES = 100_000
"""More are not kept: then only those of the last command."""
MOST_BYTES = 32 * 1024 * 1024


class ReadMemory:
    """The paths and blob ids that one way of reading had nothing to say against."""

    def __init__(self, repository: Repository, reading: str) -> None:
        """Recall what `reading`, the digest of whatever decides what can be read, has read."""
        self._place = derived_folder(repository.common_dir) / "read-without-fault"
        self._reading = reading
        self._known = frozenset(_recalled(self._place, reading))
        self._seen: dict[str, None] = {}

    def knows(self, path: str, oid: str) -> bool:
        """Say whether these bytes at this path were read without fault."""
        return f"{oid} {path}" in self._known

    def note(self, path: str, oid: str) -> None:
        """Take note that they are without fault."""
        self._seen[f"{oid} {path}"] = None

    def keep(self) -> None:
        """Write down what is new, at once or not at all; a folder nobody may write to is fine."""
        if self._seen.keys() <= self._known:
            return
        lines = self._seen.keys() | self._known
        if len(lines) > MOST_LINES:
            lines = set(self._seen)
        if len(lines) <= MOST_LINES:
            with suppress(OSError):
                body = bytes_of("".join(f"{line}\n" for line in sorted(lines)))
                write_derived(self._place, self._reading, body)


def _recalled(place: Path, reading: str) -> Iterable[str]:
    body = read_derived(place, reading, MOST_BYTES)
    return () if body is None else text_of(body).split("\n")[:-1]
