"""A policy document as read: a validated tree with positions, and the bytes it came from."""

from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from typing import TypeAlias

from agentpolicy.base.canonical import canonical_bytes, digest
from agentpolicy.base.errors import Problem
from agentpolicy.base.source import Position
from agentpolicy.base.values import dataclass, field

Value: TypeAlias = str | bool | int | Decimal | tuple["Value", ...] | Mapping[str, "Value"]
"""A value of a validated tree. Numbers are `int` or `Decimal`; there are no floats, no nulls."""


class DocumentKind(StrEnum):
    """What a document is; its directory decides (see `layout`)."""

    ROLES = "roles"
    TOOLS = "tools"
    BAND = "band"
    BUDGET = "budget"
    BASELINE = "baseline"
    WAIVER = "waiver"


VERSION_KEYS: Mapping[DocumentKind, str] = {
    DocumentKind.ROLES: "roles_version",
    DocumentKind.TOOLS: "tools_version",
    DocumentKind.BAND: "band_version",
    DocumentKind.BUDGET: "budget_version",
    DocumentKind.BASELINE: "baseline_version",
}
"""The key that counts a document's states. A waiver has none: it is never edited."""


@dataclass(frozen=True, slots=True)
class Document:
    """One readable document: it passed the strict reader and its schema."""

    kind: DocumentKind
    path: str
    """Path in the repository, `policies/bands/refund-agent.yaml`."""
    # what the bytes say needs no part in the hash, and mappings have none
    tree: Mapping[str, Value] = field(hash=False)
    positions: Mapping[str, Position] = field(hash=False)
    """Position of each value by JSON pointer; the key `""` is the document itself."""
    data: bytes = field(repr=False)
    """The exact bytes read."""
    sha256: str
    """Digest of `data`, `sha256:…`."""

    @property
    def name(self) -> str:
        """The file name without `.yaml`: the agent of a band, the id of a waiver."""
        return self.path.rsplit("/", 1)[-1].removesuffix(".yaml")

    @property
    def owned_as(self) -> str:
        """The name `owners` in roles.yaml knows it by: `bands/refund-agent`."""
        return self.path.removeprefix("policies/").removesuffix(".yaml")

    @property
    def version(self) -> int:
        """The document's own version number; 1 where a budget or a waiver does not say."""
        key = VERSION_KEYS.get(self.kind)
        number = self.tree.get(key, 1) if key else 1
        assert isinstance(number, int)
        return number


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything governed at one point: the `policies/` tree and the guarded files."""

    documents: Mapping[str, Document] = field(default_factory=dict)
    """The readable documents by path."""
    unreadable: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)
    """What could not be read, by path, and why. Never empty-handed: it blocks."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """sha256 of every file under `policies/` except approvals, readable or not, by path."""
    approvals: Mapping[str, bytes] = field(default_factory=dict)
    """The stored approvals' bytes, by path."""
    guarded: Mapping[str, str] = field(default_factory=dict)
    """sha256 of each guarded file that exists, by path."""
    blobs: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Git's id of a file's bytes, by path, where it is known: equal ids are equal bytes."""

    @property
    def identity(self) -> str:
        """Digest of every governed file's path and bytes, but for the stored approvals."""
        files = {"documents": dict(self.digests), "guarded": dict(self.guarded)}
        return digest(canonical_bytes(files))

    @property
    def roles(self) -> Document | None:
        """The trust root of this snapshot, if it has a readable one."""
        return self.documents.get("policies/roles.yaml")


EMPTY = Snapshot()
"""The state before the first policy."""
