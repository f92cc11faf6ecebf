"""Counts a changed document's version on, as a splice: a reviewer sees one changed line."""

from collections.abc import Collection
from pathlib import Path

from agentpolicy.admission.approvals import highest_version
from agentpolicy.base.errors import Problem, UndecidedError
from agentpolicy.documents.document import VERSION_KEYS, Document
from agentpolicy.gitio.repository import Repository
from agentpolicy.loading.document import read_document
from agentpolicy.order.change import DocumentChange, Operation
from agentpolicy.workflows.proposal import Proposal


def count_on(repository: Repository, proposal: Proposal, paths: Collection[str]) -> tuple[str, ...]:
    """Write the next version number into each changed document that lacks it; give their paths.

    Raises:
        UndecidedError: the spliced file does not read back as meant; it is left as it was.
    """
    assert repository.top is not None
    counted = []
    for change in proposal.report.documents:
        expected = _expected(proposal, change)
        document = change.new
        if document is None or expected is None or (paths and change.path not in paths):
            continue
        if document.version != expected:
            spliced = with_version(document, expected)
            Path(repository.top, change.path).write_bytes(spliced)
            counted.append(change.path)
    return tuple(counted)


def with_version(document: Document, version: int) -> bytes:
    """Give the document's bytes with another version number and nothing else changed."""
    key = VERSION_KEYS[document.kind]
    position = document.positions.get(f"/{key}")
    lines = document.data.decode("utf-8").split("\n")
    if position is None:
        start = document.positions[""].line - 1
        lines.insert(start, f"{key}: {version}")
    else:
        line, column = position.line - 1, position.column - 1
        old = str(document.tree[key])
        lines[line] = lines[line][:column] + str(version) + lines[line][column + len(old) :]
    data = "\n".join(lines).encode("utf-8")
    expected = {**document.tree, key: version}
    if dict(read_document(document.path, data).tree) != expected:
        raise UndecidedError(
            Problem(
                "version-splice",
                f"{key} could not be counted on without changing anything else",
                f"write `{key}: {version}` into {document.path} yourself",
                document.path,
                position,
            )
        )
    return data


def _expected(proposal: Proposal, change: DocumentChange) -> int | None:
    """Give the version a change must carry; None where any first version will do."""
    if change.new is None or change.new.kind not in VERSION_KEYS:
        return None
    if change.operation is Operation.RATIFY:
        return None
    if change.operation is Operation.ADD:
        before = highest_version(proposal.base, change.path)
        return before + 1 if before else None
    return change.old_version + 1
