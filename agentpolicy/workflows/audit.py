"""Asks the verdict log, and verifies it. Every answer is yes, no, or unknown."""

import re
from enum import StrEnum

from agentpolicy.admission.commands import sign_command
from agentpolicy.base.errors import InputError, Problem, UndecidedError
from agentpolicy.base.instant import Instant
from agentpolicy.base.values import dataclass, replace
from agentpolicy.gitio.log_store import read_log
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.refs import LOG_REF
from agentpolicy.gitio.repository import Repository
from agentpolicy.provenance.log import VerifiedLog
from agentpolicy.provenance.query import Answer, Wanted
from agentpolicy.provenance.query import query as find
from agentpolicy.trust.authority import Authority
from agentpolicy.workflows.fetching import commit_named, remote_of
from agentpolicy.workflows.policy_chain import chain_at_policy_ref

_DIGEST = re.compile(r"(sha256:)?[0-9a-f]{1,64}")
_HEX = re.compile(r"[0-9a-f]{4,64}")


class Standing(StrEnum):
    """What the log as a whole is worth."""

    OK = "ok"
    TAMPERED = "tampered"
    """A verified record changed or vanished. Said before anything else."""
    UNKNOWN = "unknown"
    """Part of it cannot be read or understood, so that answers may lack something."""


def standing_of(log: VerifiedLog) -> Standing:
    """Say what a log is worth; tampering is never covered by what is unknown besides."""
    if log.tampered:
        return Standing.TAMPERED
    return Standing.UNKNOWN if log.unknown else Standing.OK


@dataclass(frozen=True, slots=True)
class Audited:
    """An answer, and the worth of the log it is from."""

    answer: Answer
    standing: Standing


def authority_in_force(repository: Repository, at: Instant) -> Authority:
    """Give the trust root in force: the roles of the policy ref's last admissible state.

    Raises:
        UndecidedError: there is no pin or no policy yet, so nobody's signature means anything.
    """
    with Objects(repository) as objects:
        chain = chain_at_policy_ref(repository, objects, at, whole=True)
    authority = chain.authority
    if authority is None:
        words = f"nothing recorded yet: no policy has landed on {chain.pin.policy_ref}"
        raise UndecidedError(Problem("no-policy", words, sign_command()))
    return authority


def query(repository: Repository, wanted: Wanted, authority: Authority) -> Audited:
    """Find recorded verdicts; without a log nothing is known, which is not the same as none.

    `wanted.commit` is a commit's id or its first digits, which need not be here any more, or any
    name git knows a commit by.

    Raises:
        InputError: the commit is named by no id, and git knows none by that name; or the verdict
            by no digest.
        UndecidedError: git cannot read its refs.
    """
    if wanted.verdict is not None and not _DIGEST.fullmatch(wanted.verdict):
        words = f"{wanted.verdict!r} is not the beginning of a verdict's digest, such as 2d5d1dd4"
        raise InputError(Problem("bad-digest", words, "agentpolicy audit query"))
    if wanted.commit is not None:
        wanted = replace(wanted, commit=_commit(repository, wanted.commit))
    log = log_of(repository, authority)
    return Audited(find(log, wanted), standing_of(log))


def verify(repository: Repository, authority: Authority) -> Audited:
    """Verify every record of the log, and give all its verdicts.

    Raises:
        UndecidedError: git cannot read its refs.
    """
    return query(repository, Wanted(), authority)


def log_of(repository: Repository, authority: Authority) -> VerifiedLog:
    """Verify the log; where there is none, give an empty one that is incomplete.

    Raises:
        UndecidedError: git cannot read its refs.
    """
    log = read_log(repository, authority)
    return VerifiedLog(unknown=(_no_log(repository),)) if log is None else log


def _no_log(repository: Repository) -> Problem:
    """Say that there is no verdict log here, and how to get one, or to begin one."""
    remote = remote_of(repository)
    hint = f"git fetch {remote} {LOG_REF}:{LOG_REF}" if remote else _RECORD
    return Problem("no-log", "nothing recorded yet: there is no verdict log here", hint)


_RECORD = "agentpolicy gate budget --budget NAME --runs FILE --record --key KEY"


def _commit(repository: Repository, name: str) -> str:
    if _HEX.fullmatch(name):
        return name
    return commit_named(repository, name)
