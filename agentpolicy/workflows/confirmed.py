"""Which recorded verdicts a waiver may cite: those the gate signed, from a log that is whole."""

from collections.abc import Mapping
from pathlib import Path

from agentpolicy.base.errors import InputError, Problem, UndecidedError
from agentpolicy.base.instant import Instant, format_instant
from agentpolicy.base.values import dataclass
from agentpolicy.gitio.log_reader import LogReader
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.repository import Repository, open_repository
from agentpolicy.provenance.log import VerifiedLog
from agentpolicy.provenance.reliance import TOLERANCE, gate_signed_verdicts, newest_instant
from agentpolicy.trust.authority import Authority
from agentpolicy.workflows.audit import authority_in_force, log_of


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The verdicts that the log confirms, or why it can confirm none."""

    verdicts: frozenset[str] | None
    """Digests of the gate's verdicts; None where nothing can be confirmed."""
    why_none: tuple[Problem, ...] = ()


def confirmation(
    repository: Repository, authority: Authority, at: Instant, pushed: str | None = None
) -> Confirmation:
    """Ask the log which verdicts the gate signed; `pushed` is a tip of it that is on its way in.

    Nothing is confirmed without a log, by one that is incomplete or was tampered with, and for an
    instant before the newest one in it: a clock that was set back must not revive a waiver.

    Raises:
        UndecidedError: git cannot read its refs.
    """
    log = (
        log_of(repository, authority) if pushed is None else _log_to(repository, authority, pushed)
    )
    if not log.complete:
        return Confirmation(None, (*log.tampered, *log.unknown))
    newest = newest_instant(log.records)
    if newest is None:
        words = "the log holds no verdict signed by the gate"
        return Confirmation(None, (Problem("no-gate-verdict", words, "agentpolicy audit query"),))
    if at < newest - TOLERANCE:
        words = (
            f"{format_instant(at)} is before the newest verdict in the log, of "
            f"{format_instant(newest)}, and no waiver is revived by a clock that was set back"
        )
        return Confirmation(None, (Problem("clock-behind-log", words, "date -u"),))
    return Confirmation(gate_signed_verdicts(log.records))


def confirmation_at(path: Path, environ: Mapping[str, str], at: Instant) -> Confirmation:
    """Ask the log of the repository that a proposed policy lies in."""
    folder = path if path.is_dir() else path.parent
    try:
        repository = open_repository(folder, environ)
    except InputError:
        words = "it lies in no git repository, so no verdict log confirms its waivers"
        hint = "name a policies folder inside the repository with `--proposed`"
        return Confirmation(None, (Problem("no-repository", words, hint, str(path)),))
    try:
        return confirmation(repository, authority_in_force(repository, at), at)
    except UndecidedError as error:
        return Confirmation(None, error.problems)


def _log_to(repository: Repository, authority: Authority, tip: str) -> VerifiedLog:
    with Objects(repository) as objects:
        return LogReader(repository, objects, authority).read_to(tip)


def confirmed_verdicts(
    repository: Repository, authority: Authority, at: Instant, pushed: str | None = None
) -> frozenset[str] | None:
    """Give the digests of the gate's verdicts; None where the log cannot confirm any.

    Raises:
        UndecidedError: git cannot read its refs.
    """
    return confirmation(repository, authority, at, pushed).verdicts
