"""Attacks on approval: replayed, or given to oneself."""

from pathlib import Path

import pytest
from tests.policy_repo import BAND_PATH, KEYS, ROLES_PATH, PolicyRepo, begin, serve


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    return begin(tmp_path / "repo")


def approvals_in(made: PolicyRepo) -> dict[str, bytes]:
    folder = made.path / "policies" / "approvals"
    return {
        path.relative_to(made.path).as_posix(): path.read_bytes() for path in folder.rglob("*.json")
    }


@pytest.mark.attack("B1", "commit")
def test_b01_an_old_approval_does_not_cover_the_same_loosening_again(made: PolicyRepo) -> None:
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.90")
    made.land("loosen", approver="pat")
    made.edit(BAND_PATH, "threshold: 0.90", "threshold: 0.92")
    made.land("tighten again")
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.90")
    assert made.sign().code == 0
    committed = made.commit("loosen again")
    assert committed.code != 0
    assert "platform-owner" in committed.err


@pytest.mark.attack("B1", "commit")
def test_b01_going_back_to_the_old_bytes_with_their_old_version_is_refused(
    made: PolicyRepo,
) -> None:
    old = (made.path / BAND_PATH).read_text()
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.90")
    made.land("loosen", approver="pat")
    loose, signed = (made.path / BAND_PATH).read_text(), approvals_in(made)
    made.edit(BAND_PATH, "threshold: 0.90", "threshold: 0.92")
    made.land("tighten again")
    assert old != (made.path / BAND_PATH).read_text()
    made.repo.write(BAND_PATH, loose)
    for path, data in signed.items():
        made.repo.write(path, data)
    committed = made.commit("replay")
    assert committed.code != 0
    assert "every change counts it on by one, to 4" in committed.err


@pytest.mark.attack("B7", "commit", "check", "push")
@pytest.mark.parametrize("as_person", ["mallory", "pat"])
def test_b07_a_key_added_in_the_same_change_approves_nothing_of_it(
    made: PolicyRepo, tmp_path: Path, as_person: str
) -> None:
    server = serve(made, tmp_path / "server.git")
    before = made.head
    stolen = (KEYS / "ci.pub").read_text().rsplit(" ", 1)[0]
    if as_person == "mallory":
        made.edit(
            ROLES_PATH,
            "people:\n",
            f'people:\n  mallory: {{keys: [{{public: "{stolen}", since: 2}}]}}\n',
        )
        made.edit(
            ROLES_PATH, "platform-owner: {people: [pat", "platform-owner: {people: [mallory, pat"
        )
    else:
        made.edit(
            ROLES_PATH,
            '{handle: "@pat", keys: [',
            f'{{handle: "@pat", keys: [{{public: "{stolen}", since: 2}}, ',
        )
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.50")
    assert made.sign().code == 0
    made.approve("ci")
    committed = made.commit("take over")
    assert committed.code != 0
    assert "platform-owner" in committed.err
    sneaked = made.sneak()
    assert made.check(before, sneaked).code == 1
    assert made.repo.try_git("push", "-q", "--no-verify", "origin", "main").returncode != 0
    assert server.oid("refs/heads/main") == before


@pytest.mark.attack("B17", "sign")
def test_b17_the_proposer_cannot_approve_their_own_change(made: PolicyRepo) -> None:
    made.edit(
        "policies/tools.yaml",
        "drive.write_file:      {effect: write}",
        "drive.read: {effect: read}",
    )
    assert made.sign("pat").code == 0
    own = made.approve("pat")
    assert own.code == 1
    assert "somebody else must approve" in own.err


@pytest.mark.attack("B13", "commit")
def test_b13_a_landed_approval_cannot_be_altered_or_removed(made: PolicyRepo) -> None:
    for path in list(approvals_in(made)):
        (made.path / path).unlink()
    committed = made.commit("tidy up")
    assert committed.code != 0
    assert "append-only" in committed.err


@pytest.mark.attack("B18", "commit")
def test_b18_one_platform_owner_cannot_rewrite_the_trust_root(made: PolicyRepo) -> None:
    made.edit(ROLES_PATH, "reviewer: {people: [ria]", "reviewer: {people: [ria, alice]")
    assert made.sign("alice").code == 0
    assert made.approve("pat").code == 0
    assert made.commit("more reviewers").code != 0
    assert made.approve("priya").code == 0
    assert made.commit("more reviewers").code == 0
