"""CODEOWNERS: asks the people for a review whose signatures a change will need. It decides nothing.

What agentpolicy writes is one block at the end of the file, because the last match wins; every
other line is left as it is.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from agentpolicy.documents.document import Document
from agentpolicy.trust.authority import Authority, authority_of

BEGIN = "# agentpolicy: begin. Written from policies/roles.yaml by: agentpolicy codeowners --write"
END = "# agentpolicy: end. Routing only: signatures decide who may approve."
REVIEWER = "reviewer"
PLATFORM_OWNER = "platform-owner"

_HANDLE = re.compile(r"@[A-Za-z0-9][\w./-]*|[\w.+-]+@[\w.-]+", re.ASCII)
_PLAIN = re.compile(r"[^\s*?\[\]\\!#]+")
_BLOCK = re.compile(rf"(?ms)^{re.escape(BEGIN)}$.*?^{re.escape(END)}$\n?")


@dataclass(frozen=True, slots=True)
class Route:
    """Whom a change of a path is shown to."""

    pattern: str
    handles: tuple[str, ...]
    """Nobody where the files carry their own proof."""


def routes(roles: Document) -> tuple[Route, ...]:
    """Say who is asked about what, the general lines before the special ones."""
    root = authority_of(roles)
    platform, reviewers = root.people_in(PLATFORM_OWNER), root.people_in(REVIEWER)
    asked: list[tuple[str, Iterable[str]]] = [("/policies/", platform)]
    asked.append(("/policies/waivers/", platform | reviewers))
    for owned in _owned(roles):
        owners = root.owners_of(owned)
        asked.append((f"/policies/{owned}.yaml", owners | platform))
        if owned.startswith("bands/"):
            baseline = f"/policies/baselines/{owned.removeprefix('bands/')}.yaml"
            asked.append((baseline, owners | platform | reviewers))
    asked += [(f"/{path}", platform) for path in _guarded(root)]
    found = (Route(pattern, _handles(roles, people)) for pattern, people in asked)
    # A line without anybody would take the owners away that an earlier line gives.
    return (*(route for route in found if route.handles), Route("/policies/approvals/", ()))


def without_handle(roles: Document) -> tuple[str, ...]:
    """List the people who have a role or own a document, and no handle that can be written."""
    root = authority_of(roles)
    people = root.people_in(PLATFORM_OWNER) | root.people_in(REVIEWER)
    people = people.union(*(root.owners_of(owned) for owned in _owned(roles)))
    return tuple(sorted(person for person in people if not _handles(roles, (person,))))


def with_block(text: str, roles: Document) -> str:
    """Give the text of a CODEOWNERS file with the block brought up to date, at the end."""
    others = _BLOCK.sub("", text).rstrip("\n")
    return (f"{others}\n\n" if others else "") + block(roles)


def block(roles: Document) -> str:
    """Write the lines that a trust root asks for."""
    found = routes(roles)
    width = max(len(route.pattern) for route in found)
    lines = (f"{route.pattern:<{width}} {' '.join(route.handles)}".rstrip() for route in found)
    return "\n".join((BEGIN, *lines, END)) + "\n"


def blocks_in(text: str) -> tuple[str, ...]:
    """Give the blocks that a file holds; more than one when somebody copied it."""
    return tuple(
        found[0] for found in _BLOCK.finditer(text if text.endswith("\n") else f"{text}\n")
    )


def block_lines(text: str) -> range | None:
    """Say which lines of a file the block takes, counted from 1; None where there is none."""
    found = _BLOCK.search(text)
    if found is None:
        return None
    first = text.count("\n", 0, found.start()) + 1
    return range(first, first + found[0].rstrip("\n").count("\n") + 1)


def _handles(roles: Document, people: Iterable[str]) -> tuple[str, ...]:
    """Give the handles that are one word of the form that hosts know."""
    return tuple(handle for person in sorted(people) for handle in _handle(roles, person))


def _handle(roles: Document, person: str) -> Iterator[str]:
    listed = roles.tree["people"]
    entry = listed.get(person) if isinstance(listed, Mapping) else None
    handle = entry.get("handle") if isinstance(entry, Mapping) else None
    if isinstance(handle, str) and _HANDLE.fullmatch(handle):
        yield handle


def _owned(roles: Document) -> tuple[str, ...]:
    owners = roles.tree.get("owners")
    return tuple(sorted(owners)) if isinstance(owners, Mapping) else ()


def _guarded(root: Authority) -> tuple[str, ...]:
    """List the guarded files whose names a CODEOWNERS pattern can spell."""
    return tuple(sorted(path for path in root.guarded if _PLAIN.fullmatch(path)))
