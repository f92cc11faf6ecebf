"""A compromised key leaves only together with a fresh yes to everything that stands on it."""

from dataclasses import replace
from pathlib import Path

import pytest
from agentpolicy.order.change import Operation
from tests.admission_world import (
    FIRST,
    World,
    approval,
    ask,
    changes,
    codes,
    public,
    words,
)
from tests.policy_repo import BAND_PATH, BUDGET_PATH, ROLES_PATH, TOOLS_PATH
from tests.ssh_keys import keygen

OWNED = (BAND_PATH, BUDGET_PATH)
NEXT = ("roles_version: 1", "roles_version: 2")


def marked(who: str, world: World = FIRST, *, until: int = 2, new_key: str = "") -> World:
    """Mark a person's key as compromised, with another key of theirs beside it if given."""
    old = f'{{public: "{public(who)}", since: 1'
    new = f"{old}, until: {until}, compromised: true"
    beside = f'{{public: "{new_key}", since: 2}}, ' if new_key else ""
    return world.edit(ROLES_PATH, NEXT, (old, beside + new))


def signed(base: World, head: World, *paths: str, proposer: str = "ria") -> World:
    """Sign the trust root by everybody it needs, and what is to be ratified at `paths`."""
    return head.approved(
        approval(base, head, proposer, "proposer", ROLES_PATH),
        approval(base, head, "pat", "platform-owner", ROLES_PATH, *paths),
        approval(base, head, "priya", "platform-owner", ROLES_PATH),
    )


def test_what_stands_on_the_key_is_listed_to_be_ratified() -> None:
    ratified = {
        change.path
        for change in changes(FIRST, marked("alice")).documents
        if change.operation is Operation.RATIFY
    }
    assert ratified == {*OWNED, TOOLS_PATH}


def test_a_key_that_signed_nothing_leaves_nothing_to_ratify() -> None:
    head = marked("ria")
    roles = head.edit(ROLES_PATH, ("people: [ria]", "people: [alice]"))
    assert ask(FIRST, signed(FIRST, roles, proposer="alice")).admitted


def test_a_compromise_without_ratifying_is_refused_and_names_each_document() -> None:
    refused = ask(FIRST, signed(FIRST, marked("alice")))
    assert codes(refused) == {"approval-missing"}
    assert {problem.document for problem in refused.problems} == {*OWNED, TOOLS_PATH}
    assert "what stands on a compromised key needs the signature of" in words(refused)


def test_a_compromise_is_admitted_with_fresh_approvals_by_a_new_key(tmp_path: Path) -> None:
    new = keygen(tmp_path / "alice").line
    head = marked("alice", new_key=new)
    platform = signed(FIRST, head, *OWNED, TOOLS_PATH)
    proposed = platform.approved(approval(FIRST, head, "ria", "proposer", TOOLS_PATH))
    assert {problem.document for problem in ask(FIRST, proposed).problems} == set(OWNED)
    fresh = approval(FIRST, head, "alice", "agent-owner", *OWNED, key=str(tmp_path / "alice"))
    assert ask(FIRST, proposed.approved(fresh)).admitted


def test_the_compromised_key_ratifies_nothing() -> None:
    head = marked("alice")
    own = approval(FIRST, head, "alice", "agent-owner", *OWNED)
    refused = ask(FIRST, signed(FIRST, head, *OWNED, TOOLS_PATH).approved(own))
    assert "its key is not a live key of alice" in words(refused)


def test_the_compromised_key_signs_nothing_else_that_changes_along() -> None:
    head = marked("pat").edit(TOOLS_PATH, ("tools_version: 1", "tools_version: 2"))
    given = approval(FIRST, head, "pat", "proposer", TOOLS_PATH)
    assert "its key is not a live key of pat" in words(ask(FIRST, head.approved(given)))


