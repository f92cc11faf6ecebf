"""Records a verdict: signs it and appends it to the log, or records nothing and says why."""

from collections.abc import Sequence
from dataclasses import dataclass

from agentpolicy.base.canonical import canonical_bytes, digest
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.base.instant import Instant
from agentpolicy.gitio.log_store import Addition, Writer, append
from agentpolicy.gitio.repository import Repository
from agentpolicy.provenance.records import Draft, RecordKind
from agentpolicy.provenance.segment import EVIDENCE_FILE, POLICY_COMMIT_FILE
from agentpolicy.provenance.verdict import VerdictStatement, parse_verdict
from agentpolicy.trust.authority import GATE, Authority
from agentpolicy.trust.canonical_json import read_canonical
from agentpolicy.trust.envelope import Signer


@dataclass(frozen=True, slots=True)
class EvidenceFile:
    """One file of evidence, by content; where it lies is only a hint."""

    digest: str
    """`sha256:…` of its bytes."""
    size: int
    """Bytes."""
    locators: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recorded:
    """What was recorded, and where."""

    verdict: str
    """Digest of the statement."""
    commit: str
    """The log commit."""
    self_judged: bool
    """Whether the signer does not hold the role `gate`, so that it supports nothing else."""


def record(
    repository: Repository,
    signer: Signer,
    statement_bytes: bytes,
    policy_tree: str,
    policy_commit_raw: bytes,
    evidence: Sequence[EvidenceFile],
    writer_id: str,
    at: Instant,
    *,
    authority: Authority,
) -> Recorded:
    """Sign a verdict and put it into the log.

    Args:
        repository: where the log is.
        signer: whose key signs; listed in the trust root.
        statement_bytes: the verdict, as `VerdictStatement.to_bytes` writes it.
        policy_tree: id of the `policies` tree it was judged by, which the log keeps alive.
        policy_commit_raw: bytes of the policy commit.
        evidence: the files that were judged.
        writer_id: a random id of this run, 16 to 64 hex digits.
        at: the date git shows for the log commit.
        authority: the trust root in force.

    Raises:
        InputError: the verdict is about a proposal, or the key is nobody's.
        UndecidedError: nothing could be appended.
    """
    statement = parse_verdict(statement_bytes)
    _require_recordable(statement, policy_tree, authority)
    person = recorder(signer, authority)
    draft = Draft(RecordKind.VERDICT, read_canonical(statement_bytes))
    files = {POLICY_COMMIT_FILE: policy_commit_raw, EVIDENCE_FILE: _listed(evidence)}
    appended = append(
        repository,
        Writer(signer, writer_id),
        authority,
        Addition((draft,), files, policy_tree),
        at,
    )
    self_judged = person not in authority.people_in(GATE)
    return Recorded(digest(statement_bytes), appended.commit, self_judged)


def recorder(signer: Signer, authority: Authority) -> str:
    """Name the person whose live key would sign a record.

    Raises:
        InputError: it is nobody's.
    """
    person = authority.person_of(signer.public_key)
    if person is None:
        words = f"the key {signer.public_key.fingerprint} is nobody's in the trust root"
        raise InputError(
            Problem("signer-unknown", f"{words}, so its record would count for nothing", _LISTED)
        )
    return person


_LISTED = "name the key of somebody whom roles.yaml lists, with --key"


def _require_recordable(
    statement: VerdictStatement, policy_tree: str, authority: Authority
) -> None:
    policy = statement.policy
    if policy.state == "proposed":
        words = "a verdict under proposed rules is not recorded: nobody approved them"
        raise InputError(Problem("not-recordable", words, "leave out --record"))
    if (policy.repository, policy.tree) != (authority.repository, policy_tree):
        words = "the verdict names another policy than the one it is recorded with"
        raise InputError(Problem("not-recordable", words, "judge the runs again"))


def _listed(evidence: Sequence[EvidenceFile]) -> bytes:
    files = [
        {"digest": file.digest, "size": file.size, "locators": list(file.locators)}
        for file in sorted(evidence, key=lambda file: file.digest)
    ]
    return canonical_bytes({"evidence": files}) + b"\n"
