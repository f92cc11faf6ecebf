"""Bytes to one policy document: strict YAML, its kind's schema, and what holds between fields."""

from collections.abc import Iterator, Mapping
from itertools import islice

from agentpolicy.base.canonical import digest
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.base.source import Position
from agentpolicy.documents.document import Document, DocumentKind, Value
from agentpolicy.documents.invariants import violations
from agentpolicy.documents.layout import POLICIES, kind_of
from agentpolicy.loading.characters import MAX_PROBLEMS, at_most
from agentpolicy.loading.pointers import keys_of
from agentpolicy.loading.schemas import Schema, errors_in, parts_at, schema_of
from agentpolicy.loading.yaml_tree import Survey, survey

EXPECTED_PLACES = (
    "policies/roles.yaml, policies/tools.yaml, policies/bands/<agent>.yaml, "
    "policies/budgets/<name>.yaml, policies/baselines/<agent>.yaml, policies/waivers/<id>.yaml"
)
_DISTINCTIVE: tuple[tuple[frozenset[str], DocumentKind], ...] = (
    (frozenset({"people", "roles"}), DocumentKind.ROLES),
    (frozenset({"tools"}), DocumentKind.TOOLS),
    (frozenset({"task_type", "budget"}), DocumentKind.BUDGET),
    (frozenset({"band_version"}), DocumentKind.BAND),
    (frozenset({"runs", "fixtures"}), DocumentKind.BASELINE),
    (frozenset({"verdict", "expires_on"}), DocumentKind.WAIVER),
)


def read_document(path: str, data: bytes) -> Document:
    """Read the document whose place under `policies/` says what it is.

    Raises:
        InputError: with every problem found, in the order of the file.
    """
    kind = kind_of(path)
    if kind is None:
        raise InputError(misplaced(path))
    return _read(path, path, kind, survey(path, data), data)


def read_candidate(path: str, data: bytes) -> Document:
    """Read a file for advice, never for a decision: from anywhere, under its own path.

    A `policies` folder anywhere in the path says what the file is; without one its keys do.

    Raises:
        InputError: as `read_document`, or the keys fit no kind of document.
    """
    governed = governed_name(path)
    kind = kind_of(governed)
    found = survey(path, data)
    if kind is None:
        kind = guess_kind(found.tree.value)
    if kind is None:
        raise InputError(*(found.problems or (misplaced(path),)))
    return _read(path, governed, kind, found, data)


def governed_name(path: str) -> str:
    """Strip what stands before the last `policies` folder of a path."""
    parts = path.split("/")
    if POLICIES not in parts[:-1]:
        return path
    last = max(index for index, part in enumerate(parts[:-1]) if part == POLICIES)
    return "/".join(parts[last:])


def guess_kind(tree: Mapping[str, Value]) -> DocumentKind | None:
    """Say which kind of document the top keys belong to; None when they fit none."""
    for keys, kind in _DISTINCTIVE:
        if keys <= tree.keys():
            return kind
    return None


def misplaced(path: str) -> Problem:
    """Complain about a file that is no document where it lies, and say what would be one."""
    where = Position(path, 1, 1)
    if path.endswith(".yml") and kind_of(governed_name(renamed := f"{path[:-4]}.yaml")):
        message = "a policy file ends in .yaml, not .yml"
        return Problem("wrong-suffix", message, f"git mv {path} {renamed}", path, where)
    message = f"{path!a} is not a place of a policy document"
    return Problem(
        "unknown-file", message, f"move it out, or to one of: {EXPECTED_PLACES}", path, where
    )


def _read(path: str, governed: str, kind: DocumentKind, found: Survey, data: bytes) -> Document:
    tree = found.tree
    problems = [*found.problems, *islice(_schema_problems(path, kind, found), MAX_PROBLEMS + 1)]
    document = Document(kind, governed, tree.value, tree.positions, data, digest(data))
    if not problems:
        problems.extend(_contradictions(path, document))
    if problems:
        problems.sort(key=_line_and_column)
        raise InputError(*at_most(iter(problems)))
    return document


def _schema_problems(path: str, kind: DocumentKind, found: Survey) -> Iterator[Problem]:
    """Say what the schema refuses, but for places that a problem already speaks about."""
    tree, schema = found.tree, schema_of(kind)
    errors = errors_in(kind, tree.value)
    fractions = [pointer for pointer in tree.fractions if _is_whole(schema, pointer)]
    if not errors and not fractions:
        return
    from agentpolicy.loading.complaints import Complainer  # noqa: PLC0415 - only a refusal needs it

    complainer = Complainer(path, tree, schema)
    said = set(found.refused)
    for error in errors:
        for complaint in complainer.complaints(error):
            if complaint.about == "absence" and not found.complete:
                continue
            if complaint.about == "key" or complaint.pointer not in said:
                yield complaint.problem
            if complaint.about == "value":
                said.add(complaint.pointer)
    for pointer in fractions:
        if pointer not in said:
            yield complainer.not_whole(pointer).problem


def _is_whole(schema: Schema, pointer: str) -> bool:
    """Say whether only a whole number belongs at a place; to JSON Schema `3.0` is one."""
    types = {part.get("type") for part in parts_at(schema, keys_of(pointer))}
    return "integer" in types and "number" not in types


def _contradictions(path: str, document: Document) -> Iterator[Problem]:
    """Say what does not hold between the fields, or between the file's name and its id."""
    for violation in violations(document.kind, document.tree):
        where = document.positions.get(violation.pointer)
        yield Problem("contradiction", violation.message, violation.hint, path, where)
    written = document.tree.get("id")
    if document.kind is DocumentKind.WAIVER and written != document.name:
        where = document.positions.get("/id")
        message = f"the id `{written}` is not the name of the file, `{document.name}`"
        hint = f"write id: {document.name}, or name the file {written}.yaml"
        yield Problem("name-mismatch", message, hint, path, where)


def _line_and_column(problem: Problem) -> tuple[int, int]:
    where = problem.position
    return (where.line, where.column) if where else (0, 0)
