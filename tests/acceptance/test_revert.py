"""Taking a change back: the old rule as a new change, whatever landed in between kept."""

from pathlib import Path

import pytest
from tests.policy_repo import BAND_PATH, BUDGET_PATH, KEYS, ROLES_PATH, PolicyRepo, begin, serve
from tests.typed import commands_in, must_type
from tests.written import WAIVER, WAIVER_PATH

KEY = ("--key", str(KEYS / "alice"))


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    """Land a tightening, with one of another document after it."""
    made = begin(tmp_path / "repo")
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.95")
    made.land("tighten")
    return made


def text(made: PolicyRepo, path: str = BAND_PATH) -> str:
    return (made.path / path).read_text()


def test_a_tightening_comes_back_as_a_loosening_and_its_approval_stays(made: PolicyRepo) -> None:
    before = made.repo.git("ls-files", "policies/approvals").splitlines()
    ran = made.run("revert", "HEAD")
    assert ran.code == 0
    assert ran.out.startswith("looser: ")
    assert f"wrote {BAND_PATH}, version 3\nnothing is signed yet\n" in ran.err
    assert "still missing: agent-owner (alice)" in ran.err
    assert "still missing: platform-owner (pat or priya)" in ran.err
    assert f"next: agentpolicy sign {BAND_PATH} --key KEY\n" in ran.err
    assert f"next: agentpolicy approve {BAND_PATH} --role platform-owner --key KEY" in ran.err
    assert "threshold: 0.92" in text(made)
    assert "band_version: 3" in text(made)
    assert made.sign().code == 0
    assert made.commit("alone").code == 1
    assert made.approve("pat").code == 0
    assert made.commit("taken back").code == 0
    assert set(before) < set(made.repo.git("ls-files", "policies/approvals").splitlines())


def test_with_a_key_the_callers_own_part_is_signed_and_a_loosening_comes_back_at_once(
    made: PolicyRepo,
) -> None:
    made.edit(BAND_PATH, "max: 1.4", "max: 1.6")
    made.land("loosen", approver="pat")
    ran = made.run("revert", "HEAD", *KEY)
    assert ran.code == 0
    assert ran.out.startswith("tighter: ")
    assert "alice signed as agent-owner" in ran.err
    assert ran.err.endswith("next: git commit\n")
    assert made.commit("taken back").code == 0


def test_what_later_commits_changed_in_the_same_document_stays(made: PolicyRepo) -> None:
    made.edit(BAND_PATH, "max: 1.4", "max: 1.3")
    made.land("tighten more")
    assert made.run("revert", "HEAD~1").code == 0
    assert "threshold: 0.92" in text(made)
    assert "max: 1.3" in text(made)
    assert "band_version: 4" in text(made)


def test_what_was_changed_again_is_left_to_a_person(made: PolicyRepo) -> None:
    made.edit(BAND_PATH, "threshold: 0.95", "threshold: 0.96")
    made.land("tighten more")
    before = text(made)
    ran = made.run("revert", "HEAD~1")
    assert ran.code == 2
    assert "were changed again since" in ran.err
    assert "take the later ones back first" in ran.err
    assert text(made) == before
    assert made.run("revert", "HEAD").code == 0
    assert "threshold: 0.95" in text(made)


def test_work_that_is_in_no_commit_is_not_written_over(made: PolicyRepo) -> None:
    made.edit(BAND_PATH, "max: 1.4", "max: 1.3")
    before = text(made)
    ran = made.run("revert", "HEAD")
    assert ran.code == 2
    assert f"next: git stash push -- {BAND_PATH}" in ran.err
    assert text(made) == before


def test_a_first_document_goes_and_a_deleted_one_comes_back_above_every_number_it_had(
    made: PolicyRepo,
) -> None:
    (made.path / BAND_PATH).unlink()
    made.land("delete", approver="pat")
    assert made.run("revert", "HEAD", *KEY).code == 0
    assert "band_version: 3" in text(made)
    assert made.approve("pat").code == 0
    assert made.commit("back").code == 0
    ran = made.run("revert", "HEAD")
    assert f"removed {BAND_PATH}" in ran.err
    assert not (made.path / BAND_PATH).exists()


