"""A small verdict log to try things on: people, their keys, verdicts, and segments in memory."""

from collections.abc import Mapping
from pathlib import Path

from agentpolicy.base.canonical import digest
from agentpolicy.base.instant import Instant, parse_instant
from agentpolicy.documents.document import Value
from agentpolicy.gate.decision import Decision
from agentpolicy.gitio.signing import load_signer
from agentpolicy.provenance.log import LogCommit
from agentpolicy.provenance.records import (
    NO_RECORDS,
    Draft,
    Record,
    RecordKind,
    WriterTip,
    numbered,
    segment_bytes,
    writer_name,
)
from agentpolicy.provenance.segment import (
    ENVELOPE_FILE,
    SEGMENT_FILE,
    SegmentStatement,
    seal_segment,
)
from agentpolicy.provenance.verdict import VerdictStatement
from agentpolicy.provenance.verdict_parts import Judged, PolicyDocument, PolicyUsed, RunSetUsed
from agentpolicy.trust.authority import Authority, authority_of
from agentpolicy.trust.canonical_json import read_canonical
from agentpolicy.trust.envelope import Signer

from tests.policies import document

KEYS = Path(__file__).parent / "data" / "keys"
REPOSITORY = "0123456789abcdef" * 2
POLICY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
NOON = parse_instant("2026-03-31T12:00:00Z")
TOKEN = "00112233445566778899aabbccddeeff"


def signer_of(name: str) -> Signer:
    """Take the public test key of somebody."""
    return load_signer(str(KEYS / name), {})


def authority(
    people: tuple[str, ...] = ("alice", "pat", "ci"),
    version: int = 1,
    *,
    gate: tuple[str, ...] = ("ci",),
    until: Mapping[str, int] | None = None,
) -> Authority:
    """Make a trust root in which ci alone holds the role gate, and nobody's key is retired."""
    keys: dict[str, Value] = {}
    for name in people:
        key: dict[str, Value] = {"public": signer_of(name).public_key.line, "since": 1}
        if until and name in until:
            key["until"] = until[name]
        keys[name] = {"keys": (key,)}
    roles: dict[str, Value] = {"platform-owner": {"people": ("pat",), "threshold": 1}}
    holders = tuple(name for name in gate if name in people)
    if any(name not in (until or {}) for name in holders):
        roles["gate"] = {"people": holders, "threshold": 1}
    tree: dict[str, Value] = {
        "roles_version": version,
        "repository": REPOSITORY,
        "protected": ("refs/heads/main",),
        "people": keys,
        "roles": roles,
    }
    return authority_of(document("policies/roles.yaml", tree))


def commit_at(version: int) -> str:
    """Name the policy commit at which a roles version came into force."""
    return f"{version:040x}"


def history(*roots: Authority) -> Authority:
    """Give the last of some trust roots, which knows those before it."""
    *earlier, last = roots
    return last.following(tuple(earlier), {commit_at(root.version): root.version for root in roots})


def verdict(
    decision: Decision = Decision.FAIL,
    *,
    at: Instant = NOON,
    agent: str = "refund-agent",
    commit: str = "a" * 40,
    state: str = "in_force",
    tree: str = POLICY_TREE,
    repository: str = REPOSITORY,
    subject: str | None = None,
    findings: Mapping[str, object] | None = None,
) -> VerdictStatement:
    """Make a verdict of a band."""
    band = PolicyDocument(f"policies/bands/{agent}.yaml", digest(b"band"), 3, "b" * 40)
    return VerdictStatement(
        judged=Judged("band", agent=agent, subject=subject),
        policy=PolicyUsed(state, (band,), repository, "refs/heads/main", commit, tree, "local"),
        evaluated_at=at,
        tool="agentpolicy 0.1.0",
        rule_set="1",
        evidence=(
            RunSetUsed("candidate", digest(b"after"), 40, "jsonl", {"cost_usd": 2}, ("variant",)),
            RunSetUsed("baseline", digest(b"before"), 40, "jsonl"),
        ),
        decision=decision,
        findings=findings or {"route": "fast_review", "notes": [{"why": "slower"}]},
    )


def drafted(*statements: VerdictStatement) -> tuple[Draft, ...]:
    """Make drafts of verdict records."""
    return tuple(Draft(RecordKind.VERDICT, read_canonical(one.to_bytes())) for one in statements)


class Pen:
    """Writes segments in memory, each continuing the last, as one writer."""

    def __init__(
        self, who: str = "ci", *, token: str = TOKEN, repository: str = REPOSITORY
    ) -> None:
        """Take somebody's key."""
        self.signer = signer_of(who)
        self.writer = writer_name(self.signer.public_key, token)
        self.repository = repository
        self.tip: WriterTip = NO_RECORDS

    def write(
        self, extends: str | None, *drafts: Draft, tree: str | None = POLICY_TREE
    ) -> LogCommit:
        """Write drafts (a failed verdict where none are given) as the next segment."""
        records = numbered(drafts or drafted(verdict()), self.writer, self.tip)
        self.tip = WriterTip(records[-1].seq, records[-1].digest)
        return self.put(extends, records, tree=tree)

    def put(
        self, extends: str | None, records: tuple[Record, ...], *, tree: str | None = POLICY_TREE
    ) -> LogCommit:
        """Write any records at all as a segment."""
        return self.seal(extends, segment_bytes(records), tree=tree)

    def seal(
        self, extends: str | None, segment: bytes, *, tree: str | None = POLICY_TREE
    ) -> LogCommit:
        """Sign any bytes at all as a segment."""
        statement = SegmentStatement(self.repository, {SEGMENT_FILE: digest(segment)}, extends)
        files = {SEGMENT_FILE: segment, ENVELOPE_FILE: seal_segment(statement, self.signer)}
        return LogCommit(digest(files[ENVELOPE_FILE]).removeprefix("sha256:")[:40], files, tree)
