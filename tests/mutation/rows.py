"""All the ways an order row of a schema can be wrong: turned round, dropped, otherwise absent."""

import copy
import json
from collections.abc import Iterator
from typing import Any

from agentpolicy.documents.rows import X_ORDER

from tests.mutation.mutants import Mutant
from tests.policies import declared_leaves

FLIPPED = {
    "max-limit": "min-limit", "min-limit": "max-limit",
    "subset-of": "superset-of", "superset-of": "subset-of",
}  # fmt: skip


def row_mutants(text: str) -> Iterator[Mutant]:
    """Change one row of one leaf of a schema."""
    schema = json.loads(text)
    for number, leaf in enumerate(declared_leaves(schema)):
        for what, kind, row in _changes(leaf[X_ORDER]):
            bent = copy.deepcopy(schema)
            list(declared_leaves(bent))[number][X_ORDER] = row
            yield Mutant(number, f"{leaf[X_ORDER]['rule']}: {what}", json.dumps(bent), kind)


def _changes(row: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    kind = row["kind"]
    if kind in FLIPPED:
        yield "turned round", "row", {**row, "kind": FLIPPED[kind]}
    if "chain" in row:
        yield "turned round", "row", {**row, "chain": row["chain"][::-1]}
    if kind not in {"record", "version"}:
        yield "dropped", "row", {**row, "kind": "record"}
    for part in ("absent", "absent_same_as", "joined_with", "unread_beside"):
        if part in row:
            yield f"{part} dropped", "row", {key: row[key] for key in row if key != part}
