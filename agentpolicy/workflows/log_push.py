"""May these commits enter the verdict log? The question of a server that somebody pushes to."""

from collections.abc import Iterator, Sequence

from agentpolicy.base.errors import Problem
from agentpolicy.gitio.log_reader import LogReader
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.repository import Repository
from agentpolicy.provenance.log import GATE_UNKNOWN, LoggedRecord, VerifiedLog
from agentpolicy.trust.authority import Authority


def unsound(
    repository: Repository, objects: Objects, roles: Authority | None, old: str | None, new: str
) -> Iterator[Problem]:
    """Say why a push of the log is refused: what it adds must all be verified.

    Readers skip what strangers signed, so it harms nobody; but where it can be kept out, it is.
    Nothing is written. Cost: one signature check a log commit, old ones too, since a writer's
    records are chained across them.
    """
    if roles is None:
        words = "no trust root is in force here, so no signature in the log means anything"
        yield Problem("log-unsound", words, "push the policies first")
        return
    reader = LogReader(repository, objects, roles)
    before, after = reader.read_to(old), reader.read_to(new)
    known = frozenset(_troubles(before))
    for problem in _troubles(after):
        if problem not in known:
            words = f"the pushed log does not verify: {problem.message}"
            yield Problem("log-unsound", words, f"git log --first-parent {new}")
    if old is not None:  # a log that moves here as a whole may hold keys that were retired since
        yield from _retired(roles, after.records[len(before.records) :])


def _retired(roles: Authority, added: Sequence[LoggedRecord]) -> Iterator[Problem]:
    """Report new records of keys that are retired: what enters now was not written before."""
    for key in sorted({logged.key for logged in added if not roles.counts(logged.key)}):
        words = f"the key {key} was retired, so nothing it signed enters the log any more"
        yield Problem("log-unsound", words, "judge again, and record with a key that counts")


def _troubles(log: VerifiedLog) -> tuple[Problem, ...]:
    """Give all that is wrong with a log, but for whose role nobody can tell any more."""
    unknown = (problem for problem in log.unknown if problem.code != GATE_UNKNOWN)
    return (*log.tampered, *unknown, *log.foreign)
