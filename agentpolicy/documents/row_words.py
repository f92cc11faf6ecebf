"""What a row says, in words: for editors, for the rule catalogue and for its pages."""

import json
from collections.abc import Mapping

from agentpolicy.documents.rows import ANY, Kind, Reader, Row

_TIGHTER: Mapping[Kind, str] = {
    Kind.MAX_LIMIT: "it is lower",
    Kind.MIN_LIMIT: "it is higher",
    Kind.SUBSET_OF: "it allows less",
    Kind.SUPERSET_OF: "it requires more",
}
_LOOSER: Mapping[Kind, str] = {
    Kind.MAX_LIMIT: "it is higher",
    Kind.MIN_LIMIT: "it is lower",
    Kind.SUBSET_OF: "it allows more",
    Kind.SUPERSET_OF: "it requires less",
    Kind.ADDITIONS: "entries are added",
}
_UNDIRECTED: Mapping[Kind, str] = {
    Kind.ADDITIONS: "taking an entry out or altering it is incomparable",
    Kind.OPAQUE: "any change is incomparable",
    Kind.ROOT: "any change is one of the trust root",
    Kind.RECORD: "no change matters: no verdict reads it",
    Kind.VERSION: "counts the states of the document",
}
READERS: Mapping[Reader, str] = {
    Reader.RUN: "the gate, about each run",
    Reader.RELEASE: "the gate, about the whole set of runs",
    Reader.ROUTE: "routing: how much review a release gets",
    Reader.FLAG: "reports: whether something is noted",
    Reader.WAIVER: "admission and the gate, about waivers",
    Reader.GUARD: "the guard that stops runs in production",
    Reader.ADMISSION: "admission: whether a change may land",
    Reader.NOBODY: "nobody",
}
"""Who reads a leaf, and so what its loosening lets through."""


def tightens_when(row: Row) -> str | None:
    """Say when a change of the leaf tightens; None where none ever does."""
    if row.kind is Kind.CHAIN:
        return f"it moves toward `{row.chain[0]}`"
    return _TIGHTER.get(row.kind)


def loosens_when(row: Row) -> str | None:
    """Say when a change of the leaf loosens; None where it has no such direction."""
    if row.kind is Kind.CHAIN:
        return f"it moves toward `{row.chain[-1]}`"
    return _LOOSER.get(row.kind)


def undirected(row: Row) -> str | None:
    """Say what holds of changes that neither tighten nor loosen; None where there are none."""
    return _UNDIRECTED.get(row.kind)


def absence_means(row: Row) -> str | None:
    """Say what an absent leaf stands for; None where absence says nothing of its own."""
    if row.absent_same_as:
        return f"the value of `{dotted(row.absent_same_as)}`"
    if row.joined_with:
        return f"what `{dotted(row.joined_with)}` asks for, which is asked for in any case"
    if row.absent == ANY:
        return "any"
    if row.absent is None:
        return {Kind.SUPERSET_OF: "nothing is required", Kind.ADDITIONS: "none"}.get(
            row.kind, "no limit" if row.kind in (Kind.MAX_LIMIT, Kind.MIN_LIMIT) else None
        )
    if row.kind in (Kind.SUBSET_OF, Kind.SUPERSET_OF):
        return ", ".join(f"`{item}`" for item in json.loads(row.absent)) or "none"
    return f"`{row.absent}`"


def title_of(row: Row) -> str:
    """Name the leaf and give its direction, for the head of an editor's tooltip."""
    name = row.rule.partition("/")[2].replace("-", " ")
    tighter = tightens_when(row)
    direction = f"tighter when {tighter}" if tighter else undirected(row)
    absent = absence_means(row)
    return f"{name}: {direction}" + (f"; absent: {absent}" if absent else "")


def dotted(pointer: str) -> str:
    """Write a JSON pointer as the dotted name people use."""
    return pointer[1:].replace("/", ".")
