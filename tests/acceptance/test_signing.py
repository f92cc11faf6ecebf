"""`agentpolicy sign` and `agentpolicy approve`: what they refuse, and what they say is missing."""

import subprocess
from pathlib import Path

import pytest
from tests.policy_repo import BAND_PATH, BUDGET_PATH, KEYS, ROLES_PATH, PolicyRepo, begin
from tests.repositories import make_repository
from tests.written import WAIVER, WAIVER_PATH


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    return begin(tmp_path / "repo", gate=True)


@pytest.fixture
def waived(made: PolicyRepo) -> PolicyRepo:
    """Put a waiver into the pinned state, whose history is not judged."""
    made.repo.write(WAIVER_PATH, WAIVER)
    made.sneak("a waiver from before")
    made.repo.git("config", "agentpolicy.root", f"{made.pin};commit={made.head}")
    return made


@pytest.fixture
def loosened(made: PolicyRepo) -> PolicyRepo:
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.90")
    return made


def test_a_waiver_that_was_edited_is_not_signed(waived: PolicyRepo) -> None:
    waived.edit(WAIVER_PATH, "2026-03-30", "2026-03-29")
    text = (waived.path / WAIVER_PATH).read_text()
    for ran in (waived.sign(), waived.approve("ria", "reviewer")):
        assert ran.code == 1
        assert "an edited waiver can never be admitted" in ran.err
        assert ran.err.endswith(f"next: git checkout HEAD -- {WAIVER_PATH}\n")
    assert (waived.path / WAIVER_PATH).read_text() == text
    shown = waived.run("diff")
    assert "an edited waiver can never be admitted" in shown.err
    assert f"{WAIVER_PATH}: no signature can admit it" in shown.out
    assert "agentpolicy sign" not in shown.said


def test_a_waiver_that_was_deleted_is_not_signed_and_the_command_ends_it_instead(
    waived: PolicyRepo,
) -> None:
    (waived.path / WAIVER_PATH).unlink()
    assert "can never be admitted" in waived.run("diff").err
    ran = waived.sign()
    assert ran.code == 1
    command = ran.err.splitlines()[-1].removeprefix("next: ")
    subprocess.run(["sh", "-c", command], cwd=waived.path, env=waived.repo.environ, check=True)
    assert waived.sign().code == 0
    assert waived.commit("end it").code == 0


def test_a_first_trust_root_edited_after_it_was_pinned_is_not_signed(tmp_path: Path) -> None:
    repo = PolicyRepo(make_repository(tmp_path / "repo"))
    repo.must("init", f"--person=pat={KEYS / 'pat'}.pub", "--platform-owner=pat")
    repo.edit(ROLES_PATH, "roles_version: 1", "roles_version: 1   # for now")
    ran = repo.sign("pat")
    assert ran.code == 1
    assert "it was edited after `agentpolicy init`" in ran.err


def test_nothing_is_approved_that_has_not_counted_its_version_on(loosened: PolicyRepo) -> None:
    ran = loosened.approve("pat")
    assert ran.code == 1
    assert f"next: agentpolicy sign {BAND_PATH} --key KEY" in ran.err


def test_signing_says_what_is_still_missing_and_then_that_nothing_is(loosened: PolicyRepo) -> None:
    signed = loosened.sign().err.splitlines()
    assert f"still missing: platform-owner (pat or priya): {BAND_PATH}" in signed
    assert signed[-1] == (
        f'next: agentpolicy approve {BAND_PATH} --role platform-owner --key KEY --reason "…"'
    )
    assert loosened.approve("pat").err.splitlines()[-1] == "next: git commit"
    assert loosened.commit().code == 0


def test_a_new_document_is_called_new_and_not_looser(tmp_path: Path) -> None:
    repo = PolicyRepo(make_repository(tmp_path / "repo"))
    repo.must("init", f"--person=pat={KEYS / 'pat'}.pub", "--platform-owner=pat")
    signed = repo.sign("pat").err.splitlines()
    assert f"  {ROLES_PATH}: new, version 1" in signed


def test_approving_in_a_role_that_nothing_needs_says_which_is_missing(
    loosened: PolicyRepo,
) -> None:
    assert loosened.sign().code == 0
    ran = loosened.approve("ria", "reviewer")
    assert ran.code == 0
    assert "nothing to approve: nothing that changed needs the role reviewer" in ran.err
    assert f"still missing: platform-owner (pat or priya): {BAND_PATH}" in ran.err


def test_approving_where_nothing_changed_says_so_in_one_line(made: PolicyRepo) -> None:
    ran = made.approve("pat")
    assert (ran.code, ran.err.count("\n")) == (0, 1)
    assert ran.err.startswith("nothing to approve")


def test_without_a_key_the_hint_is_the_whole_command_again(loosened: PolicyRepo) -> None:
    for words in (
        ["sign", BAND_PATH],
        ["approve", "--role", "platform-owner", "--reason", "it is fine"],
    ):
        ran = loosened.run(*words)
        assert ran.code == 2
        quoted = " ".join(f"'{word}'" if " " in word else word for word in words)
        assert ran.err.endswith(f"next: agentpolicy {quoted} --key KEY\n")


def test_a_stray_approval_is_refused_and_the_hinted_command_clears_it(made: PolicyRepo) -> None:
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.95")
    assert made.sign().code == 0
    made.repo.git("checkout", "HEAD", "--", BAND_PATH)
    refused = made.run("check", "--staged")
    assert refused.code == 1
    assert "next: agentpolicy sign --key KEY" in refused.said
    ran = made.sign()
    assert ran.code == 0
    assert "removed policies/approvals/" in ran.err
    assert made.repo.git("diff", "--cached", "--name-only") == ""


def test_an_approval_that_is_staged_and_gone_from_the_folder_is_cleared_too(
    made: PolicyRepo,
) -> None:
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.95")
    assert made.sign().code == 0
    made.repo.git("checkout", "HEAD", "--", BAND_PATH)
    for path in made.repo.git("diff", "--cached", "--name-only").splitlines():
        (made.path / path).unlink()
    assert made.sign().code == 0
    assert made.run("check", "--staged").code == 0


def test_a_folder_stands_for_the_changed_documents_below_it(loosened: PolicyRepo) -> None:
    loosened.edit(BUDGET_PATH, "amber_rate_max: 0.15", "amber_rate_max: 0.10")
    signed = loosened.sign("alice", "policies/bands")
    assert f"alice signed as agent-owner: {BAND_PATH}\n" in signed.err


def test_a_path_that_does_not_change_is_named_once(made: PolicyRepo) -> None:
    ran = made.sign("alice", BAND_PATH)
    assert ran.code == 2
    assert ran.err.count(BAND_PATH) == 1