def test_the_key_of_a_platform_owner_still_counts_for_the_root_that_retires_it(
    tmp_path: Path,
) -> None:
    new = keygen(tmp_path / "pat").line
    head = marked("pat", new_key=new)
    missing = ask(FIRST, signed(FIRST, head))
    roots = [problem for problem in missing.problems if problem.document == ROLES_PATH]
    assert [problem.code for problem in roots] == ["approval-missing"]
    both = signed(FIRST, head).approved(
        approval(
            FIRST, head, "pat", "platform-owner", ROLES_PATH,
            key=str(tmp_path / "pat"), claims={"reason": "with my new key"},
        ),
    )  # fmt: skip
    assert ROLES_PATH not in {problem.document for problem in ask(FIRST, both).problems}


def test_a_tightening_along_with_the_compromise_needs_the_platform_owner_too(
    tmp_path: Path,
) -> None:
    """A platform owner's yes to the old state is what may have been forged."""
    world = FIRST.edit(ROLES_PATH, ("refund-agent: [alice]", "refund-agent: [alice, ria]"))
    base = replace(world, approvals=FIRST.approvals)
    new = keygen(tmp_path / "pat").line
    head = marked("pat", base, new_key=new).edit(
        BAND_PATH, ("0.92", "0.95"), ("band_version: 1", "band_version: 2")
    )
    owner = approval(base, head, "alice", "agent-owner", BAND_PATH)
    asked = ask(base, head.approved(owner))
    band = [problem for problem in asked.problems if problem.document == BAND_PATH]
    assert len(band) == 1
    assert "platform-owner" in band[0].message
    priya = approval(base, head, "priya", "platform-owner", BAND_PATH)
    asked = ask(base, head.approved(owner, priya))
    assert BAND_PATH not in {problem.document for problem in asked.problems}


def test_what_stands_on_an_earlier_approval_of_the_key_is_ratified_too() -> None:
    """Today's state was judged against the one before it, which the key helped to land."""
    band = FIRST.edit(BAND_PATH, ("0.92", "0.90"), ("band_version: 1", "band_version: 2"))
    band = band.approved(
        approval(FIRST, band, "alice", "agent-owner"),
        approval(FIRST, band, "priya", "platform-owner"),
    )
    ratified = {change.path for change in changes(band, marked("pat", band)).documents}
    assert BAND_PATH in ratified


@pytest.mark.parametrize("until", ["", ", until: 3"])
def test_a_compromised_key_that_would_still_count_is_refused(until: str) -> None:
    old = f'{{public: "{public("alice")}", since: 1'
    head = FIRST.edit(ROLES_PATH, NEXT, (old, f"{old}{until}, compromised: true"))
    assert codes(ask(FIRST, head)) == {"key-compromised-live"}


@pytest.mark.parametrize("edit", [(", compromised: true", ""), ("alice", "")])
def test_a_compromised_key_stays_marked_for_ever(edit: tuple[str, str]) -> None:
    base = marked("alice")
    key = f'public: "{public("alice")}", since: 1, until: 2, compromised: true'
    listed = f"  alice: {{keys: [{{{key}}}]}}\n"
    text = base.files[ROLES_PATH]
    assert listed in text
    new = text.replace(listed, "") if edit[0] == "alice" else text.replace(*edit)
    new = new.replace("[alice]", "[ria]").replace("roles_version: 2", "roles_version: 3")
    head = replace(base, files={**base.files, ROLES_PATH: new})
    assert "key-uncompromised" in codes(ask(base, head))


@pytest.mark.parametrize(
    ("until", "revived"), [("", True), (", until: 9", True), (", until: 2", False)]
)
def test_a_retired_key_does_not_come_back(until: str, *, revived: bool) -> None:
    old = f'{{public: "{public("alice")}", since: 1'
    base = FIRST.edit(ROLES_PATH, NEXT, (old, f"{old}, until: 2"))
    head = base.edit(
        ROLES_PATH, (f"{old}, until: 2", f"{old}{until}"), ("roles_version: 2", "roles_version: 3")
    )
    assert ("key-revived" in codes(ask(base, head))) is revived
