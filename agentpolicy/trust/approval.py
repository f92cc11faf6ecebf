"""What one person states when approving a change: an in-toto Statement with one spelling.

It binds both sides of every document it covers, and the repository and ref, but no commit: it
survives rebase, squash and cherry-pick, and is void the moment its own documents differ.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from json.encoder import encode_basestring as _quoted

from agentpolicy.base.instant import DAY, Instant, format_instant, parse_instant
from agentpolicy.base.values import dataclass
from agentpolicy.trust.canonical_json import objects_at, only_keys, read_loosely, text_at

APPROVAL_NAMESPACE = "agentpolicy-approval@v1"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:agentpolicy:approval:v1"
LAPSES_AFTER = 30 * DAY
"""Seconds after which an approval that has not landed is void, at the latest."""
MAX_TEXT = 1000
CLASSES = ("neutral", "tighter", "looser", "incomparable", "unknown")
"""The classes of change a signer may have been shown."""

_LAST_INSTANT = parse_instant("9999-12-31T23:59:59Z")
_MAX_VERSION = 2**31
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_BLOB = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REPOSITORY = re.compile(r"[0-9a-f]{32}")
_REF = re.compile(r"refs/heads/[^\s~^:?*\[\\]+")
_PERSON = re.compile(r"[a-z0-9][a-z0-9._-]*")
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff]"
)
"""Controls, bidi marks, zero-width characters and lone surrogates: what a reader cannot see."""


class Operation(StrEnum):
    """What happens to a covered document, and so which of its sides there are."""

    ADD = "add"
    MODIFY = "modify"
    DELETE = "delete"
    CLOSE = "close"
    """A waiver moves to `closed/`; both sides are the same bytes."""
    RATIFY = "ratify"
    """It stays as it is and is approved anew: it stood on a key that is compromised."""
    WITHDRAW = "withdraw"
    """An approval given earlier is taken back before it landed; covers nothing else."""


class ApprovalRole(StrEnum):
    """The role a person signs in."""

    AGENT_OWNER = "agent-owner"
    PROPOSER = "proposer"
    PLATFORM_OWNER = "platform-owner"
    REVIEWER = "reviewer"


_SIDES: Mapping[Operation, tuple[bool, bool]] = {
    Operation.ADD: (False, True),
    Operation.MODIFY: (True, True),
    Operation.DELETE: (True, False),
    Operation.CLOSE: (True, True),
    Operation.RATIFY: (True, True),
    Operation.WITHDRAW: (True, False),
}
"""Whether a document is there before and after the operation."""


@dataclass(frozen=True, slots=True)
class Covered:
    """One document, or guarded file, and the exact change of it that is approved."""

    path: str
    operation: str
    old_sha256: str | None
    """`sha256:…` of the bytes before; None where there was no such file."""
    new_sha256: str | None
    """`sha256:…` of the bytes after; None where there is no such file."""
    new_blob: str | None
    """The git blob id of the bytes after."""
    old_version: int
    """0 where there was none, or the file counts none."""
    new_version: int
    change_class: str
    """The class the signer was shown: an upper bound, derived again by whoever relies on it."""

    def __post_init__(self) -> None:
        """Refuse what contradicts itself.

        Raises:
            ValueError: naming the path.
        """
        operation = Operation(self.operation)
        sides = (self.old_sha256 is not None, self.new_sha256 is not None)
        if sides != _SIDES[operation] or (self.new_blob is None) == sides[1]:
            raise ValueError(f"{self.path}: its digests are not those of {operation}")
        same = (self.old_sha256, self.old_version) == (self.new_sha256, self.new_version)
        stays = operation is Operation.RATIFY
        _must(same or not stays, f"{self.path}: what is ratified stays as it is")
        for name in (self.old_sha256, self.new_sha256):
            _must(name is None or _DIGEST.fullmatch(name), f"{self.path}: {name!r} is no digest")
        blob = self.new_blob
        _must(blob is None or _BLOB.fullmatch(blob), f"{self.path}: {blob!r} is no blob id")
        for version in (self.old_version, self.new_version):
            counts = type(version) is int and 0 <= version < _MAX_VERSION
            _must(counts, f"{self.path}: {version!r} is no version")
        _must(self.change_class in CLASSES, f"{self.change_class!r} is no class of change")
        _must(_is_path(self.path), f"{self.path!r} is no path in a repository")


@dataclass(frozen=True, slots=True)
class ApprovalStatement:
    """One person, in one role, for documents that land together."""

    repository: str
    """The random id in the trust root."""
    url: str | None
    policy_ref: str
    covered: tuple[Covered, ...]
    """Kept in the order of the paths, whatever order they are given in."""
    rule_set: str
    person: str
    role: ApprovalRole
    reason: str
    issued_at: Instant
    expires_at: Instant

    def __post_init__(self) -> None:
        """Refuse what cannot be stated.

        Raises:
            ValueError: naming what is wrong.
        """
        covered = tuple(sorted(self.covered, key=lambda document: document.path))
        object.__setattr__(self, "covered", covered)
        object.__setattr__(self, "role", ApprovalRole(self.role))
        paths = [document.path for document in covered]
        _must(paths, "an approval covers at least one document")
        _must(len(set(paths)) == len(paths), "an approval covers a document once")
        taken = [one for one in covered if one.operation == Operation.WITHDRAW]
        _must(not taken or len(covered) == 1, "a withdrawal takes back one approval, alone")
        _must(_REPOSITORY.fullmatch(self.repository), f"{self.repository!r} is no repository id")
        _must(_REF.fullmatch(self.policy_ref), f"{self.policy_ref!r} is no full branch name")
        _must(_PERSON.fullmatch(self.person), f"{self.person!r} is no person's name")
        for text in (self.url, self.rule_set, self.reason, self.policy_ref, self.person):
            _must(
                text is None or _is_plain(text), f"{text!r} is too long or holds hidden characters"
            )
        _must(self.url != "" and self.rule_set, "an empty text says nothing; leave it out")
        order = 0 <= self.issued_at < self.expires_at <= _LAST_INSTANT
        _must(order, "an approval expires after it was issued")
        life = self.expires_at - self.issued_at
        _must(
            life <= LAPSES_AFTER, f"an approval lapses {LAPSES_AFTER // DAY} days after its issue"
        )

    @property
    def withdrawn(self) -> str | None:
        """Give the digest of the statement that this one takes back; None for an approval."""
        only = self.covered[0]
        return only.old_sha256 if only.operation == Operation.WITHDRAW else None

    def to_bytes(self) -> bytes:
        """Write the statement in its one spelling: what is signed, and named by its sha256.

        RFC 8785 JSON, put together by hand: reading a statement spells it again.
        """
        documents = ",".join(map(_written, self.covered))
        subject = ",".join(_subject(document) for document in self.covered if document.new_sha256)
        url = "" if self.url is None else f',"url":{_quoted(self.url)}'
        text = (
            f'{{"_type":"{STATEMENT_TYPE}","predicate":{{"documents":[{documents}],'
            f'"expiresAt":"{format_instant(self.expires_at)}",'
            f'"issuedAt":"{format_instant(self.issued_at)}","person":{_quoted(self.person)},'
            f'"policyRef":{_quoted(self.policy_ref)},"reason":{_quoted(self.reason)},'
            f'"repository":"{self.repository}","role":"{self.role}",'
            f'"ruleSet":{_quoted(self.rule_set)}{url}}},'
            f'"predicateType":"{PREDICATE_TYPE}","subject":[{subject}]}}'
        )
        return text.encode("utf-8")


def parse_statement(payload: bytes) -> ApprovalStatement:
    """Read a statement in exactly the spelling `to_bytes` gives it.

    Raises:
        ValueError: anything else, with what is wrong.
    """
    fields = read_loosely(payload)
    only_keys(fields, {"_type", "subject", "predicateType", "predicate"}, set())
    kinds = (fields["_type"], fields["predicateType"])
    _must(kinds == (STATEMENT_TYPE, PREDICATE_TYPE), f"it states {kinds[1]!r}, not an approval")
    predicate = fields["predicate"]
    if not isinstance(predicate, dict):
        raise ValueError("'predicate' is not an object")  # noqa: TRY004 - a reader's complaint
    statement = _read_predicate(predicate)
    # Catches what no reader looked at: the subject, the order of documents, a date for an instant.
    _must(statement.to_bytes() == payload, "it is not the one spelling of what it states")
    return statement


_PREDICATE_KEYS = {
    "repository", "policyRef", "documents", "ruleSet", "person", "role", "reason", "issuedAt",
    "expiresAt",
}  # fmt: skip
_DOCUMENT_KEYS = {"path", "operation", "class", "oldVersion", "newVersion"}


def _read_predicate(fields: Mapping[str, object]) -> ApprovalStatement:
    only_keys(fields, _PREDICATE_KEYS, {"url"})
    return ApprovalStatement(
        repository=text_at(fields, "repository"),
        url=text_at(fields, "url") if "url" in fields else None,
        policy_ref=text_at(fields, "policyRef"),
        covered=tuple(_read(document) for document in objects_at(fields, "documents")),
        rule_set=text_at(fields, "ruleSet"),
        person=text_at(fields, "person"),
        role=ApprovalRole(text_at(fields, "role")),
        reason=text_at(fields, "reason"),
        issued_at=parse_instant(text_at(fields, "issuedAt")),
        expires_at=parse_instant(text_at(fields, "expiresAt")),
    )


def _read(fields: Mapping[str, object]) -> Covered:
    only_keys(fields, _DOCUMENT_KEYS, {"oldSha256", "newSha256", "newGitBlob"})
    old_version, new_version = fields["oldVersion"], fields["newVersion"]
    if not isinstance(old_version, int) or not isinstance(new_version, int):
        raise ValueError("a version is not a number")  # noqa: TRY004 - a reader's complaint
    return Covered(
        path=text_at(fields, "path"),
        operation=Operation(text_at(fields, "operation")),
        old_sha256=_digest_at(fields, "oldSha256"),
        new_sha256=_digest_at(fields, "newSha256"),
        new_blob=text_at(fields, "newGitBlob") if "newGitBlob" in fields else None,
        old_version=old_version,
        new_version=new_version,
        change_class=text_at(fields, "class"),
    )


def _written(document: Covered) -> str:
    """Write one covered document; a side that is not there is left out."""
    new, old = document.new_sha256, document.old_sha256
    blob = f'"newGitBlob":"{document.new_blob}",' if document.new_blob else ""
    return (
        f'{{"class":"{document.change_class}",{blob}'
        + (f'"newSha256":"{_bare(new)}",' if new else "")
        + f'"newVersion":{document.new_version},'
        + (f'"oldSha256":"{_bare(old)}",' if old else "")
        + f'"oldVersion":{document.old_version},"operation":"{document.operation}",'
        f'"path":{_quoted(document.path)}}}'
    )


def _subject(document: Covered) -> str:
    digest = f'{{"gitBlob":"{document.new_blob}","sha256":"{_bare(document.new_sha256 or "")}"}}'
    return f'{{"digest":{digest},"name":{_quoted(document.path)}}}'


def _bare(digest: str) -> str:
    """Drop the prefix, as in-toto names the algorithm beside the digest."""
    return digest.removeprefix("sha256:")


def _digest_at(fields: Mapping[str, object], key: str) -> str | None:
    return "sha256:" + text_at(fields, key) if key in fields else None


def _is_path(path: str) -> bool:
    return _is_plain(path) and not {"", ".", ".."} & set(path.split("/"))


def _is_plain(text: str) -> bool:
    return len(text) <= MAX_TEXT and not _UNSEEN.search(text)


def _must(holds: object, message: str) -> None:
    if not holds:
        raise ValueError(message)
