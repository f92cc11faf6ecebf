"""A refusal is one sentence that names the change, who may sign it, and the command to type."""

from dataclasses import replace

import pytest
from agentpolicy.admission.counting import Need
from agentpolicy.admission.decide import Admission
from agentpolicy.admission.refusals import who_may
from agentpolicy.admission.requirements import Requirement
from agentpolicy.trust.approval import ApprovalRole
from agentpolicy.trust.authority import authority_of
from tests.admission_world import FIRST, FIRST_DRAFT, World, approval, ask
from tests.policy_repo import BAND_PATH, BUDGET_PATH, ROLES_PATH, TOOLS_PATH
from tests.written import WAIVER, WAIVER_PATH

WAIVED = replace(FIRST, files={**FIRST.files, WAIVER_PATH: WAIVER})
CLOSED = WAIVED.moved(WAIVER_PATH, "policies/waivers/closed/2026/w-2026-014.yaml")
LOOSER = FIRST.edit(BAND_PATH, ("0.92", "0.90"), ("band_version: 1", "band_version: 2"))
RENAMED = FIRST.moved(BAND_PATH, "policies/bands/other.yaml")
GUARDED = replace(FIRST, guarded={"ci.yml": b"jobs: {}\n"})
ROLES = FIRST.edit(ROLES_PATH, ("roles_version: 1", "roles_version: 2"))


def said(admission: Admission, path: str) -> list[str]:
    return [
        problem.message
        for problem in admission.problems
        if (problem.code, problem.document) == ("approval-missing", path)
    ]


@pytest.mark.parametrize(
    ("base", "head", "path", "words"),
    [
        (None, FIRST_DRAFT, BAND_PATH, "a first document"),
        (None, FIRST_DRAFT, TOOLS_PATH, "a first document"),
        (None, FIRST_DRAFT, ROLES_PATH, "the first trust root"),
        (FIRST, WAIVED, WAIVER_PATH, "a new waiver"),
        (WAIVED, CLOSED, WAIVER_PATH, "a waiver that is closed before its last day is over"),
        (FIRST, RENAMED, BAND_PATH, "a deleted document"),
        (FIRST, RENAMED, "policies/bands/other.yaml", "a first document"),
        (FIRST, GUARDED, "ci.yml", "a change of a file that the trust root guards"),
        (FIRST, ROLES, ROLES_PATH, "a rewritten trust root"),
        (
            FIRST,
            LOOSER,
            BAND_PATH,
            "a looser rule (/fields/text_similarity/threshold: 0.92 -> 0.90)",
        ),
    ],
)
def test_a_refusal_names_the_change_in_words(
    base: World | None, head: World, path: str, words: str
) -> None:
    messages = said(ask(base, head), path)
    assert messages
    for message in messages:
        assert message.startswith(f"{words} needs the signature of ")
        assert "/added" not in message


def test_several_changed_rules_are_counted() -> None:
    head = LOOSER.edit(BAND_PATH, ("max: 1.4", "max: 1.50"), ("min: 0.7", "min: 0.60"))
    (message, *_) = said(ask(FIRST, head), BAND_PATH)
    assert " and 2 more) needs the signature of agent-owner (alice)" in message


def test_who_may_sign_is_said_as_people_say_it() -> None:
    roles = ROLES.edit(ROLES_PATH, ("threshold: 1}\n  reviewer", "threshold: 2}\n  reviewer"))
    messages = said(ask(FIRST, roles), ROLES_PATH)
    assert any(message.endswith("of platform-owner (pat and priya)") for message in messages)
    assert any(message.endswith("proposer (alice, pat, priya or ria)") for message in messages)


@pytest.mark.parametrize(
    ("count", "words"),
    [(1, "alice, pat or ria"), (2, "2 of alice, pat, ria"), (3, "alice, pat and ria")],
)
def test_of_several_people_it_is_said_how_many_are_needed(count: int, words: str) -> None:
    roles = authority_of(FIRST.snapshot.documents[ROLES_PATH])
    people = frozenset({"alice", "pat", "ria"})
    asked = Requirement(BAND_PATH, ApprovalRole.REVIEWER, roles, people, count)
    assert who_may(Need(asked, frozenset())) == words


@pytest.mark.parametrize("head", [LOOSER, FIRST.edit(BAND_PATH, ("0.92", "0.95"))])
def test_one_changed_document_gives_one_command_a_role(head: World) -> None:
    hints = {problem.hint for problem in ask(FIRST, head).problems}
    assert hints <= {
        f"agentpolicy sign {BAND_PATH} --key KEY",
        f'agentpolicy approve {BAND_PATH} --role platform-owner --key KEY --reason "…"',
    }


def test_several_changed_documents_give_one_command_a_role() -> None:
    head = FIRST.edit(BAND_PATH, ("0.92", "0.90")).edit(BUDGET_PATH, ("0.15", "0.30"))
    assert {problem.hint for problem in ask(FIRST, head).problems} == {
        "agentpolicy sign --key KEY",
        'agentpolicy approve --role platform-owner --key KEY --reason "…"',
    }


def test_a_stray_approval_is_cleared_by_signing_again() -> None:
    stray = approval(FIRST, LOOSER, "pat", "platform-owner")
    (problem,) = ask(FIRST, FIRST.approved(stray)).problems
    assert problem.hint == "agentpolicy sign --key KEY"


def test_a_deleted_or_edited_waiver_says_that_it_can_never_land_and_what_to_do() -> None:
    edited = WAIVED.edit(WAIVER_PATH, ("2026-03-30", "2026-03-29"))
    for head, instead in (
        (edited, "agentpolicy waiver new"),
        (WAIVED.without(WAIVER_PATH), "policies/waivers/closed/2026/"),
    ):
        (problem, *_) = ask(WAIVED, head).problems
        assert "can never be admitted" in problem.message
        assert instead in problem.message
        assert problem.hint.startswith(f"git checkout HEAD -- {WAIVER_PATH}")


def test_a_refusal_does_not_name_whoever_proposed_the_change_as_its_second_person() -> None:
    head = FIRST.edit(TOOLS_PATH, ("tools_version: 1", "tools_version: 2"), ("drive", "files"))
    proposed = head.approved(approval(FIRST, head, "pat", "proposer", TOOLS_PATH))
    (message,) = said(ask(FIRST, proposed), TOOLS_PATH)
    assert message.endswith("needs the signature of platform-owner (priya)")
