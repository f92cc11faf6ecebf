"""Policy documents and snapshots built from trees, for tests below the reading of files."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

from agentpolicy.base.source import Position
from agentpolicy.documents.document import Document, DocumentKind, Snapshot, Value
from agentpolicy.documents.layout import kind_of
from agentpolicy.documents.rows import X_ORDER

SCHEMAS: Mapping[DocumentKind, Mapping[str, object]] = {
    kind: json.loads(
        (files("agentpolicy") / "schemas" / f"{kind}.schema.json").read_text(encoding="utf-8")
    )
    for kind in DocumentKind
}
"""The schemas the package ships."""


def document(path: str, tree: Mapping[str, Value], text: str = "") -> Document:
    """Make a document; two of the same tree have the same bytes unless `text` says otherwise."""
    data = (text or repr(tree)).encode()
    kind = kind_of(path)
    assert kind is not None
    digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
    return Document(kind, path, tree, {"": Position(path, 1, 1)}, data, digest)


def snapshot(*documents: Document, guarded: Mapping[str, str] | None = None) -> Snapshot:
    """Make a snapshot in which everything could be read."""
    return Snapshot(
        documents={document.path: document for document in documents},
        digests={document.path: document.sha256 for document in documents},
        guarded=guarded or {},
    )


def declared_leaves(part: object) -> Iterator[dict[str, Any]]:
    """Give every leaf of a schema, or of a part of one, that carries an order row."""
    if isinstance(part, dict):
        if X_ORDER in part:
            yield part
        for below in part.values():
            yield from declared_leaves(below)
    elif isinstance(part, list):
        for below in part:
            yield from declared_leaves(below)
