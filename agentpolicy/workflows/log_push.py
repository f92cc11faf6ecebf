"""May these commits enter the verdict log? The question of a server that somebody pushes to."""

from collections.abc import Iterator, Sequence

from agentpolicy.base.errors import Problem
from agentpolicy.base.instant import DAY, Instant, format_instant
from agentpolicy.gitio.hook_input import RefUpdate
from agentpolicy.gitio.log_reader import LogReader
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.repository import Repository
from agentpolicy.provenance.log import GATE_UNKNOWN, LoggedRecord, VerifiedLog
from agentpolicy.provenance.reliance import TOLERANCE
from agentpolicy.trust.authority import Authority


def unsound(
    repository: Repository,
    objects: Objects,
    roles: Authority | None,
    move: RefUpdate,
    at: Instant,
    *,
    receiving: bool,
) -> Iterator[Problem]:
    """Say why a push of the log is refused: what it adds must all be verified.

    Where it is received, what it adds must also be dated as of now: a record is pushed when it is
    made, and one from a clock far ahead would move everybody's.

    Readers skip what strangers signed, so it harms nobody; but where it can be kept out, it is.
    Nothing is written. Cost: one signature check a log commit, old ones too, since a writer's
    records are chained across them.
    """
    old, new = move.old, move.new
    if new is None:
        return
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
    added = after.records[len(before.records) :]
    # a log that moves here as a whole is old, and may hold keys that were retired since
    earliest = None if old is None else Instant(at - DAY)
    if old is not None:
        yield from _retired(roles, added)
    if receiving:
        yield from _misdated(added, earliest, at)


def _retired(roles: Authority, added: Sequence[LoggedRecord]) -> Iterator[Problem]:
    """Report new records of keys that are retired: what enters now was not written before."""
    for key in sorted({logged.key for logged in added if not roles.counts(logged.key)}):
        words = f"the key {key} was retired, so nothing it signed enters the log any more"
        yield Problem("log-unsound", words, "judge again, and record with a key that counts")


def _misdated(
    added: Sequence[LoggedRecord], earliest: Instant | None, at: Instant
) -> Iterator[Problem]:
    """Report the first new record that is dated ahead of the clock here, and the first too late."""
    dated = [logged.dated for logged in added if logged.dated is not None]
    ahead = max((one for one in dated if one > at + TOLERANCE), default=None)
    late = min((one for one in dated if earliest is not None and one < earliest), default=None)
    now = f"where it is {format_instant(at)} here"
    if ahead is not None:
        words = f"a record is dated {format_instant(ahead)}, {now}: that is ahead of the clock"
        yield Problem("log-unsound", words, "set the clock (date -u), judge and record again")
    if late is not None:
        words = f"a record is dated {format_instant(late)}, {now}: that is over a day late"
        yield Problem("log-unsound", words, "judge and record again, and push within the day")


def _troubles(log: VerifiedLog) -> tuple[Problem, ...]:
    """Give all that is wrong with a log, but for whose role nobody can tell any more."""
    unknown = (problem for problem in log.unknown if problem.code != GATE_UNKNOWN)
    return (*log.tampered, *unknown, *log.foreign)
