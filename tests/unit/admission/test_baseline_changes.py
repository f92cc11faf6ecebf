"""Who must sign a change of a baseline: a reviewer for what only accepts more, else two owners."""

from dataclasses import replace

import pytest
from tests.admission_world import FIRST, World, approval, ask, codes

PATH = "policies/baselines/refund-agent.yaml"
OLD, NEW, OTHER = (f"sha256:{digit * 64}" for digit in "123")
BASELINE = f"""\
baseline_version: 1
runs: {OLD}
fixtures:
  - {{id: f1, class: refund, criticality: critical, task_type: t, variant: v, attempts: 3}}
  - {{id: f2}}
accepted:
  - {{fixture_id: f1, before: {OLD}, after: {NEW}, reason: cites its source now}}
"""
ADDED = f"  - {{fixture_id: f2, before: {OLD}, after: {OTHER}, reason: shorter and as clear}}\n"
BASE = replace(FIRST, files={**FIRST.files, PATH: BASELINE})
COUNTED = ("baseline_version: 1", "baseline_version: 2")


def accepted_more() -> World:
    return BASE.edit(PATH, COUNTED, ("its source now}\n", "its source now}\n" + ADDED))


def ask_with(head: World, *signatures: tuple[str, str]) -> set[str]:
    given = [approval(BASE, head, who, role, PATH) for who, role in signatures]
    return codes(ask(BASE, head.approved(*given)))


def test_a_re_baselining_is_proposed_by_anybody_and_approved_by_a_reviewer() -> None:
    assert ask_with(accepted_more(), ("alice", "proposer"), ("ria", "reviewer")) == set()


def test_a_reviewer_does_not_approve_a_re_baselining_of_their_own() -> None:
    refused = ask_with(accepted_more(), ("ria", "proposer"), ("ria", "reviewer"))
    assert "approval-missing" in refused


def test_neither_owner_stands_in_for_the_reviewer() -> None:
    owners = (("alice", "agent-owner"), ("pat", "platform-owner"))
    assert "approval-missing" in ask_with(accepted_more(), *owners)


@pytest.mark.parametrize(
    "edit",
    [
        (f"runs: {OLD}", f"runs: {NEW}"),
        ("  - {id: f2}\n", "  - {id: f2}\n  - {id: f3}\n"),
        ("class: refund, ", ""),
        ("class: refund", "class: formatting"),
        ("criticality: critical", "criticality: normal"),
        ("task_type: t", "task_type: other"),
        ("variant: v", "variant: w"),
        ("attempts: 3", "attempts: 1"),
        ("cites its source now", "cites its source"),
        ("f1, before", "f2, before"),
    ],
)
def test_anything_else_beside_it_needs_both_owners(edit: tuple[str, str]) -> None:
    for head in (BASE.edit(PATH, COUNTED, edit), accepted_more().edit(PATH, edit)):
        assert "approval-missing" in ask_with(head, ("alice", "proposer"), ("ria", "reviewer"))
        assert ask_with(head, ("alice", "agent-owner"), ("pat", "platform-owner")) == set()


def test_taking_back_what_was_accepted_needs_both_owners() -> None:
    entry = BASELINE.splitlines()[-1]
    head = BASE.edit(PATH, COUNTED, (f"accepted:\n{entry}\n", ""))
    assert "approval-missing" in ask_with(head, ("alice", "agent-owner"))
    assert ask_with(head, ("alice", "agent-owner"), ("pat", "platform-owner")) == set()


@pytest.mark.parametrize(
    "edit",
    [
        ("  - {id: f2}", "  - {id: f2, attempts: 1}"),
        ("fixtures:", "fixtures:  # in the order of the suite"),
    ],
)
def test_what_says_the_same_is_the_agent_owners(edit: tuple[str, str]) -> None:
    head = BASE.edit(PATH, COUNTED, edit)
    assert ask_with(head, ("alice", "agent-owner")) == set()
    assert "approval-missing" in ask_with(head, ("alice", "proposer"), ("ria", "reviewer"))


def test_fixtures_in_another_order_are_the_same_fixtures() -> None:
    first, second = BASELINE.splitlines()[3:5]
    head = BASE.edit(PATH, COUNTED, (f"{first}\n{second}", f"{second}\n{first}"))
    assert ask_with(head, ("alice", "agent-owner")) == set()


def test_a_first_baseline_and_a_deleted_one_need_both_owners() -> None:
    for before, after in ((FIRST, BASE), (BASE, FIRST)):
        owner = approval(before, after, "alice", "agent-owner", PATH)
        platform = approval(before, after, "pat", "platform-owner", PATH)
        assert "approval-missing" in codes(ask(before, after.approved(owner)))
        assert ask(before, after.approved(owner, platform)).admitted


def test_a_baseline_counts_its_versions() -> None:
    head = BASE.edit(PATH, ("fixtures:", "fixtures:  # as before"))
    assert ask_with(head, ("alice", "agent-owner")) == {"version"}
