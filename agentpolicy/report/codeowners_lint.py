"""Finds what keeps CODEOWNERS from asking the right people: the last match wins, silently."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from agentpolicy.base.errors import Problem
from agentpolicy.base.source import Position
from agentpolicy.documents.document import Document
from agentpolicy.report.codeowners import (
    block,
    block_lines,
    blocks_in,
    routes,
    with_block,
    without_handle,
)

PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
"""Where GitHub looks; the first that is there counts, and the others are not read."""
WRITE = "agentpolicy codeowners --write"

_LIKELY = ("bands/new", "budgets/new", "baselines/new", "waivers/new", "tools", "roles")
_UNREAD = re.compile(r"!|\[|\\#|[^\\]*\[")


def place_of(files: Mapping[str, str]) -> str:
    """Say which of the files there are counts; where there is none, where one belongs."""
    return next((place for place in PLACES if place in files), "CODEOWNERS")


def lint(files: Mapping[str, str], roles: Document, documents: Sequence[str]) -> Iterator[Problem]:
    """Find what is wrong with the CODEOWNERS files there are, given by place."""
    yield from _handles(roles)
    place = place_of(files)
    if place not in files:
        words = "there is no CODEOWNERS file, so nobody is asked to review a change of a rule"
        yield Problem("codeowners-missing", words, WRITE, place)
        return
    text = files[place]
    yield from _elsewhere(files, place)
    ours = block_lines(text)
    if ours is None:
        words = "it has no lines of agentpolicy, so nobody is asked about a change of a rule"
        yield Problem("codeowners-missing", words, WRITE, place)
        return
    yield from _unread(place, text)
    if blocks_in(text) != (block(roles),):
        words = "its lines of agentpolicy are not what policies/roles.yaml asks for now"
        yield Problem("codeowners-stale", words, WRITE, place, Position(place, ours.start, 1))
    yield from _shadowed(place, text, ours, roles, documents)


def needs_writing(files: Mapping[str, str], roles: Document) -> bool:
    """Say whether writing the block anew would change the file."""
    text = files.get(place_of(files), "")
    return with_block(text, roles) != text


@cache
def pattern(text: str) -> re.Pattern[str]:
    """Compile a CODEOWNERS pattern: gitignore's, but `folder/*` does not reach deeper."""
    anchored = "/" in text.rstrip("/")
    parts = text.strip("/").split("/")
    written = ""
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        if part == "**":
            written += ".+" if last else "(?:.*/)?"
        else:
            written += "".join(_CHARACTER.get(one, re.escape(one)) for one in part)
            written += "" if last else "/"
    if text.endswith("/"):
        written += "/.+"
    elif not (anchored and parts[-1] == "*"):
        written += "(?:/.*)?"
    return re.compile(written if anchored else f"(?:.*/)?{written}", re.DOTALL)


_CHARACTER = {"*": "[^/]*", "?": "[^/]"}


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    pattern: str


def _lines(text: str) -> Iterator[_Line]:
    """Give the lines that have a pattern the host reads."""
    for number, line in enumerate(text.split("\n"), 1):
        words = re.split(r"(?<!\\)\s+", line.strip(), maxsplit=1)
        if words[0] and not words[0].startswith("#") and not _UNREAD.match(words[0]):
            yield _Line(number, words[0].replace("\\ ", " "))


def _shadowed(
    place: str, text: str, ours: range, roles: Document, documents: Sequence[str]
) -> Iterator[Problem]:
    """Find the lines after the block that take a path away from it."""
    likely = {f"policies/{name}.yaml" for name in _LIKELY}
    exact = {route.pattern[1:] for route in routes(roles) if not route.pattern.endswith("/")}
    later = [line for line in _lines(text) if line.number >= ours.stop]
    taken: dict[int, tuple[str, str]] = {}
    for path in sorted({*documents, *exact, *likely}):
        winners = [line for line in later if pattern(line.pattern).fullmatch(path)]
        if winners:
            taken.setdefault(winners[-1].number, (winners[-1].pattern, path))
    for number, (shadow, path) in sorted(taken.items()):
        words = f"`{shadow}` stands after the lines of agentpolicy and takes {path} from them"
        where = Position(place, number, 1)
        yield Problem("codeowners-shadowed", words, WRITE, place, where)


def _elsewhere(files: Mapping[str, str], place: str) -> Iterator[Problem]:
    for other in PLACES:
        if other in files and other != place:
            words = f"{other} is not read, because {place} is there; GitHub looks in that order"
            hint = f"git rm {other}, once what it says is in {place}"
            yield Problem("codeowners-elsewhere", words, hint, other)


def _unread(place: str, text: str) -> Iterator[Problem]:
    for number, line in enumerate(text.split("\n"), 1):
        if _UNREAD.match(line.strip()):
            words = f"GitHub skips `{line.strip()}`: `!`, `[` and `\\#` are no pattern there"
            hint = f"write line {number} of {place} without it; sections are GitLab's alone"
            where = Position(place, number, 1)
            yield Problem("codeowners-unread", words, hint, place, where)


def _handles(roles: Document) -> Iterator[Problem]:
    for person in without_handle(roles):
        words = f"{person} has no handle of the form @NAME, so no review can be asked for"
        where = roles.positions.get(f"/people/{person}")
        hint = f'handle: "@{person}", under people in {roles.path}'
        yield Problem("handle-missing", words, hint, roles.path, where)
