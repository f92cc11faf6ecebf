"""Reads a commit for advice: what was read without fault before only where it is asked for."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from agentpolicy.documents.document import Document, Snapshot
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.raw import Commit
from agentpolicy.gitio.read_memory import ReadMemory
from agentpolicy.loading.characters import MAX_BYTES
from agentpolicy.loading.document import read_document
from agentpolicy.loading.recalled import Recalled
from agentpolicy.loading.snapshot import ReadCache, name_collisions, read_snapshot
from agentpolicy.workflows.snapshots import (
    REGULAR,
    contents_of,
    leaves_of,
    reader_of,
    with_guarded,
)


def recalled_snapshot_at(
    objects: Objects, commit: Commit, guarded: Iterable[str], cache: ReadCache, memory: ReadMemory
) -> Snapshot:
    """Read a commit as `snapshot_at` does, but what `memory` knows only when it is asked for.

    For advice, never for a decision: the memory may be wrong about what can be read. A document
    that cannot, though it says so, raises `InputError` where it is asked for.
    """
    leaves = tuple(leaf for leaves in leaves_of(objects, commit) for leaf in leaves)
    alike = name_collisions(leaf.path for leaf in leaves)
    known = {
        leaf.path: leaf.oid
        for leaf in leaves
        if not alike and leaf.mode in REGULAR and memory.knows(leaf.path, leaf.oid)
    }
    rest = [leaf for leaf in leaves if leaf.path not in known]
    read = read_snapshot(contents_of(objects, rest), {}, cache)
    for leaf in leaves:
        if leaf.path in known or leaf.path in read.documents:
            memory.note(leaf.path, leaf.oid)

    def load(path: str) -> Document:
        return read_document(path, objects.documents([known[path]], MAX_BYTES)[0])

    def in_order(some: Mapping[str, object]) -> list[str]:
        return [leaf.path for leaf in leaves if leaf.path in known or leaf.path in some]

    documents = Recalled(in_order(read.documents), read.documents, load)
    digests = Recalled(in_order(read.digests), read.digests, lambda path: documents[path].sha256)
    blobs = {leaf.path: leaf.oid for leaf in leaves if leaf.mode in REGULAR}
    snapshot = replace(read, documents=documents, digests=digests, blobs=blobs)
    return with_guarded(snapshot, guarded, reader_of(objects, commit))