@pytest.mark.parametrize("way", ["committed", "staged", "pushed"])
def test_gits_own_revert_is_refused_and_names_the_command_that_works_right_there(
    made: PolicyRepo, tmp_path: Path, way: str
) -> None:
    tightening = made.head
    server = serve(made, tmp_path / "server.git")
    if way == "staged":
        made.repo.git("revert", "-n", "HEAD")
        refused = made.commit("take it back")
        said = refused.err
    else:
        made.repo.git("revert", "--no-edit", "HEAD")
        past = ("--no-verify",) if way == "pushed" else ()
        said = made.repo.try_git("push", "-q", *past, "origin", "main").stderr.decode()
    assert "approval-reverted" in said
    assert f"next: agentpolicy revert {tightening[:12]} --key KEY" in said
    ran = made.run("revert", tightening[:12], *KEY)
    assert ran.code == 0, ran
    assert "kept policies/approvals/" in ran.err
    assert made.approve("pat").code == 0
    assert made.commit("take it back").code == 0
    assert made.repo.try_git("push", "-q", "origin", "main").returncode == 0
    assert "threshold: 0.92" in server.git("show", f"main:{BAND_PATH}")


def test_signing_after_gits_own_revert_names_the_command_too(made: PolicyRepo) -> None:
    tightening = made.head
    made.repo.git("revert", "-n", "HEAD")
    ran = made.sign()
    assert ran.code == 1
    assert f"next: agentpolicy revert {tightening[:12]} --key KEY" in ran.err


def test_a_change_nobody_was_allowed_to_make_is_put_right_without_a_signature(
    made: PolicyRepo,
) -> None:
    before = text(made)
    made.edit(BAND_PATH, "threshold: 0.95", "threshold: 0.50")
    made.sneak()
    ran = made.run("revert", "HEAD")
    assert ran.code == 0
    assert "it needs no signature" in ran.err
    assert text(made) == before
    assert made.commit("put right").code == 0


def test_a_dry_run_writes_nothing(made: PolicyRepo) -> None:
    before = text(made)
    ran = made.run("revert", "--dry-run", "HEAD")
    assert f"would write {BAND_PATH}, version 3" in ran.err
    assert text(made) == before
    assert made.repo.git("status", "--porcelain") == ""


def test_a_trust_root_that_would_revive_a_key_does_not_come_back(made: PolicyRepo) -> None:
    listed = made.must("key", "list", "--format", "json").json["keys"]
    ria = next(key["fingerprint"] for key in listed if key["person"] == "ria")
    retired = ("--retire-key", f"ria={ria}", "--role", "reviewer=alice")
    made.must("roles", "propose", *retired)
    for ran in (made.sign(), made.approve("pat"), made.approve("priya")):
        assert ran.code == 0, ran
    assert made.commit("retire").code == 0
    refused = made.run("revert", "HEAD")
    assert refused.code == 1
    assert "key-revived" in refused.err
    assert "roles_version: 2" in text(made, ROLES_PATH)


def test_a_commit_that_changed_no_policy_has_nothing_to_take_back(made: PolicyRepo) -> None:
    made.repo.write("README", "words")
    assert made.commit("words").code == 0
    ran = made.run("revert", "HEAD")
    assert ran.code == 2
    assert "changed no policy document" in ran.err
    assert made.run("revert", "nowhere").code == 2


def test_a_change_that_came_by_a_merge_is_taken_back_whole(made: PolicyRepo) -> None:
    made.repo.branch("side")
    made.edit(BUDGET_PATH, "amber_rate_max: 0.15", "amber_rate_max: 0.10")
    assert made.sign().code == 0
    assert made.commit("tighten").code == 0
    made.repo.git("checkout", "-q", "main")
    made.repo.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    assert made.run("revert", "HEAD", *KEY).code == 0
    assert "amber_rate_max: 0.15" in text(made, BUDGET_PATH)
    assert made.approve("pat").code == 0
    assert made.commit("taken back").code == 0


def test_a_waiver_is_not_taken_back_but_closed_by_what_is_typed_then(made: PolicyRepo) -> None:
    made.repo.write(WAIVER_PATH, WAIVER)
    made.sneak("a waiver")
    refused = made.run("revert", "HEAD")
    assert refused.code == 2
    must_type(made, next(commands_in(refused.err)))
    assert (made.path / "policies/waivers/closed/2026" / Path(WAIVER_PATH).name).exists()
