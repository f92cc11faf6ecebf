"""The one decision: who must sign what, asked of policies in memory."""

from dataclasses import replace

import pytest
from agentpolicy.admission.approvals import _UPPER_BOUND
from agentpolicy.base.instant import DAY, Instant
from agentpolicy.order.change import ChangeClass
from agentpolicy.trust.approval import parse_statement
from tests.admission_world import (
    FIRST,
    FIRST_DRAFT,
    NOW,
    PIN,
    World,
    approval,
    ask,
    codes,
    payload_of,
    public,
    words,
)
from tests.policy_repo import BAND_PATH, BUDGET_PATH, ROLES_PATH, TOOLS_PATH

TIGHTER = FIRST.edit(BAND_PATH, ("0.92", "0.95"), ("band_version: 1", "band_version: 2"))
LOOSER = FIRST.edit(BAND_PATH, ("0.92", "0.90"), ("band_version: 1", "band_version: 2"))
BOTH = LOOSER.edit(
    BUDGET_PATH,
    ("amber_rate_max: 0.15", "amber_rate_max: 0.30"),
    ("task_type", "budget_version: 2\ntask_type"),
)


def test_the_first_policy_lands_with_owner_proposer_and_platform_owner() -> None:
    assert ask(None, FIRST).admitted


def test_a_first_trust_root_that_the_pin_does_not_name_is_refused() -> None:
    other = replace(PIN, roles_sha256="sha256:" + "0" * 64)
    assert codes(ask(None, FIRST, pin=other)) == {"pin-mismatch"}


def test_a_first_trust_root_for_another_ref_than_the_pinned_one_is_refused() -> None:
    other = replace(PIN, policy_ref="refs/heads/other")
    assert codes(ask(None, FIRST, pin=other)) == {"pin-ref"}


@pytest.mark.parametrize("left_out", range(3))
def test_the_first_policy_needs_every_one_of_its_signatures(left_out: int) -> None:
    given = sorted(FIRST.approvals.items())
    fewer = replace(FIRST, approvals=dict(given[:left_out] + given[left_out + 1 :]))
    assert codes(ask(None, fewer)) == {"approval-missing"}


def test_exactly_the_last_admissible_state_needs_no_signature() -> None:
    assert ask(FIRST, FIRST).admitted


def test_a_tightening_needs_the_owner_alone() -> None:
    assert not ask(FIRST, TIGHTER).admitted
    assert ask(FIRST, TIGHTER.approved(approval(FIRST, TIGHTER, "alice", "agent-owner"))).admitted


def test_only_the_owner_can_tighten() -> None:
    given = approval(FIRST, TIGHTER, "ria", "agent-owner")
    refused = ask(FIRST, TIGHTER.approved(given))
    assert codes(refused) == {"approval-missing", "approval-unused"}
    assert "ria is not agent-owner" in words(refused)


def test_a_loosening_needs_the_platform_owner_too() -> None:
    owner = approval(FIRST, LOOSER, "alice", "agent-owner")
    platform = approval(FIRST, LOOSER, "pat", "platform-owner")
    assert "platform-owner (pat or priya)" in words(ask(FIRST, LOOSER.approved(owner)))
    assert "agent-owner (alice)" in words(ask(FIRST, LOOSER.approved(platform)))
    assert ask(FIRST, LOOSER.approved(owner, platform)).admitted


def test_a_comment_needs_a_version_and_the_owner_but_nobody_else() -> None:
    head = FIRST.edit(BAND_PATH, ("band_version: 1", "band_version: 2   # reviewed"))
    assert ask(FIRST, head.approved(approval(FIRST, head, "alice", "agent-owner"))).admitted


@pytest.mark.parametrize(
    "version", ["band_version: 1   # again", "band_version: 3", "band_version: 9"]
)
def test_a_version_that_does_not_count_on_by_one_is_refused(version: str) -> None:
    head = FIRST.edit(BAND_PATH, ("0.92", "0.95"), ("band_version: 1", version))
    given = approval(FIRST, head, "alice", "agent-owner")
    assert codes(ask(FIRST, head.approved(given))) == {"version"}


CLAIMS: dict[str, dict[str, object]] = {
    "another repository": {"repository": "1" * 32},
    "refs/heads/other": {"policy_ref": "refs/heads/other"},
    "rule set 0": {"rule_set": "0"},
}


@pytest.mark.parametrize("why", ["another repository", "refs/heads/other", "rule set 0"])
def test_an_approval_given_elsewhere_counts_as_none(why: str) -> None:
    given = approval(FIRST, TIGHTER, "alice", "agent-owner", claims=CLAIMS[why])
    refused = ask(FIRST, TIGHTER.approved(given))
    assert codes(refused) == {"approval-missing", "approval-unused"}
    assert why in words(refused)


