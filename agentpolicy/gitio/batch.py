"""The conversation with one `git cat-file --batch`: ids in, objects out, hashed on the way."""

import hashlib
import shlex
import subprocess
from collections.abc import Sequence
from typing import IO, NamedTuple

from agentpolicy.base.errors import Problem, UndecidedError
from agentpolicy.gitio.raw import is_oid
from agentpolicy.gitio.repository import Repository, cannot_start

_PIECE = 1 << 20
_HEADER_WORDS = 3


class Answer(NamedTuple):
    """What came back for one id. A tuple, because there are very many."""

    oid: str
    """The id asked for."""
    kind: str
    """`blob`, `tree`, `commit`, `tag`; empty when there is no such object."""
    data: bytes
    """The bytes, cut after `limit + 1` where a limit was given."""
    found: str
    """The id the whole object's bytes hash to."""


class Batch:
    """One git process, started when first asked; one conversation at a time."""

    def __init__(self, repository: Repository) -> None:
        """Remember where to start git."""
        self._repository = repository
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, oids: Sequence[str], limit: int | None) -> list[Answer]:
        """Ask for objects by full id, all at once, and give an answer for each, in order.

        The ids must fit into a pipe together, or both sides would wait for each other.

        Raises:
            UndecidedError: an id is not a full object id, or git died.
        """
        for oid in oids:
            if not is_oid(oid, self._repository.object_format):
                raise UndecidedError(
                    Problem(
                        "object-name",
                        f"{oid!r} is not a full object id of this repository.",
                        f"git rev-parse --verify {shlex.quote(oid)}",
                    )
                )
        process = self._process or self._start()
        sent, received = process.stdin, process.stdout
        assert sent is not None
        assert received is not None
        try:
            sent.write(b"".join(oid.encode("ascii") + b"\n" for oid in oids))
            sent.flush()
            return [self._receive(received, oid, limit) for oid in oids]
        except (OSError, EOFError) as error:
            raise self._died(process) from error
        except BaseException:
            # the rest of the answers would be taken for those of the next question
            self._abandon(process)
            raise

    def close(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            self._abandon(self._process)

    def _start(self) -> subprocess.Popen[bytes]:
        repository = self._repository
        try:
            self._process = subprocess.Popen(
                ["git", "cat-file", "--batch"],
                cwd=repository.cwd,
                env=repository.environ,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=1 << 16,
            )
        except OSError as error:
            raise cannot_start(repository.cwd, error) from error
        return self._process

    def _receive(self, received: IO[bytes], oid: str, limit: int | None) -> Answer:
        words = received.readline().split()
        if len(words) != _HEADER_WORDS:
            if words[1:] != [b"missing"]:
                raise EOFError
            return Answer(oid, "", b"", "")
        size = int(words[2])
        hasher = hashlib.new(self._repository.object_format, b"%s %d\0" % (words[1], size))
        data = _exactly(received, size if limit is None else min(size, limit + 1))
        hasher.update(data)
        left = size - len(data)
        while left:
            piece = _exactly(received, min(left, _PIECE))
            hasher.update(piece)
            left -= len(piece)
        _exactly(received, 1)
        return Answer(oid, words[1].decode("ascii"), data, hasher.hexdigest())

    def _died(self, process: subprocess.Popen[bytes]) -> UndecidedError:
        process.kill()
        words = process.stderr.read().decode("utf-8", "replace").strip() if process.stderr else ""
        self._abandon(process)
        message = f"git stopped while reading objects: {words or 'without a word'}"
        return UndecidedError(Problem("object-unreadable", message, "git fsck --full"))

    def _abandon(self, process: subprocess.Popen[bytes]) -> None:
        self._process = None
        process.kill()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                _close(pipe)
        process.wait()


def _exactly(received: IO[bytes], size: int) -> bytes:
    data = received.read(size)
    if len(data) != size:
        raise EOFError
    return data


def _close(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except OSError:
        return  # what was still unsent has no reader any more
