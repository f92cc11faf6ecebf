"""What a log commit's signature states: the files beside it, and the log state they extend."""

import re
from collections.abc import Mapping

from agentpolicy.base.canonical import canonical_bytes, digest
from agentpolicy.base.values import dataclass
from agentpolicy.provenance.json_fields import bare, object_at, optional_text_at, require
from agentpolicy.provenance.verdict import STATEMENT_TYPE
from agentpolicy.trust.canonical_json import objects_at, only_keys, read_canonical, text_at
from agentpolicy.trust.envelope import Signer, open_envelope, parse_envelope, seal
from agentpolicy.trust.keys import PublicKey

LOG_NAMESPACE = "agentpolicy-log@v1"
SEGMENT_TYPE = "urn:agentpolicy:log-segment:v1"
SEGMENT_FILE = "segment.jsonl"
ENVELOPE_FILE = "segment.dsse.json"
POLICY_FOLDER = "policy"
"""Where a log commit holds the policies tree itself."""
POLICY_COMMIT_FILE = "policy.commit"
"""Holds the raw bytes of the policy commit."""
EVIDENCE_FILE = "evidence.json"
"""Holds digests, sizes and locators of the evidence."""

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class SegmentStatement:
    """What one writer vouches for with one log commit."""

    repository: str
    """The random id in the trust root: a segment of another repository's log is none of ours."""
    files: Mapping[str, str]
    """`sha256:…` of every file of the log commit but the signature, by name."""
    extends: str | None
    """Digest of the log state this segment was written upon; None: it is the first."""

    def __post_init__(self) -> None:
        """Refuse what cannot be stated.

        Raises:
            ValueError: naming what is wrong.
        """
        require(SEGMENT_FILE in self.files, f"it does not name {SEGMENT_FILE}")
        for name in (*self.files.values(), *([self.extends] if self.extends else [])):
            require(_DIGEST.fullmatch(name), f"{name!r} is no digest")

    @property
    def state(self) -> str:
        """Digest of the log state that the log is in with this segment."""
        return next_state(self.extends, self.files[SEGMENT_FILE])

    def to_bytes(self) -> bytes:
        """Write the statement in its one spelling: what is signed."""
        return canonical_bytes(
            {
                "_type": STATEMENT_TYPE,
                "subject": [
                    {"name": name, "digest": {"sha256": bare(self.files[name])}}
                    for name in sorted(self.files)
                ],
                "predicateType": SEGMENT_TYPE,
                "predicate": {"repository": self.repository, "extends": self.extends},
            }
        )


def next_state(state: str | None, segment_sha256: str) -> str:
    """Give the digest of a log state with one more segment."""
    return digest(((state or "") + segment_sha256).encode("ascii"))


def seal_segment(statement: SegmentStatement, signer: Signer) -> bytes:
    """Sign a segment's statement and give the envelope's bytes.

    Raises:
        InputError: the signer cannot sign.
    """
    return seal(statement.to_bytes(), signer, LOG_NAMESPACE)


def open_segment(envelope: bytes) -> tuple[SegmentStatement, PublicKey]:
    """Give what an envelope states and the key that signed it; whose key it is, is not asked.

    Raises:
        ValueError: no envelope, a signature that does not hold, or another statement.
    """
    parsed = parse_envelope(envelope)
    key = open_envelope(parsed, LOG_NAMESPACE)
    return _parse(parsed.payload), key


def _parse(payload: bytes) -> SegmentStatement:
    fields = read_canonical(payload)
    only_keys(fields, {"_type", "subject", "predicateType", "predicate"}, set())
    require(fields["predicateType"] == SEGMENT_TYPE, "it does not state a segment of a log")
    predicate = object_at(fields, "predicate")
    only_keys(predicate, {"repository", "extends"}, set())
    statement = SegmentStatement(
        repository=text_at(predicate, "repository"),
        files=dict(_file(subject) for subject in objects_at(fields, "subject")),
        extends=optional_text_at(predicate, "extends"),
    )
    require(statement.to_bytes() == payload, "it is not the one spelling of what it states")
    return statement


def _file(subject: Mapping[str, object]) -> tuple[str, str]:
    only_keys(subject, {"name", "digest"}, set())
    named = object_at(subject, "digest")
    only_keys(named, {"sha256"}, set())
    return text_at(subject, "name"), "sha256:" + text_at(named, "sha256")
