"""A verdict names the approvals that its rules landed with."""

from pathlib import Path

import pytest
from agentpolicy.base.canonical import digest
from agentpolicy.base.instant import parse_instant
from agentpolicy.provenance.verdict_parts import PolicyDocument
from agentpolicy.trust.envelope import parse_envelope
from agentpolicy.workflows.confirmed import Confirmation
from agentpolicy.workflows.gate import gate_budget
from agentpolicy.workflows.policy_source import proposed_policy, recorded_policy
from agentpolicy.workflows.run_files import RunFiles
from agentpolicy.workflows.verdict import approvals_by_document, statement_of
from tests.policy_repo import BUDGET_PATH, TOOLS_PATH, PolicyRepo, begin, green_run, write_runs

NOON = parse_instant("2026-03-31T12:00:00Z")


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    return begin(tmp_path / "repo")


def stored(made: PolicyRepo) -> set[str]:
    """Give the digests of all statements stored so far."""
    files = (made.path / "policies" / "approvals").rglob("*.json")
    return {digest(parse_envelope(file.read_bytes()).payload) for file in files}


def documents(made: PolicyRepo, *, proposed: bool = False) -> dict[str, PolicyDocument]:
    """Judge a run, and give the documents that its verdict names."""
    if proposed:
        source = proposed_policy(made.path / "policies", BUDGET_PATH)
    else:
        source = recorded_policy(made.repo.open(), NOON, None, None)
    runs = write_runs(made.path.parent / "runs.jsonl", [green_run(1)])
    judged = gate_budget(
        "schedule-meeting", RunFiles((runs,)), source, NOON, Confirmation(frozenset())
    )
    return {document.path: document for document in statement_of(judged).policy.documents}


def test_each_document_names_the_statements_that_approve_its_present_bytes(
    made: PolicyRepo,
) -> None:
    first = stored(made)
    made.edit(BUDGET_PATH, "pass_rate_min:  0.90", "pass_rate_min:  0.95")
    made.land("tighten")
    found = documents(made)
    assert set(found[BUDGET_PATH].approvals) == stored(made) - first
    assert len(found[BUDGET_PATH].approvals) == 1
    assert set(found[TOOLS_PATH].approvals) <= first
    assert len(found[TOOLS_PATH].approvals) == 2
    for document in found.values():
        assert list(document.approvals) == sorted(document.approvals)


def test_bytes_that_return_at_a_later_version_are_not_approved_by_the_earlier_statement(
    made: PolicyRepo,
) -> None:
    approvals = [
        file.read_bytes() for file in (made.path / "policies" / "approvals").rglob("*.json")
    ]
    document = documents(made)[TOOLS_PATH]
    approved = approvals_by_document(approvals)
    assert (document.path, document.sha256, document.version) in approved
    assert (document.path, document.sha256, document.version + 1) not in approved


def test_proposed_rules_name_no_approvals(made: PolicyRepo) -> None:
    assert [one.approvals for one in documents(made, proposed=True).values()] == [(), ()]


def test_what_cannot_be_read_approves_nothing() -> None:
    assert approvals_by_document([b"", b"{}", b'{"payload":""}']) == {}
