"""What verifying a history found, as one value for text, JSON and exit code."""

from dataclasses import dataclass

from agentpolicy.admission.decide import Admission
from agentpolicy.provenance.log import VerifiedLog
from agentpolicy.provenance.query import Found
from agentpolicy.trust.authority import Authority
from agentpolicy.trust.pin import Pin


@dataclass(frozen=True, slots=True)
class Closing:
    """The commit that put refused ones right."""

    commit: str
    restored: bool
    """Whether it holds exactly the state before them, rather than an admissible change of it."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """Commits in a row that were refused for the same reasons."""

    commits: tuple[str, ...]
    """Their ids, oldest first."""
    admission: Admission
    closing: Closing | None
    """None: nothing has put them right yet."""
    verdicts: tuple[Found, ...]
    """What was recorded under one of them, as far as the log can be read."""


@dataclass(frozen=True, slots=True)
class Raising:
    """The pin after verifying, and what kept it from moving to the tip."""

    pin: Pin
    held_back: str


@dataclass(frozen=True, slots=True)
class History:
    """A verified stretch of the policy ref's history."""

    ref: str
    begin: str
    """The commit that judging began with, or behind."""
    tip: str
    commits: int
    """How many commits were asked about."""
    unusable: tuple[Unusable, ...]
    restore_from: str | None
    """The last admissible commit."""
    log: VerifiedLog | None
    """The verdict log, where it was looked into."""
    raising: Raising
    authority: Authority | None

    @property
    def stands(self) -> bool:
        """Whether all that was refused was put right, and nobody has a verdict from it."""
        return all(one.closing is not None and not one.verdicts for one in self.unusable)

    @property
    def log_known(self) -> bool:
        """Whether the verdicts listed are all: a log that is not here holds none we know of."""
        return self.log is None or self.log.complete or no_log(self.log)


def no_log(log: VerifiedLog) -> bool:
    """Say whether there is no verdict log here at all."""
    return any(problem.code == "no-log" for problem in log.unknown)
