"""Whether what a digest stands for can be read here: nobody should sign a digest unread."""

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from agentpolicy.base.canonical import canonical_bytes, digest
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.documents.document import Document, DocumentKind, Value
from agentpolicy.gitio.repository import Repository
from agentpolicy.order.change import DocumentChange
from agentpolicy.workflows.proposal import Proposal

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_KINDS = (DocumentKind.BASELINE, DocumentKind.WAIVER)
"""The kinds of document that rest on evidence by digest."""
_VERDICT = "/verdict"


def unread(
    repository: Repository, proposal: Proposal, change: DocumentChange, evidence: Collection[Path]
) -> Iterator[Problem]:
    """Report each digest that a change brings in, and that nothing at hand stands behind.

    A verdict is read from the log, everything else from the files and folders given as evidence.

    Raises:
        InputError: a file given as evidence cannot be read.
        UndecidedError: git cannot read the log.
    """
    new = change.new
    if new is None or new.kind not in _KINDS or change.old_sha256 == change.new_sha256:
        return
    before = {value for _, value in _digests(change.old.tree)} if change.old else set()
    brought = [(at, value) for at, value in _digests(new.tree) if value not in before]
    if not brought:
        return
    at_hand = _given(evidence)
    for pointer, value in brought:
        if value not in at_hand and not (
            pointer == _VERDICT and value in _recorded(repository, proposal)
        ):
            yield _missing(new, pointer, value)


def _missing(document: Document, pointer: str, value: str) -> Problem:
    what = "no log here holds that verdict" if pointer == _VERDICT else "no file at hand has it"
    return Problem(
        "evidence-unread",
        f"{pointer} is {value}, and {what}, so nobody could have read what they would sign",
        "fetch the log, or add --evidence FILE-OR-FOLDER to the command",
        document.path,
        document.positions.get(pointer),
    )


def _digests(value: Value, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Find the digests anywhere in a tree, with where they stand."""
    if isinstance(value, str):
        if _DIGEST.fullmatch(value):
            yield pointer, value
    elif isinstance(value, tuple):
        for number, item in enumerate(value):
            yield from _digests(item, f"{pointer}/{number}")
    elif not isinstance(value, bool | int) and hasattr(value, "items"):
        for key, item in value.items():
            yield from _digests(item, f"{pointer}/{key}")


def _given(evidence: Collection[Path]) -> frozenset[str]:
    """Give the digests of all files given, and of each folder's files as one set of runs."""
    found: set[str] = set()
    for place in evidence:
        files = sorted(file for file in place.rglob("*") if file.is_file())
        try:
            read = sorted(digest(file.read_bytes()) for file in files or [place])
        except OSError as error:
            words = f"it cannot be read: {error.strerror}"
            hint = "name files or folders that are there with --evidence"
            raise InputError(Problem("evidence-unreadable", words, hint, str(place))) from error
        found |= {*read, digest(canonical_bytes(read))}
    return frozenset(found)


def _recorded(repository: Repository, proposal: Proposal) -> frozenset[str]:
    """Give the digests of the verdicts in the log, whoever signed them; admission asks who."""
    from agentpolicy.provenance.query import verdicts_in  # noqa: PLC0415 - seldom needed, slow
    from agentpolicy.workflows.audit import log_of  # noqa: PLC0415 - as above

    return frozenset(
        found.verdict for found in verdicts_in(log_of(repository, proposal.before).records)
    )
