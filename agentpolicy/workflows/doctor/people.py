"""Do the roles survive one lost key, and is there somebody for each of them?"""

from collections.abc import Iterator, Mapping

from agentpolicy.documents.document import Document, DocumentKind, Snapshot, Value
from agentpolicy.report.checklist import Finding, Standing
from agentpolicy.trust.authority import GATE, Authority, authority_of

_OWNED = frozenset({DocumentKind.BAND, DocumentKind.BUDGET})
_PLATFORM = "platform-owner"
_ROLES = "policies/roles.yaml"


def people(state: Snapshot) -> Iterator[Finding]:
    """Look at who holds what in the trust root in force."""
    assert state.roles is not None, "the caller looked"
    root = authority_of(state.roles)
    notes = (*_roles(state.roles, root), *_owners(state, root))
    if not notes:
        yield Finding("people", Standing.WELL, "every role survives the loss of one key")
    for what, why, hint in notes:
        yield Finding("people", Standing.NOTE, what, why, hint)


def _roles(roles: Document, root: Authority) -> Iterator[tuple[str, str, str]]:
    owners = sorted(root.people_in(_PLATFORM))
    if len(owners) == 1:
        yield (
            f"{owners[0]} is the only platform owner",
            "changes the trust root alone, and nobody can approve what they propose themselves",
            f"add a second person to {_PLATFORM} in {_ROLES}",
        )
    for role in (_PLATFORM, "reviewer"):
        holders = sorted(root.people_in(role))
        if len(holders) == root.threshold(role) and _one_key(roles, holders):
            yield (
                f"{', '.join(holders)}: as many as {role} needs, and one of them has one key",
                "when that key is lost, nobody can sign in this role any more",
                f"list a second key, or one more person, in {_ROLES}",
            )
    if not root.people_in(GATE):
        yield (
            "nobody holds the role gate",
            "verdicts are recorded, but none can support a waiver or admit a release",
            f"add a person for the gate alone, with a key of its own, in {_ROLES}",
        )


def _owners(state: Snapshot, root: Authority) -> Iterator[tuple[str, str, str]]:
    for document in state.documents.values():
        if document.kind in _OWNED and not root.owners_of(document.owned_as):
            yield (
                f"{document.path} has no owner",
                "even a tightening needs a platform owner",
                f"owners: {{{document.owned_as}: [NAME]}}, in {_ROLES}",
            )


def _one_key(roles: Document, holders: list[str]) -> bool:
    listed = roles.tree["people"]
    assert isinstance(listed, Mapping)
    return any(_live_keys(listed[name], roles.version) == 1 for name in holders)


def _live_keys(person: Value, version: int) -> int:
    keys = person["keys"] if isinstance(person, Mapping) else ()
    assert isinstance(keys, tuple)
    return sum(_lives(key, version) for key in keys)


def _lives(key: Value, version: int) -> bool:
    assert isinstance(key, Mapping)
    until = key.get("until")
    return key["since"] <= version and (until is None or version < until)  # type: ignore[operator]
