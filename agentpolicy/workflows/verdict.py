"""States the verdict of an answer, and records it.

The same answer at the same instant gives the same bytes.
"""

from collections.abc import Iterable, Mapping

from agentpolicy import RULE_SET, __version__
from agentpolicy.base.canonical import digest
from agentpolicy.base.instant import Instant, format_instant
from agentpolicy.gate.band import BandResult
from agentpolicy.gate.release import ReleaseResult
from agentpolicy.gitio.log_store import Addition, Writer, append
from agentpolicy.gitio.raw import object_id
from agentpolicy.gitio.repository import Repository
from agentpolicy.provenance.records import Draft, RecordKind
from agentpolicy.provenance.verdict import VerdictStatement
from agentpolicy.provenance.verdict_parts import Judged as Subject
from agentpolicy.provenance.verdict_parts import PolicyDocument, PolicyUsed, RunSetUsed
from agentpolicy.report.gate_json import GateResult, findings_json
from agentpolicy.runs.run_set import Runs, shared_by
from agentpolicy.trust.approval import parse_statement
from agentpolicy.trust.authority import GATE
from agentpolicy.trust.envelope import Signer, parse_envelope
from agentpolicy.workflows.gate import Judged, Release
from agentpolicy.workflows.policy_source import PolicyState
from agentpolicy.workflows.record import EvidenceFile, Recorded, record

OUTSIDE = frozenset({"decision", "runs"})
"""Parts of the findings that the statement holds in places of their own."""


def statement_of(judged: Judged) -> VerdictStatement:
    """State the verdict of an answer, naming everything it rests on by content."""
    findings = findings_json(judged.result)
    return VerdictStatement(
        judged=_subject(judged.result, judged.evidence[-1][1]),
        policy=_policy(judged),
        evaluated_at=judged.evaluated_at,
        tool=f"agentpolicy {__version__}",
        rule_set=RULE_SET,
        evidence=tuple(_evidence(part, runs) for part, runs in judged.evidence),
        decision=judged.result.decision,
        findings={name: value for name, value in findings.items() if name not in OUTSIDE},
    )


def _subject(result: GateResult, candidate: Runs) -> Subject:
    """Say what was judged; an agent or artefact is named only where all runs name the same."""
    agent, subject = shared_by(candidate.agents), shared_by(candidate.subjects)
    if isinstance(result, BandResult):
        return Subject("band", agent=result.agent, subject=subject)
    if isinstance(result, ReleaseResult):
        return Subject("release", agent=result.agent, subject=subject)
    return Subject("budget", agent, result.task_type, result.variant, subject)


def _policy(judged: Judged) -> PolicyUsed:
    source = judged.source
    if source.state is PolicyState.PROPOSED:
        documents = tuple(
            PolicyDocument(document.path, document.sha256, document.version)
            for document in judged.documents
        )
    else:
        approved = approvals_by_document(source.snapshot.approvals.values())
        documents = tuple(
            PolicyDocument(
                path=document.path,
                sha256=document.sha256,
                version=document.version,
                blob=object_id("blob", document.data, source.object_format),
                approvals=approved.get((document.path, document.sha256, document.version), ()),
            )
            for document in judged.documents
        )
    return PolicyUsed(
        state=str(source.state),
        documents=documents,
        repository=source.authority.repository if source.authority else None,
        ref=source.ref or None,
        commit=source.commit or None,
        tree=source.tree or None,
        confirmed_by=source.confirmed_by or None,
    )


def approvals_by_document(
    approvals: Iterable[bytes],
) -> Mapping[tuple[str, str, int], tuple[str, ...]]:
    """Give the digests of the statements that approve each (path, sha256, version), in order.

    What cannot be read approves nothing; whether the rest counted was decided when it landed.
    """
    found: dict[tuple[str, str, int], set[str]] = {}
    for data in approvals:
        try:
            payload = parse_envelope(data).payload
            covered = parse_statement(payload).covered
        except ValueError:
            continue
        for one in covered:
            if one.new_sha256 is not None:
                key = (one.path, one.new_sha256, one.new_version)
                found.setdefault(key, set()).add(digest(payload))
    return {key: tuple(sorted(digests)) for key, digests in found.items()}


def _evidence(part: str, runs: Runs) -> RunSetUsed:
    return RunSetUsed(
        part=part,
        digest=runs.digest,
        runs=runs.runs,
        importer=runs.importer,
        missing=dict(runs.missing),
        hand_set=tuple(sorted(runs.hand_set)),
        unreadable=len(runs.unreadable),
    )


def record_opening(
    repository: Repository, release: Release, signer: Signer, writer_id: str, at: Instant
) -> bool:
    """Put into the log that a release is about to be judged, so that no answer can be discarded.

    Gives False, and records nothing, where the signer does not hold the role gate: what they
    record admits nothing.

    Raises:
        InputError: the signer cannot sign.
        UndecidedError: nothing could be appended.
    """
    source = release.source
    assert source.authority is not None, "a proposed policy is refused before it is judged"
    if source.authority.person_of(signer.public_key) not in source.authority.people_in(GATE):
        return False
    statement = {
        "gate": "release",
        "agent": release.agent,
        "subject": release.subject,
        "baseline": release.baseline.digest,
        "candidate": release.candidate.digest,
        "policy_commit": source.commit,
        "opened_at": format_instant(at),
    }
    addition = Addition((Draft(RecordKind.OPENED, statement),), policy_tree=source.tree)
    append(repository, Writer(signer, writer_id), source.authority, addition, at)
    return True


def record_verdict(
    repository: Repository,
    judged: Judged,
    statement: VerdictStatement,
    signer: Signer,
    writer_id: str,
) -> Recorded:
    """Sign a verdict and append it to the log, together with the policy tree it ran under.

    Raises:
        InputError: the key is nobody's in the trust root.
        UndecidedError: nothing could be appended.
    """
    source = judged.source
    assert source.authority is not None, "a proposed policy is refused before it is judged"
    files = [EvidenceFile(name, size) for name, size in judged.sizes.items()]
    return record(
        repository,
        signer,
        statement.to_bytes(),
        source.tree,
        source.raw_commit,
        files,
        writer_id,
        judged.evaluated_at,
        authority=source.authority,
    )
