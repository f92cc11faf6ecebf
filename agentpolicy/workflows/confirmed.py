"""Which recorded verdicts a waiver may cite: those the gate signed, from a log that is whole."""

from agentpolicy.base.instant import Instant
from agentpolicy.gitio.repository import Repository
from agentpolicy.provenance.reliance import TOLERANCE, gate_signed_verdicts, newest_instant
from agentpolicy.trust.authority import Authority
from agentpolicy.workflows.audit import log_of


def confirmed_verdicts(
    repository: Repository, authority: Authority, at: Instant
) -> frozenset[str] | None:
    """Give the digests of the gate's verdicts; None where the log cannot confirm any.

    That is so without a log, with one that is incomplete or was tampered with, and for an instant
    before the newest one in it: a clock that was set back must not revive a waiver.

    Raises:
        UndecidedError: git cannot read its refs.
    """
    log = log_of(repository, authority)
    newest = newest_instant(log.records)
    if log.tampered or log.unknown or newest is None or at < newest - TOLERANCE:
        return None
    return gate_signed_verdicts(log.records)
