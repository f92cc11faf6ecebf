"""Shows what a changed policy file means before git shows which lines changed.

Git calls an external diff driver with two files and takes nothing but success for an answer, so
whatever cannot be classed is said in words and shown as lines all the same.
"""

import difflib
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from agentpolicy.base.errors import AgentPolicyError
from agentpolicy.documents.document import EMPTY, Document, Snapshot
from agentpolicy.loading.document import read_candidate
from agentpolicy.loading.schemas import all_schemas
from agentpolicy.order.change import Effect, Finding
from agentpolicy.order.classify import classify

NOTHING = os.devnull
"""What git names for a side that is not there."""
_WORDS = {
    Effect.LOOSER: "loosens",
    Effect.TIGHTER: "tightens",
    Effect.INCOMPARABLE: "is not ordered",
    Effect.UNKNOWN: "cannot be classed",
    Effect.ROOT: "changes the trust root",
    Effect.NEUTRAL: "says the same",
    Effect.RECORD: "is a record",
}
_DIGEST = "sha256:"


@dataclass(frozen=True, slots=True)
class Sides:
    """What git hands to a diff driver, as far as it matters here."""

    path: str
    """The path in the repository."""
    old: Path
    """A file with the old content; `/dev/null` where there was none."""
    new: Path
    new_path: str = ""
    """The path on the new side, where it is another one."""


def driver_text(sides: Sides) -> str:
    """Write the findings and the plain line diff of one file; never fails on what a file holds."""
    target = sides.new_path or sides.path
    old, new = _bytes(sides.old), _bytes(sides.new)
    lines = [f"diff --git a/{sides.path} b/{target}"]
    lines += (f"agentpolicy: {line}" for line in _meaning(sides, old, new))
    return "\n".join(lines) + "\n" + "".join(_line_diff(sides, old or b"", new or b""))


def unmerged_text(path: str) -> str:
    """Say of a file in conflict what git says of it."""
    return f"* Unmerged path {path}\n"


def _meaning(sides: Sides, old: bytes | None, new: bytes | None) -> Iterator[str]:
    """Say what the change does, or why nobody can say."""
    try:
        before, after = _read(sides.path, old), _read(sides.new_path or sides.path, new)
        report = classify(_alone(before), _alone(after), all_schemas())
    except AgentPolicyError as error:
        yield f"unknown: this cannot be classed: {error.problems[0].message}"
        return
    except Exception as error:  # noqa: BLE001 - a log must be shown whatever is wrong here
        yield f"unknown: this could not be classed ({type(error).__name__})"
        return
    yield str(report.change_class)
    for finding in report.findings:
        yield from _finding(finding)


def _finding(finding: Finding) -> Iterator[str]:
    what = finding.pointer or "the whole file"
    values = ""
    if finding.pointer:
        old, new = (_value(text) for text in (finding.old, finding.new))
        values = f"  {old} -> {new}"
    yield f"  {_WORDS[finding.effect]}  {what}{values}  [{finding.rule}]"
    if finding.effect not in (Effect.RECORD, Effect.NEUTRAL):
        yield f"    {finding.why}"


def _value(text: str | None) -> str:
    if text is None:
        return "absent"
    return text[: len(_DIGEST) + 12] if text.startswith(_DIGEST) else text


def _read(path: str, data: bytes | None) -> Document | None:
    """Read a side as the document of the path in the repository, whatever file holds it."""
    if data is None:
        return None
    document = read_candidate(path, data)
    return replace(document, path=path)


def _alone(document: Document | None) -> Snapshot:
    if document is None:
        return EMPTY
    return Snapshot(documents={document.path: document}, digests={document.path: document.sha256})


def _bytes(path: Path) -> bytes | None:
    """Read one side; a side that is not there is None, one that cannot be read is empty."""
    if str(path) == NOTHING:
        return None
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _line_diff(sides: Sides, old: bytes, new: bytes) -> Iterator[str]:
    """Write the diff that git would have written, with bytes that are no text kept as they are."""
    was = _name("a", sides.old, sides.path)
    now = _name("b", sides.new, sides.new_path or sides.path)
    before, after = (_lines(data) for data in (old, new))
    for line in difflib.unified_diff(before, after, was, now):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _name(side: str, file: Path, path: str) -> str:
    return NOTHING if str(file) == NOTHING else f"{side}/{path}"


def _lines(data: bytes) -> list[str]:
    """Split where git does, at line feeds alone."""
    *whole, rest = data.decode("utf-8", "surrogateescape").split("\n")
    return [*(f"{line}\n" for line in whole), *([rest] if rest else [])]
