"""Attacks by commands that run no commit hook, and by pushing in another order or to other refs."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.attacks.roads import refused_after_commit
from tests.policy_repo import BUDGET_PATH, PolicyRepo, begin, serve
from tests.repositories import GitRepository

TIGHTER = ("amber_rate_max: 0.15", "amber_rate_max: 0.10")
LOOSER = ("amber_rate_max: 0.15", "amber_rate_max: 0.90")


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    """A repository with a server, and a branch `loose` whose last commit loosens a rule."""
    made = begin(tmp_path / "repo")
    serve(made, tmp_path / "server.git")
    made.repo.branch("loose")
    made.edit(BUDGET_PATH, *LOOSER)
    assert made.sign().code == 0
    made.sneak("loosen")
    made.repo.git("checkout", "-q", "main")
    return made


@pytest.fixture
def server(made: PolicyRepo, tmp_path: Path) -> GitRepository:
    return GitRepository(tmp_path / "server.git", made.repo.environ)


def cherry_pick(repo: GitRepository) -> None:
    repo.git("cherry-pick", "loose")


def rebase(repo: GitRepository) -> None:
    repo.git("rebase", "-q", "main", "loose")
    repo.git("checkout", "-q", "-B", "main", "loose")


def rebase_onto_it(repo: GitRepository) -> None:
    repo.git("rebase", "-q", "loose")


def am(repo: GitRepository) -> None:
    patch = repo.git("format-patch", "--stdout", "-1", "loose")
    repo.git("am", "-q", stdin=patch.encode() + b"\n")


def fast_forward(repo: GitRepository) -> None:
    repo.git("reset", "-q", "--hard", "HEAD^")
    repo.git("merge", "-q", "--ff-only", "loose")


def update_ref(repo: GitRepository) -> None:
    repo.git("update-ref", "refs/heads/main", "loose")
    repo.git("reset", "-q", "--hard")


def squash(repo: GitRepository) -> None:
    repo.git("merge", "-q", "--squash", "loose")
    repo.git("commit", "-q", "--no-verify", "-m", "squashed")


def checkout_and_amend(repo: GitRepository) -> None:
    repo.git("checkout", "loose", "--", "policies")
    repo.git("commit", "-q", "--no-verify", "--amend", "--no-edit")


ROADS: tuple[Callable[[GitRepository], None], ...] = (
    cherry_pick,
    rebase,
    rebase_onto_it,
    am,
    fast_forward,
    update_ref,
    squash,
    checkout_and_amend,
)


@pytest.mark.attack("C4", "check", "pre-push", "push", "gate")
@pytest.mark.parametrize("bring", ROADS, ids=lambda bring: str(bring.__name__))
def test_c04_a_loosening_is_refused_however_it_was_brought(
    made: PolicyRepo, tmp_path: Path, bring: Callable[[GitRepository], None]
) -> None:
    before = made.head
    made.repo.commit_files({"src/main.py": "main\n"})
    bring(made.repo)
    assert LOOSER[1] in made.repo.git("show", f"HEAD:{BUDGET_PATH}")
    refused_after_commit(made, tmp_path, before)


@pytest.mark.attack("C5", "pre-push", "push", "gate", "check")
def test_c05_a_commit_that_already_lies_on_another_branch_there_is_refused(
    made: PolicyRepo, tmp_path: Path
) -> None:
    before = made.head
    made.repo.git("push", "-q", "origin", "loose")
    made.repo.git("reset", "-q", "--hard", "loose")
    refused_after_commit(made, tmp_path, before)


@pytest.mark.attack("C6", "push")
@pytest.mark.parametrize("atomic", [(), ("--atomic",)])
@pytest.mark.parametrize(
    "refspecs",
    [
        ("loose:refs/heads/loose", "loose:main"),
        ("main:refs/heads/copy", ":main"),
        (":main", "loose:refs/heads/main2"),
        ("loose:main", "main:refs/tags/main"),
    ],
)
def test_c06_one_bad_ref_among_several_is_refused_with_all_of_them(
    made: PolicyRepo, server: GitRepository, refspecs: tuple[str, ...], atomic: tuple[str, ...]
) -> None:
    before = server.git("for-each-ref")
    pushed = made.repo.try_git("push", "-q", "--no-verify", *atomic, "origin", *refspecs)
    assert pushed.returncode != 0
    assert server.git("for-each-ref") == before


@pytest.mark.attack("C6", "push")
def test_c06_a_deleted_policy_ref_is_judged_from_the_pin_when_it_is_made_again(
    made: PolicyRepo, server: GitRepository
) -> None:
    server.git("update-ref", "-d", "refs/heads/main")
    loose = made.repo.try_git("push", "-q", "--no-verify", "origin", "loose:refs/heads/main")
    assert loose.returncode != 0
    assert b"amber_rate_max" in loose.stderr
    unrelated = made.repo.git("commit-tree", made.repo.oid("main^{tree}"), "-m", "unrelated")
    made.repo.git("push", "-q", "origin", "main")
    assert server.oid("refs/heads/main") == made.head
    for words in ((), ("-f",)):
        forced = made.repo.try_git(
            "push", "-q", "--no-verify", *words, "origin", f"{unrelated}:refs/heads/main"
        )
        assert forced.returncode != 0
    assert server.oid("refs/heads/main") == made.head


@pytest.mark.attack("C6", "push")
def test_c06_another_name_for_the_policy_ref_on_the_server_is_no_way_in(
    made: PolicyRepo, server: GitRepository
) -> None:
    """Hosts that renamed their main branch keep the old name as a symbolic ref."""
    server.git("symbolic-ref", "refs/heads/master", "refs/heads/main")
    before = server.git("for-each-ref")
    for refspec in ("loose:refs/heads/master", ":refs/heads/master"):
        pushed = made.repo.try_git("push", "-q", "--no-verify", "origin", refspec)
        assert pushed.returncode != 0, refspec
    assert server.git("for-each-ref") == before
    made.edit(BUDGET_PATH, *TIGHTER)
    made.land("tighten")
    made.repo.git("push", "-q", "origin", "main:refs/heads/master")
    assert server.oid("refs/heads/main") == made.head
