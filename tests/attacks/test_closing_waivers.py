"""A waiver that was revoked in its days stays revoked, whatever the calendar says later."""

from dataclasses import replace

import pytest
from agentpolicy.base.instant import Instant, parse_instant
from tests.admission_world import FIRST, NOW, World, approval, ask, words
from tests.attacks.test_waivers import PATH, WAIVER

VERDICT = "sha256:" + "0" * 64
CLOSED = "policies/waivers/closed/2026/known-growth.yaml"
AFTER = parse_instant("2026-03-21T00:00:00Z")


def granted() -> World:
    draft = replace(FIRST, files={**FIRST.files, PATH: WAIVER})
    return draft.approved(
        approval(FIRST, draft, "alice", "proposer"), approval(FIRST, draft, "ria", "reviewer")
    )


def test_a_waiver_lands_with_a_proposer_and_the_reviewer() -> None:
    assert ask(FIRST, granted(), confirmed=frozenset({VERDICT})).admitted
    assert not ask(FIRST, granted(), confirmed=frozenset()).admitted


@pytest.mark.parametrize("at", [NOW, AFTER])
def test_an_early_revocation_stays_admitted_after_the_last_day(at: Instant) -> None:
    closed = granted().moved(PATH, CLOSED)
    signed = closed.approved(approval(granted(), closed, "alice", "agent-owner"))
    assert ask(granted(), signed, at=at, entering=False).admitted


def test_closing_before_the_last_day_needs_the_owner_and_after_it_nobody() -> None:
    closed = granted().moved(PATH, CLOSED)
    assert "agent-owner" in words(ask(granted(), closed))
    assert ask(granted(), closed, at=AFTER).admitted


@pytest.mark.attack("E1", "decide")
@pytest.mark.attack("A4", "decide")
def test_a_waiver_is_neither_edited_nor_deleted_whoever_signs() -> None:
    longer = granted().edit(PATH, ("2026-03-20", "2026-03-30"))
    for head in (longer, granted().without(PATH)):
        signed = head.approved(
            approval(granted(), head, "alice", "proposer"),
            approval(granted(), head, "ria", "reviewer"),
        )
        assert not ask(granted(), signed).admitted
