"""Attacks that avoid the hook, or show it something else than what is committed."""

from pathlib import Path

import pytest
from tests.attacks.roads import refused_after_commit
from tests.policy_repo import (
    BAND_PATH,
    BUDGET_PATH,
    PolicyRepo,
    begin,
    serve,
)

LOOSER = ("threshold: 0.92", "threshold: 0.50")
TIGHTER = ("threshold: 0.92", "threshold: 0.95")


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    return begin(tmp_path / "repo")


@pytest.mark.attack("C1", "check", "pre-push", "push", "gate")
@pytest.mark.parametrize(
    "bypass", [["commit", "--no-verify"], ["-c", "core.hooksPath=/dev/null", "commit"]]
)
def test_c01_a_bypassed_hook_buys_nothing(
    made: PolicyRepo, tmp_path: Path, bypass: list[str]
) -> None:
    serve(made, tmp_path / "server.git")
    before = made.head
    made.edit(BUDGET_PATH, "amber_rate_max: 0.15", "amber_rate_max: 0.90")
    made.repo.git(*bypass, "-q", "-m", "sneak", "-a")
    refused_after_commit(made, tmp_path, before)


@pytest.mark.attack("C2", "commit")
def test_c02_the_index_is_judged_when_the_work_tree_is_good(made: PolicyRepo) -> None:
    good = (made.path / BAND_PATH).read_text()
    made.edit(BAND_PATH, *LOOSER)
    made.repo.git("add", "-A")
    made.repo.write(BAND_PATH, good)
    assert made.repo.try_git("commit", "-q", "-m", "bad index").returncode != 0


@pytest.mark.attack("C2", "commit")
def test_c02_a_bad_work_tree_does_not_block_a_good_index(made: PolicyRepo) -> None:
    made.edit(BAND_PATH, *TIGHTER)
    assert made.sign().code == 0
    made.edit(BAND_PATH, "threshold: 0.95", "threshold: 0.10")
    assert made.repo.try_git("commit", "-q", "-m", "good index").returncode == 0
    assert "threshold: 0.95" in made.repo.git("show", f"HEAD:{BAND_PATH}")


@pytest.mark.attack("C3", "commit")
@pytest.mark.parametrize(
    "command",
    [
        ["commit", "-q", "-a", "-m", "x"],
        ["commit", "-q", "-m", "x", "--", BAND_PATH],
        ["commit", "-q", "--include", "-m", "x", "--", BAND_PATH],
    ],
)
def test_c03_what_is_being_committed_is_judged_however_it_is_staged(
    made: PolicyRepo, command: list[str]
) -> None:
    made.edit(BAND_PATH, *LOOSER)
    done = made.repo.try_git(*command)
    assert done.returncode != 0
    assert b"threshold" in done.stderr


@pytest.mark.attack("C3", "commit")
def test_c03_a_patch_committed_piecewise_is_judged(made: PolicyRepo) -> None:
    made.edit(BAND_PATH, *LOOSER)
    done = made.repo.try_git("commit", "-q", "-p", "-m", "x", stdin=b"y\n")
    assert done.returncode != 0
    assert b"threshold" in done.stderr


def test_a_commit_that_touches_no_policy_is_left_alone(made: PolicyRepo) -> None:
    made.repo.write("src/main.py", "print()\n")
    assert made.commit("code").code == 0


@pytest.mark.attack("C6", "push")
def test_c06_the_policy_ref_cannot_be_deleted_or_moved_back(
    made: PolicyRepo, tmp_path: Path
) -> None:
    server = serve(made, tmp_path / "server.git")
    first = made.head
    made.edit(BAND_PATH, *TIGHTER)
    tip = made.land("tighten")
    made.repo.git("push", "-q", "origin", "main")
    force = made.repo.try_git(
        "push", "-q", "-f", "--no-verify", "origin", f"{first}:refs/heads/main"
    )
    assert force.returncode != 0
    assert (
        made.repo.try_git("push", "-q", "--no-verify", "origin", ":refs/heads/main").returncode != 0
    )
    assert server.oid("refs/heads/main") == tip
