"""Whose signatures count at a position of the log, and which were the gate's.

Positions decide, never claimed times. A record that names a policy commit shows that the roles
version of that commit was there before the record was: nobody can name a commit that is yet to
come. So a key stops counting with the first record that shows a version at which it was retired.
"""

from collections.abc import Iterator

from agentpolicy.runs.truth import Truth, all_of, any_of, negation
from agentpolicy.trust.authority import GATE, Authority
from agentpolicy.trust.keys import PublicKey


class Signers:
    """Knows, while a log is read in its order, which roles versions it has shown so far."""

    def __init__(self, authority: Authority) -> None:
        """Begin before the first record, with the trust roots that are known."""
        self._authority = authority
        self._roots = (*authority.earlier, authority)
        self._shown = 0
        """The newest roles version that the log has shown."""

    def person_of(self, key: PublicKey) -> str | None:
        """Say who signs with a key at this position; None where it is a stranger's by now."""
        for root in reversed(self._roots):
            if root.version >= self._shown and (person := root.person_of(key)):
                return person
        return self._person_before(key, self._shown)

    def show(self, commit: str | None) -> None:
        """Take note that a record names a policy commit."""
        version = self._version_at(commit)
        if version is not None:
            self._shown = max(self._shown, version)

    def by_gate(self, key: PublicKey, commit: str | None) -> Truth:
        """Say whether the gate signed: in force at the commit that is named, and here.

        Where the commit is not known, it must be so, or not be so, in every trust root that lists
        the key as live; else it cannot be told. Of a compromised key it can never be told.
        """
        if key in self._authority.compromised:
            return None
        version = self._version_at(commit)
        if version is None:
            everywhere = tuple(self._gate(key, 0))
            return all_of((_agreed(everywhere), any_of(self._gate(key, self._shown))))
        named = next(root for root in self._roots if root.version == version)
        here = version >= self._shown or any_of(self._gate(key, self._shown))
        return all_of((_is_gate(named, key), here))

    def _version_at(self, commit: str | None) -> int | None:
        return None if commit is None else self._authority.in_force_at.get(commit)

    def _gate(self, key: PublicKey, least: int) -> Iterator[Truth]:
        """Say of each trust root from a version on that counts the key whether it is the gate's."""
        for root in self._roots:
            if root.version >= least and root.person_of(key):
                yield _is_gate(root, key)
        before = self._person_before(key, least)
        if before is not None:
            # who held the role before the oldest known trust root is nowhere written
            yield True if before in self._roots[0].people_in(GATE) else None

    def _person_before(self, key: PublicKey, least: int) -> str | None:
        """Say whose key it was before the oldest known trust root, from a version on.

        That trust root lists the keys that were retired before it.
        """
        oldest = self._roots[0]
        listed = oldest.listing_of(key)
        if listed is None:
            return None
        first = max(listed.since, least)
        return listed.person if first < oldest.version and listed.lives_at(first) else None


def _is_gate(root: Authority, key: PublicKey) -> bool:
    return root.person_of(key) in root.people_in(GATE)


def _agreed(answers: tuple[Truth, ...]) -> Truth:
    """Give the one answer that all give; None where they differ."""
    if all_of(answers):
        return bool(answers)
    return False if all_of(negation(answer) for answer in answers) else None
