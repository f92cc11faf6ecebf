"""Asks the log for verdicts. An answer says whether it is complete: no row proves no absence."""

from collections.abc import Iterable

from agentpolicy.base.values import dataclass
from agentpolicy.provenance.log import LoggedRecord, VerifiedLog
from agentpolicy.provenance.verdict import VerdictStatement


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which verdicts are asked for; what is None does not matter."""

    commit: str | None = None
    """The policy commit, or the first digits of its id."""
    decision: str | None = None
    agent: str | None = None
    subject: str | None = None
    verdict: str | None = None
    """The verdict's digest, or the first digits of it; `sha256:` may be left out."""

    def fits(self, found: "Found") -> bool:
        """Say whether a verdict is one of those asked for."""
        stated = found.statement
        name = "sha256:" + (self.verdict or "").removeprefix("sha256:")
        return (
            (self.commit is None or (stated.policy.commit or "").startswith(self.commit))
            and (self.decision is None or stated.decision == self.decision)
            and (self.agent is None or stated.judged.agent == self.agent)
            and (self.subject is None or stated.judged.subject == self.subject)
            and (self.verdict is None or found.verdict.startswith(name))
        )


@dataclass(frozen=True, slots=True)
class Found:
    """One recorded verdict."""

    verdict: str
    """Its digest."""
    statement: VerdictStatement
    logged: LoggedRecord


def verdicts_in(records: Iterable[LoggedRecord]) -> Iterable[Found]:
    """Give the verdicts among verified records, in the order of the log."""
    for logged in records:
        if logged.verdict is not None:
            yield Found(logged.verdict.digest, logged.verdict, logged)


@dataclass(frozen=True, slots=True)
class Answer:
    """The verdicts that were found, and whether there may be others."""

    verdicts: tuple[Found, ...]
    log: VerifiedLog

    @property
    def complete(self) -> bool:
        """Whether these are all."""
        return self.log.complete


def query(log: VerifiedLog, wanted: Wanted) -> Answer:
    """Find the recorded verdicts that fit, in the order of the log."""
    return Answer(tuple(found for found in verdicts_in(log.records) if wanted.fits(found)), log)