def test_an_approval_in_another_persons_name_counts_as_none() -> None:
    owner = approval(FIRST, LOOSER, "alice", "agent-owner")
    forged = approval(FIRST, LOOSER, "pat", "platform-owner", key="alice")
    refused = ask(FIRST, LOOSER.approved(owner, forged))
    assert "its key is not a live key of pat" in words(refused)


def test_an_approval_for_another_change_counts_as_none() -> None:
    elsewhere = FIRST.edit(BAND_PATH, ("0.92", "0.94"), ("band_version: 1", "band_version: 2"))
    given = approval(FIRST, elsewhere, "alice", "agent-owner")
    assert "it is for another change of" in words(ask(FIRST, TIGHTER.approved(given)))


def test_half_of_what_was_approved_together_does_not_land() -> None:
    owner = approval(FIRST, LOOSER, "alice", "agent-owner")
    together = approval(FIRST, BOTH, "pat", "platform-owner")
    refused = ask(FIRST, LOOSER.approved(owner, together))
    assert f"it also covers {BUDGET_PATH}, which does not change here" in words(refused)


def test_a_signer_who_was_shown_a_better_class_has_not_approved() -> None:
    owner = approval(FIRST, LOOSER, "alice", "agent-owner")
    honest = approval(FIRST, LOOSER, "pat", "platform-owner")
    shown = approval_as("tighter", "pat", "platform-owner")
    assert ask(FIRST, LOOSER.approved(owner, honest)).admitted
    assert "its signer was shown a tighter change" in words(
        ask(FIRST, LOOSER.approved(owner, shown))
    )


def test_a_signer_who_was_shown_a_worse_class_has_approved() -> None:
    owner = approval(FIRST, LOOSER, "alice", "agent-owner")
    assert ask(
        FIRST, LOOSER.approved(owner, approval_as("unknown", "pat", "platform-owner"))
    ).admitted


WORSE_AND_WORSE = ("neutral", "tighter", "looser", "incomparable", "unknown")


@pytest.mark.parametrize("derived", WORSE_AND_WORSE)
@pytest.mark.parametrize("seen", WORSE_AND_WORSE)
def test_the_class_a_signer_saw_covers_itself_and_whatever_is_no_worse(
    seen: str, derived: str
) -> None:
    covered = ChangeClass(derived) in _UPPER_BOUND[ChangeClass(seen)]
    assert covered is (WORSE_AND_WORSE.index(derived) <= WORSE_AND_WORSE.index(seen))


def approval_as(change_class: str, who: str, role: str) -> bytes:
    honest = parse_statement(payload_of(approval(FIRST, LOOSER, who, role)))
    covered = tuple(replace(one, change_class=change_class) for one in honest.covered)
    return approval(FIRST, LOOSER, who, role, claims={"covered": covered})


def test_an_approval_lapses_after_thirty_days_where_it_enters_and_only_there() -> None:
    head = TIGHTER.approved(approval(FIRST, TIGHTER, "alice", "agent-owner"))
    last, late = Instant(NOW + 30 * DAY - 1), Instant(NOW + 30 * DAY)
    assert ask(FIRST, head, at=last).admitted
    assert "it lapsed at" in words(ask(FIRST, head, at=late))
    assert ask(FIRST, head, at=late, entering=False).admitted


def test_an_approval_dated_ahead_of_the_clock_counts_as_none() -> None:
    as_far, ahead = (
        TIGHTER.approved(approval(FIRST, TIGHTER, "alice", "agent-owner", at=Instant(NOW + away)))
        for away in (300, 301)
    )
    assert ask(FIRST, as_far).admitted
    assert "which has not come yet" in words(ask(FIRST, ahead))


def test_an_approval_nobody_asked_for_may_not_enter() -> None:
    owner = approval(FIRST, TIGHTER, "alice", "agent-owner")
    extra = approval(FIRST, TIGHTER, "ria", "reviewer")
    assert codes(ask(FIRST, TIGHTER.approved(owner, extra))) == {"approval-unused"}


def test_a_landed_approval_is_neither_changed_nor_removed() -> None:
    path = min(FIRST.approvals)
    kept = {name: data for name, data in FIRST.approvals.items() if name != path}
    assert codes(ask(FIRST, replace(FIRST, approvals=kept))) == {"approval-altered"}
    changed = {**FIRST.approvals, path: FIRST.approvals[path] + b"\n"}
    assert codes(ask(FIRST, replace(FIRST, approvals=changed))) == {"approval-altered"}


