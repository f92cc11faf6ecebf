"""The parts of a verdict: what was judged, by which policy, on which runs, and their JSON forms."""

import re
from collections.abc import Mapping

from agentpolicy.base.values import dataclass, field
from agentpolicy.provenance.json_fields import (
    int_at,
    object_at,
    optional_text_at,
    require,
    texts_at,
)
from agentpolicy.trust.canonical_json import objects_at, only_keys, text_at

GATES = ("budget", "band", "release")
POLICY_STATES = ("in_force", "superseded", "proposed", "unconfirmed")
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")

_OID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REPOSITORY = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Judged:
    """What the verdict is about."""

    gate: str
    """`budget`, `band` or `release`."""
    agent: str | None = None
    task_type: str | None = None
    variant: str | None = None
    subject: str | None = None
    """What would ship: the candidate's artefact, as a digest or as its runs name it."""

    def __post_init__(self) -> None:
        """Refuse a gate there is not.

        Raises:
            ValueError: naming it.
        """
        require(self.gate in GATES, f"{self.gate!r} is no gate")


@dataclass(frozen=True, slots=True)
class PolicyDocument:
    """One document the verdict rests on, as it stands in the policy's tree."""

    path: str
    sha256: str
    """`sha256:…` of its bytes."""
    version: int
    """0 where documents of its kind count none."""
    blob: str | None = None
    """Its git blob; None for files that are only proposed."""
    approvals: tuple[str, ...] = ()
    """Digests of the statements that approve it, where they were asked for."""


@dataclass(frozen=True, slots=True)
class PolicyUsed:
    """Which policy judged, and what a verdict under it is worth."""

    state: str
    documents: tuple[PolicyDocument, ...]
    """Kept in the order of the paths, whatever order they are given in."""
    repository: str | None = None
    """The random id in the trust root."""
    ref: str | None = None
    commit: str | None = None
    tree: str | None = None
    """Id of the `policies` tree of that commit."""
    confirmed_by: str | None = None
    """`local`, or the remote that showed the same tip; None where nobody could be asked."""

    def __post_init__(self) -> None:
        """Refuse a policy that cannot be found again.

        Raises:
            ValueError: naming what is wrong.
        """
        ordered = tuple(sorted(self.documents, key=lambda document: document.path))
        object.__setattr__(self, "documents", ordered)
        paths = [document.path for document in ordered]
        require(self.state in POLICY_STATES, f"{self.state!r} is no state of a policy")
        require(len(set(paths)) == len(paths), "a verdict names a document once")
        for document in ordered:
            _require_document(document)
        if self.state == "proposed":
            require(self.commit is None and self.tree is None, "a proposal has no commit")
            return
        for name, shape in (("repository", _REPOSITORY), ("commit", _OID), ("tree", _OID)):
            value = getattr(self, name)
            require(value and shape.fullmatch(value), f"{value!r} is no {name} of a policy")
        require(self.ref and self.ref.startswith("refs/"), f"{self.ref!r} is no full ref name")


@dataclass(frozen=True, slots=True)
class RunSetUsed:
    """One set of runs, by content, with what is known about how it was read."""

    part: str
    """The part it played: `runs`, `baseline`, `candidate`."""
    digest: str
    runs: int
    importer: str
    missing: Mapping[str, int] = field(default_factory=dict)
    """How many runs lack a value, by its name."""
    hand_set: tuple[str, ...] = ()
    """Labels a person filled in."""
    unreadable: int = 0
    """Records put aside because they could not be read."""

    def __post_init__(self) -> None:
        """Refuse what names no evidence, or counts nothing.

        Raises:
            ValueError: naming what is wrong.
        """
        require(DIGEST.fullmatch(self.digest), f"{self.digest!r} is no digest")
        for count in (self.runs, self.unreadable, *self.missing.values()):
            require(is_count(count), f"{count!r} is no count of runs")


