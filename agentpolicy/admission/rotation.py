"""What no new trust root may take back of the one before it, whoever signs."""

from collections.abc import Iterator

from agentpolicy.base.errors import Problem
from agentpolicy.documents.document import Document
from agentpolicy.documents.layout import ROLES_PATH
from agentpolicy.trust.authority import Authority, ListedKey, authority_of
from agentpolicy.trust.keys import PublicKey


def taken_back(old: Document, new: Document) -> Iterator[Problem]:
    """Report keys that come back: a retired one, or a compromised one no longer said to be so.

    Raises:
        InputError: one of the two contradicts itself.
    """
    before, after = authority_of(old), authority_of(new)
    for key, was in before.listed_keys.items():
        listed = after.listing_of(key)
        if was.compromised and not (listed and listed.compromised):
            words = f"the key {key.fingerprint} of {was.person} is no longer marked as compromised"
            yield _problem(new, listed, "key-uncompromised", words, _restored(key, was))
        elif listed and _came_back(was, listed, before, after):
            words = f"the key {key.fingerprint} of {was.person} was retired and counts again"
            hint = f"agentpolicy roles propose --add-key {was.person}=NEW.pub"
            yield _problem(new, listed, "key-revived", words, hint)


def _came_back(was: ListedKey, listed: ListedKey, before: Authority, after: Authority) -> bool:
    """Say whether a key that was over counts now, or will; one that was yet to begin may."""
    over = was.until is not None and was.until <= before.version
    return over and (listed.until is None or listed.until > after.version)


def _restored(key: PublicKey, was: ListedKey) -> str:
    listed = f"public: {key.line}, since: {was.since}, until: {was.until}, compromised: true"
    return f"list it as before: {{{listed}}}"


def _problem(new: Document, listed: ListedKey | None, code: str, words: str, hint: str) -> Problem:
    position = new.positions.get(listed.pointer) if listed else None
    return Problem(code, words, hint, ROLES_PATH, position)
