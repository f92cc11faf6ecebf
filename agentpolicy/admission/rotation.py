"""What a new trust root may not take back of the one before it, and when the pin replaces one."""

from collections.abc import Iterator

from agentpolicy.base.errors import Problem
from agentpolicy.documents.document import Document
from agentpolicy.documents.layout import ROLES_PATH
from agentpolicy.trust.authority import Authority, ListedKey, authority_of
from agentpolicy.trust.keys import PublicKey
from agentpolicy.trust.pin import Pin


def taken_back(old: Document, new: Document) -> Iterator[Problem]:
    """Report keys that come back: a retired one, or a compromised one no longer said to be so.

    Nor may a new one claim to have counted earlier: what it signed before would count with it.

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
    yield from _backdated(before, after, new)


def is_reset(old: Document | None, new: Document, pin: Pin) -> bool:
    """Say whether the pin puts a trust root in the place of one whose quorum was lost.

    The pin must name the new one by its digest, and the new one must name the old one by its own.
    """
    if old is None or new.sha256 != pin.roles_sha256 or new.sha256 == old.sha256:
        return False
    told = (*authority_of(old).resets, (new.version, old.sha256))
    return new.version == old.version + 1 and authority_of(new).resets == told


def unpinned(old: Document, new: Document, pin: Pin) -> Iterator[Problem]:
    """Report a step before the pinned trust root has landed, and a reset that no pin makes.

    Past resets stay written down, so that every later reader is told of them.
    """
    if is_reset(old, new, pin):
        return
    if old.version < pin.roles_version:
        words = (
            f"the pin names roles version {pin.roles_version}, which replaces version "
            f"{old.version} and has not landed, so nothing is in force until it does"
        )
        yield Problem("pin-ahead", words, f"git add {ROLES_PATH} && git commit", ROLES_PATH)
    elif authority_of(old).resets != authority_of(new).resets:
        words = "only whoever holds the pin can reset the trust root, and past resets stay listed"
        position = new.positions.get("/resets") or new.positions.get("")
        hint = "agentpolicy roles propose --reset, or list `resets` as before"
        yield Problem("reset-unpinned", words, hint, ROLES_PATH, position)


def _backdated(before: Authority, after: Authority, new: Document) -> Iterator[Problem]:
    for key, now in after.listed_keys.items():
        first = before.listing_of(key)
        known = first is not None and first.person == now.person
        earliest = first.since if first and known else before.version + 1
        if now.since < earliest:
            words = (
                f"the key {key.fingerprint} of {now.person} would count since version "
                f"{now.since}, and is listed for the first time in version {earliest}"
            )
            yield _problem(new, now, "key-backdated", words, f"write `since: {earliest}`")


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
