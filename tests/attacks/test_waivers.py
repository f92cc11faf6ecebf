"""Attacks with waivers: what may never be waived, and waivers that nobody granted."""

from pathlib import Path

import pytest
from tests.policy_repo import PolicyRepo, begin

WAIVER = """\
id: known-growth
agent: refund-agent
field: token_ratio.max
cases: [{fixture_id: refund-1, measured: 1.6}]
band: 1.4
verdict: sha256:0000000000000000000000000000000000000000000000000000000000000000
reason: the answers carry citations now
change_link: https://git.example.com/acme/agents/pull/7
owner: alice
granted_on: 2026-03-10
expires_on: 2026-03-20
"""
PATH = "policies/waivers/known-growth.yaml"


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    return begin(tmp_path / "repo", gate=True)


@pytest.mark.attack("E6", "commit", "sign")
@pytest.mark.parametrize(
    "field",
    [
        "allowed_effects",
        "unsafe_action_rate_max",
        "required_keys",
        "gate.aggregate.pass_rate_min",
        "requires",
    ],
)
def test_e06_what_is_never_waivable_cannot_even_be_written_down(
    made: PolicyRepo, field: str
) -> None:
    made.repo.write(PATH, WAIVER.replace("token_ratio.max", field))
    committed = made.commit("waive an undeclared effect")
    assert committed.code != 0
    assert f"{PATH}:3:8:" in committed.err
    assert made.sign().code == 2


@pytest.mark.attack("E10", "commit", "sign")
def test_e10_a_waiver_whose_verdict_nobody_recorded_is_refused_whoever_approves(
    made: PolicyRepo,
) -> None:
    made.repo.write(PATH, WAIVER)
    assert made.sign("alice").code == 0
    unread = made.approve("ria", "reviewer")
    assert unread.code == 1
    assert "no log here holds that verdict" in unread.err
    committed = made.commit("grant")
    assert committed.code != 0
    assert "the cited verdict is not in the log" in committed.err


def test_a_waiver_is_not_approved_by_its_own_owner(made: PolicyRepo) -> None:
    made.repo.write(PATH, WAIVER.replace("owner: alice", "owner: ria"))
    assert made.sign("alice").code == 0
    own = made.approve("ria", "reviewer")
    assert own.code == 1


@pytest.mark.attack("E3", "commit", "sign")
def test_e03_a_waiver_longer_than_its_band_allows_is_refused(made: PolicyRepo) -> None:
    made.repo.write(PATH, WAIVER.replace("2026-03-20", "2026-06-20"))
    for refused in (made.sign("alice"), made.approve("ria", "reviewer")):
        assert refused.code == 1
        assert "30 days at most" in refused.err
    committed = made.commit("grant")
    assert committed.code != 0
    assert "30 days at most" in committed.err


@pytest.mark.attack("E2", "commit", "sign")
@pytest.mark.parametrize("case", ["[]", '[{fixture_id: "", measured: 1.6}]', "[{measured: 1.6}]"])
def test_e02_a_waiver_for_no_fixture_in_particular_is_refused(made: PolicyRepo, case: str) -> None:
    made.repo.write(PATH, WAIVER.replace("[{fixture_id: refund-1, measured: 1.6}]", case))
    assert made.commit("grant").code != 0
    assert made.sign("alice").code == 2
