"""The last few answers of `diff` between two commits, word for word: for advice, never to decide.

An answer is kept under everything it depends on, so that the same question about the same content
is answered at once. What can be wrong with it is said in `derived_file`.
"""

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from agentpolicy.gitio.derived_file import derived_folder, read_derived, write_derived
from agentpolicy.gitio.repository import Repository

MOST_ANSWERS = 4
MOST_BYTES = 32 * 1024 * 1024
"""A larger answer is not kept."""
_HEAD = 256
"""More than the first line of a kept file takes."""
_BETWEEN = b"\0"


class Answer(NamedTuple):
    """What was written where."""

    data: str
    """On standard output."""
    words: str
    """On standard error; empty where nothing was."""


class AnswerMemory:
    """Knows the answer to one question, if it is among the last that were asked."""

    def __init__(self, repository: Repository, question: str) -> None:
        """Take the digest of all that the answer depends on."""
        self._folder = derived_folder(repository.common_dir) / "answers"
        self._question = question

    def recall(self) -> Answer | None:
        """Give the answer that was kept, if there is one."""
        body = read_derived(self._folder / self._question, self._question, MOST_BYTES + _HEAD)
        if body is None:
            return None
        data, _, words = body.decode("utf-8", "surrogatepass").partition(_BETWEEN.decode("ascii"))
        return Answer(data, words)

    def keep(self, answer: Answer) -> None:
        """Keep an answer and forget the oldest; a folder nobody may write to is fine."""
        body = _BETWEEN.join(part.encode("utf-8", "surrogatepass") for part in answer)
        if len(body) > MOST_BYTES or body.count(_BETWEEN) != 1:
            return
        with suppress(OSError):
            write_derived(self._folder / self._question, self._question, body)
            by_age = sorted(self._folder.iterdir(), key=_written, reverse=True)
            for old in by_age[MOST_ANSWERS:]:
                old.unlink()


def _written(place: Path) -> int:
    return place.lstat().st_mtime_ns
