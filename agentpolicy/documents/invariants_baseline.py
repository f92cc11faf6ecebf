"""What must hold within a baseline: each fixture once, and nothing accepted for others."""

from collections.abc import Iterator, Mapping

from agentpolicy.documents.document import Value
from agentpolicy.documents.violation import Violation, at


def baseline_violations(tree: Mapping[str, Value]) -> Iterator[Violation]:
    """Find fixtures that are named twice, and accepted outputs that say nothing."""
    known: set[Value | None] = set()
    for index, fixture in enumerate(_entries(at(tree, "/fixtures"))):
        name = fixture.get("id")
        if name in known:
            yield Violation(
                f"/fixtures/{index}/id",
                f"the fixture {name} stands there twice",
                "delete or rename one of the two",
            )
        known.add(name)
    yield from _accepted(_entries(at(tree, "/accepted")), known)


def _accepted(
    entries: tuple[Mapping[str, Value], ...], known: set[Value | None]
) -> Iterator[Violation]:
    seen: set[tuple[Value | None, Value | None]] = set()
    for index, entry in enumerate(entries):
        name, after = entry.get("fixture_id"), entry.get("after")
        pointer = f"/accepted/{index}"
        if name not in known:
            yield Violation(
                f"{pointer}/fixture_id",
                f"{name} is no fixture of this baseline",
                "name one of its fixtures by its exact id",
            )
        if after == entry.get("before"):
            yield Violation(
                f"{pointer}/after", "before and after are the same text", "delete this entry"
            )
        if (name, after) in seen:
            yield Violation(
                f"{pointer}/after",
                f"this text is accepted for {name} twice",
                "delete one of the two",
            )
        seen.add((name, after))


def _entries(value: Value | None) -> tuple[Mapping[str, Value], ...]:
    items = value if isinstance(value, tuple) else ()
    return tuple(item for item in items if isinstance(item, Mapping))
