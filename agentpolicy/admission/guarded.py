"""Files outside `policies/` that stand under the trust root's quorum."""

from collections.abc import Collection, Iterator

from agentpolicy.base.errors import Problem
from agentpolicy.base.values import replace
from agentpolicy.documents.document import Document, Snapshot
from agentpolicy.documents.layout import ROLES_PATH, is_governed

_ODD_PARTS = frozenset({"", ".", "..", ".git"})


def guarded_paths(roles: Document | None) -> frozenset[str]:
    """List the files that a trust root guards."""
    return frozenset(path for path in _listed(roles) if _names_a_file(path))


def under_one_guard(base: Snapshot, head: Snapshot) -> tuple[Snapshot, Snapshot]:
    """Narrow both sides to the files that the base's roles guard.

    A file that only the new roles name is no change yet, and one that they no longer name is the
    trust root's change, not the file's.
    """
    paths = guarded_paths(base.roles)
    return _narrowed(base, paths), _narrowed(head, paths)


def never_guarded(roles: Document) -> Iterator[Problem]:
    """Report names under which git never has a file: they would guard nothing, unnoticed."""
    for index, path in enumerate(_listed(roles)):
        if not _names_a_file(path):
            where = roles.positions.get(f"/guarded/{index}") or roles.positions.get("/guarded")
            yield Problem(
                "guarded-name",
                f"`{path}` is no name git has for a file outside policies/, so it guards nothing",
                "write the path from the top of the repository, as `git ls-files` shows it",
                ROLES_PATH,
                where,
            )


def _narrowed(snapshot: Snapshot, paths: Collection[str]) -> Snapshot:
    if snapshot.guarded.keys() <= set(paths):
        return snapshot
    kept = {path: sha256 for path, sha256 in snapshot.guarded.items() if path in paths}
    return replace(snapshot, guarded=kept)


def _listed(roles: Document | None) -> tuple[str, ...]:
    listed = roles.tree.get("guarded", ()) if roles else ()
    assert isinstance(listed, tuple)
    return tuple(str(path) for path in listed)


def _names_a_file(path: str) -> bool:
    """Say whether git can have a file outside `policies/` under exactly this name."""
    parts = {part.casefold() for part in path.split("/")}
    return parts.isdisjoint(_ODD_PARTS) and not is_governed(path)
