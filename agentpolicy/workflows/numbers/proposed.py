"""Turns measured numbers into a change of a policy file, for a person to sign; never applied."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from typing import TypeAlias

from agentpolicy.base.errors import Problem, UndecidedError
from agentpolicy.documents.document import Document, Snapshot, Value
from agentpolicy.loading.document import read_document
from agentpolicy.loading.schemas import all_schemas
from agentpolicy.loading.yaml_edit import rewritten, written
from agentpolicy.order.change import ChangeClass
from agentpolicy.order.classify import classify

Edits: TypeAlias = Mapping[tuple[str, ...], Value | None]
"""What is to stand where: the way of keys, and the value; None takes it away."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change that somebody may sign."""

    yaml: str
    """The whole file with the change, or the lines to write where there is no file."""
    change_class: ChangeClass | None = None
    """How the change is classed against the file as it is; None without one."""
    path: str = ""
    changes: tuple[str, ...] = ()
    """The lines of the file that change, as `diff -u` shows them."""


def propose(edits: Edits, document: Document | None) -> Proposal:
    """Write the change: into a document, every other byte kept, or as lines of their own.

    Raises:
        UndecidedError: what was written does not read back as meant.
    """
    if document is None:
        return Proposal("".join(f"{line}\n" for line in _lines(_with({}, edits), 0)))
    target = _with(document.tree, edits)
    try:
        data = rewritten(document.data, target)
    except ValueError as error:
        raise _unwritten(document, str(error)) from error
    after = read_document(document.path, data)
    if after.tree != target:
        raise _unwritten(document, "it does not read back as meant")
    before, changed = (Snapshot(documents={document.path: one}) for one in (document, after))
    report = classify(before, changed, all_schemas())
    text = data.decode("utf-8")
    return Proposal(
        text, report.change_class, document.path, _compared(document, text.splitlines())
    )


def _compared(document: Document, lines: Sequence[str]) -> tuple[str, ...]:
    """Show which lines change, as `diff -u` does."""
    old = document.data.decode("utf-8").splitlines()
    return tuple(unified_diff(old, lines, document.path, "proposed", n=1, lineterm=""))


def _with(tree: Mapping[str, Value], edits: Edits) -> dict[str, Value]:
    """Give the tree with every edit made."""
    changed = dict(tree)
    for way, value in edits.items():
        _place(changed, way, value)
    return changed


def _place(tree: dict[str, Value], way: tuple[str, ...], value: Value | None) -> None:
    key, *rest = way
    if not rest:
        tree.pop(key, None)
        if value is not None:
            tree[key] = value
        return
    inner = tree.get(key)
    below = dict(inner) if isinstance(inner, Mapping) else {}
    _place(below, tuple(rest), value)
    if below:
        tree[key] = below


def _lines(tree: Mapping[str, Value], depth: int) -> Iterator[str]:
    """Write a tree as YAML lines; what holds only values stands on one line."""
    for key, value in tree.items():
        nested = isinstance(value, Mapping) and any(
            isinstance(one, Mapping) for one in value.values()
        )
        if isinstance(value, Mapping) and (nested or not depth):
            yield f"{'  ' * depth}{written(key)}:"
            yield from _lines(value, depth + 1)
        else:
            yield f"{'  ' * depth}{written(key)}: {written(value)}"


def _unwritten(document: Document, why: str) -> UndecidedError:
    words = f"the change could not be written into the file: {why}"
    hint = "leave the file out to get the lines alone, and write them in yourself"
    return UndecidedError(Problem("proposal-unwritten", words, hint, document.path))