def test_a_key_that_a_change_brings_in_approves_the_trust_root_and_nothing_beside_it() -> None:
    old, new = (f'{public(who)}", since: {since}' for who, since in (("alice", 1), ("ci", 2)))
    head = FIRST.edit(ROLES_PATH, (old, new), ("roles_version: 1", "roles_version: 2")).edit(
        BAND_PATH, ("0.92", "0.95"), ("band_version: 1", "band_version: 2")
    )
    refused = "its key is not a live key of alice"
    for paths, counts in (([ROLES_PATH], True), ([BAND_PATH], False), ([], False)):
        own = approval(FIRST, head, "alice", "proposer", *paths, key="ci")
        assert (refused not in words(ask(FIRST, head.approved(own)))) is counts


def test_the_same_person_signing_twice_counts_once() -> None:
    roles = FIRST.edit(
        ROLES_PATH, ("roles_version: 1", "roles_version: 2"), ("[ria]", "[ria, alice]")
    )
    proposer = approval(FIRST, roles, "alice", "proposer")
    once = approval(FIRST, roles, "pat", "platform-owner")
    again = approval(FIRST, roles, "pat", "platform-owner", claims={"reason": "again"})
    other = approval(FIRST, roles, "priya", "platform-owner")
    assert "platform-owner (priya)" in words(ask(FIRST, roles.approved(proposer, once, again)))
    assert ask(FIRST, roles.approved(proposer, once, other)).admitted


def test_the_catalogue_needs_a_proposer_and_another_person_as_platform_owner() -> None:
    head = FIRST.edit(
        TOOLS_PATH, ("tools_version: 1", "tools_version: 2"), ("drive.write_file", "drive.put")
    )
    own = approval(FIRST, head, "pat", "proposer"), approval(FIRST, head, "pat", "platform-owner")
    assert "pat proposed the change" in words(ask(FIRST, head.approved(*own)))
    assert ask(
        FIRST, head.approved(own[0], approval(FIRST, head, "priya", "platform-owner"))
    ).admitted


def test_a_deleted_or_renamed_document_needs_the_platform_owner() -> None:
    for head in (FIRST.without(BAND_PATH), FIRST.moved(BAND_PATH, "policies/bands/other.yaml")):
        given = approval(FIRST, head, "alice", "agent-owner", BAND_PATH)
        assert "platform-owner" in words(ask(FIRST, head.approved(given)))


def test_a_document_made_again_counts_on_from_the_highest_version_ever_approved() -> None:
    gone = FIRST.without(BAND_PATH)
    gone = gone.approved(
        approval(FIRST, gone, "alice", "agent-owner"),
        approval(FIRST, gone, "pat", "platform-owner"),
    )
    assert ask(FIRST, gone).admitted
    for version, admitted in ((1, False), (2, True), (3, False)):
        back = replace(gone, files=FIRST.files).edit(
            BAND_PATH, ("band_version: 1", f"band_version: {version}")
        )
        back = back.approved(
            approval(gone, back, "alice", "agent-owner"),
            approval(gone, back, "pat", "platform-owner"),
        )
        assert ask(gone, back).admitted is admitted


def test_the_trust_root_is_never_deleted() -> None:
    assert "roles-missing" in codes(ask(FIRST, FIRST.without(ROLES_PATH)))


def test_a_trust_root_that_contradicts_itself_is_refused() -> None:
    head = FIRST.edit(
        ROLES_PATH, ("roles_version: 1", "roles_version: 2"), ("threshold: 1", "threshold: 3")
    )
    assert not ask(FIRST, head).admitted


def test_a_guarded_file_needs_the_platform_owners() -> None:
    head = replace(FIRST, guarded={"ci.yml": b"on: push\n"})
    assert "ci.yml" in {problem.document for problem in ask(FIRST, head).problems}
    signed = head.approved(
        approval(FIRST, head, "alice", "proposer"), approval(FIRST, head, "pat", "platform-owner")
    )
    assert ask(FIRST, signed).admitted


def test_a_second_budget_for_the_same_task_is_refused_whoever_signs() -> None:
    twin = replace(
        FIRST, files={**FIRST.files, "policies/budgets/twin.yaml": FIRST.files[BUDGET_PATH]}
    )
    signed = twin.approved(
        approval(FIRST, twin, "alice", "proposer"), approval(FIRST, twin, "pat", "platform-owner")
    )
    assert not ask(FIRST, signed).admitted


def test_a_document_that_cannot_be_read_blocks_and_says_where() -> None:
    head = FIRST.edit(BAND_PATH, ("0.92", ".nan"))
    refused = ask(FIRST, head)
    assert refused.unreadable
    assert str(refused.problems[0].position) == f"{BAND_PATH}:6:16"


def test_no_approval_turns_an_admitted_change_into_a_refused_one_unless_it_is_unused() -> None:
    both = BOTH.approved(
        approval(FIRST, BOTH, "alice", "agent-owner"),
        approval(FIRST, BOTH, "pat", "platform-owner"),
        approval(FIRST, BOTH, "priya", "platform-owner"),
    )
    assert ask(FIRST, both).admitted
    assert isinstance(FIRST_DRAFT, World)
