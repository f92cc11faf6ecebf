"""A withdrawal takes one approval back, by its signer alone, before it has landed."""

from dataclasses import replace

import pytest
from agentpolicy.admission.decide import Admission
from agentpolicy.base.canonical import digest
from agentpolicy.base.instant import DAY, Instant
from agentpolicy.documents.layout import approval_path, withdrawal_path
from agentpolicy.trust.approval import APPROVAL_NAMESPACE, Covered, Operation, parse_statement
from agentpolicy.trust.envelope import seal
from tests.admission_world import FIRST, NOW, World, approval, ask, codes, payload_of, signer, words
from tests.policy_repo import BAND_PATH

LOOSER = FIRST.edit(BAND_PATH, ("0.92", "0.90"), ("band_version: 1", "band_version: 2"))
OWNER = approval(FIRST, LOOSER, "alice", "agent-owner")
PLATFORM = approval(FIRST, LOOSER, "pat", "platform-owner")
APPROVED = LOOSER.approved(OWNER, PLATFORM)


def withdrawal(taken: bytes, who: str, *, key: str = "", at: Instant = NOW) -> bytes:
    """Sign that `who` takes an approval back."""
    payload = payload_of(taken)
    name = digest(payload)
    covered = Covered(
        path=approval_path(name), operation=Operation.WITHDRAW, old_sha256=name, new_sha256=None,
        new_blob=None, old_version=0, new_version=0, change_class="neutral",
    )  # fmt: skip
    statement = replace(
        parse_statement(payload), covered=(covered,), person=who, issued_at=at,
        expires_at=Instant(at + 30 * DAY),
    )  # fmt: skip
    return seal(statement.to_bytes(), signer(key or who), APPROVAL_NAMESPACE)


def withdrawn(world: World, taken: bytes, who: str, *, given: bytes | None = None) -> World:
    data = withdrawal(taken, who) if given is None else given
    path = withdrawal_path(who, digest(payload_of(taken)))
    return replace(world, approvals={**world.approvals, path: data})


def after(base: World) -> Admission:
    """Ask for the approved loosening on top of a base that may hold more approvals."""
    return ask(base, replace(APPROVED, approvals={**APPROVED.approvals, **base.approvals}))


def test_a_withdrawal_lands_by_its_signer_alone() -> None:
    assert ask(FIRST, withdrawn(FIRST, PLATFORM, "pat")).admitted


def test_what_was_withdrawn_counts_for_nothing_from_then_on() -> None:
    assert after(FIRST).admitted
    refused = after(withdrawn(FIRST, PLATFORM, "pat"))
    assert codes(refused) == {"approval-missing", "approval-unused"}
    assert "pat withdrew it" in words(refused)


def test_what_was_withdrawn_stays_so_for_history_and_after_every_date() -> None:
    base = withdrawn(FIRST, PLATFORM, "pat")
    head = replace(APPROVED, approvals={**APPROVED.approvals, **base.approvals})
    late = Instant(NOW + 400 * DAY)
    assert not ask(base, head, at=late, entering=False).admitted


def test_an_approval_does_not_land_together_with_its_withdrawal() -> None:
    assert "pat withdrew it" in words(ask(FIRST, withdrawn(APPROVED, PLATFORM, "pat")))


def test_nobody_takes_back_what_another_person_signed() -> None:
    base = withdrawn(FIRST, PLATFORM, "alice")
    assert ask(FIRST, base).admitted
    assert after(base).admitted


def test_a_withdrawal_in_another_persons_name_does_not_enter() -> None:
    forged = withdrawal(PLATFORM, "pat", key="alice")
    refused = ask(FIRST, withdrawn(FIRST, PLATFORM, "pat", given=forged))
    assert codes(refused) == {"approval-unused"}
    assert "its key is not a live key of pat" in words(refused)


def test_a_withdrawal_does_not_enter_under_the_name_of_another() -> None:
    other = withdrawal(OWNER, "pat")
    refused = ask(FIRST, withdrawn(FIRST, PLATFORM, "pat", given=other))
    assert "its file name is not the one" in words(refused)


def test_what_has_landed_is_not_withdrawn_any_more() -> None:
    refused = ask(APPROVED, withdrawn(APPROVED, PLATFORM, "pat"))
    assert "the approval it takes back has landed" in words(refused)


def test_a_withdrawal_is_not_removed_again() -> None:
    assert codes(ask(withdrawn(FIRST, PLATFORM, "pat"), FIRST)) == {"approval-altered"}


def test_a_withdrawal_lapses_like_an_approval_until_it_has_landed() -> None:
    head = withdrawn(FIRST, PLATFORM, "pat")
    late = Instant(NOW + 30 * DAY)
    assert "it lapsed at" in words(ask(FIRST, head, at=late))
    assert ask(FIRST, head, at=late, entering=False).admitted


def test_a_withdrawal_covers_nothing_else() -> None:
    taken = parse_statement(payload_of(withdrawal(PLATFORM, "pat"))).covered
    other = parse_statement(payload_of(OWNER)).covered
    with pytest.raises(ValueError, match="takes back one approval, alone"):
        replace(parse_statement(payload_of(OWNER)), covered=(*taken, *other))


GARBAGE = {approval_path("sha256:" + "ab" * 32): b"not an approval\n"}


def test_what_does_not_verify_in_a_trusted_beginning_may_be_cleared_away_by_anybody() -> None:
    base = replace(FIRST, approvals={**FIRST.approvals, **GARBAGE})
    assert ask(base, FIRST).admitted


def test_what_does_not_verify_in_a_trusted_beginning_counts_for_nothing() -> None:
    base = replace(FIRST, approvals={**FIRST.approvals, **GARBAGE})
    gone = base.without(BAND_PATH)
    assert "approval-missing" in codes(ask(base, gone))
    made_again = replace(
        base, files={**base.files, "policies/bands/other.yaml": FIRST.files[BAND_PATH]}
    )
    assert "approval-missing" in codes(ask(base, made_again))