def written_judged(judged: Judged) -> Mapping[str, object]:
    """Give the JSON form of what was judged."""
    return {
        "gate": judged.gate,
        "agent": judged.agent,
        "task_type": judged.task_type,
        "variant": judged.variant,
        "subject": judged.subject,
    }


def read_judged(fields: Mapping[str, object]) -> Judged:
    """Read back what was judged.

    Raises:
        ValueError: anything but that form.
    """
    only_keys(fields, {"gate", "agent", "task_type", "variant", "subject"}, set())
    return Judged(
        gate=text_at(fields, "gate"),
        agent=optional_text_at(fields, "agent"),
        task_type=optional_text_at(fields, "task_type"),
        variant=optional_text_at(fields, "variant"),
        subject=optional_text_at(fields, "subject"),
    )


def written_policy(policy: PolicyUsed) -> Mapping[str, object]:
    """Give the JSON form of the policy used."""
    return {
        "repository": policy.repository,
        "ref": policy.ref,
        "commit": policy.commit,
        "tree": policy.tree,
        "documents": [
            {
                "path": document.path,
                "blob": document.blob,
                "sha256": document.sha256,
                "version": document.version,
                "approvals": list(document.approvals),
            }
            for document in policy.documents
        ],
        "state": str(policy.state),
        "confirmed_by": policy.confirmed_by,
    }


def read_policy(fields: Mapping[str, object]) -> PolicyUsed:
    """Read back the policy used.

    Raises:
        ValueError: anything but that form.
    """
    keys = {"repository", "ref", "commit", "tree", "documents", "state", "confirmed_by"}
    only_keys(fields, keys, set())
    return PolicyUsed(
        state=text_at(fields, "state"),
        documents=tuple(_read_document(document) for document in objects_at(fields, "documents")),
        repository=optional_text_at(fields, "repository"),
        ref=optional_text_at(fields, "ref"),
        commit=optional_text_at(fields, "commit"),
        tree=optional_text_at(fields, "tree"),
        confirmed_by=optional_text_at(fields, "confirmed_by"),
    )


def _read_document(fields: Mapping[str, object]) -> PolicyDocument:
    only_keys(fields, {"path", "blob", "sha256", "version", "approvals"}, set())
    return PolicyDocument(
        path=text_at(fields, "path"),
        sha256=text_at(fields, "sha256"),
        version=int_at(fields, "version"),
        blob=optional_text_at(fields, "blob"),
        approvals=texts_at(fields, "approvals"),
    )


def written_runs(runs: RunSetUsed) -> Mapping[str, object]:
    """Give the JSON form of a set of runs."""
    return {
        "part": runs.part,
        "digest": runs.digest,
        "runs": runs.runs,
        "importer": runs.importer,
        "missing": dict(runs.missing),
        "hand_set": sorted(runs.hand_set),
        "unreadable": runs.unreadable,
    }


def read_runs(fields: Mapping[str, object]) -> RunSetUsed:
    """Read back a set of runs.

    Raises:
        ValueError: anything but that form.
    """
    keys = {"part", "digest", "runs", "importer", "missing", "hand_set", "unreadable"}
    only_keys(fields, keys, set())
    missing = object_at(fields, "missing")
    return RunSetUsed(
        part=text_at(fields, "part"),
        digest=text_at(fields, "digest"),
        runs=int_at(fields, "runs"),
        importer=text_at(fields, "importer"),
        missing={name: int_at(missing, name) for name in missing},
        hand_set=texts_at(fields, "hand_set"),
        unreadable=int_at(fields, "unreadable"),
    )


def _require_document(document: PolicyDocument) -> None:
    path = document.path
    require(path, "a document has a path")
    require(is_count(document.version), f"{path}: {document.version!r} is no version")
    for name in (document.sha256, *document.approvals):
        require(DIGEST.fullmatch(name), f"{path}: {name!r} is no digest")
    blob = document.blob
    require(blob is None or _OID.fullmatch(blob), f"{path}: {blob!r} is no blob id")


def is_count(value: int) -> bool:
    """Say whether a value counts something: an integer of at least 0, and no boolean."""
    return type(value) is int and value >= 0
