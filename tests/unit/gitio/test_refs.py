from pathlib import Path

import pytest
from agentpolicy.base.errors import InputError, UndecidedError
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.refs import (
    Head,
    head,
    head_ref,
    is_first_parent_ancestor,
    remote_tracking,
    resolve,
    standing,
    update_ref,
)
from tests.repositories import (
    GitRepository,
    clone,
    linked_worktree,
    make_repository,
    make_server,
)

MAIN = "refs/heads/main"


@pytest.fixture
def made(tmp_path: Path) -> GitRepository:
    return make_repository(tmp_path / "repo")


def test_a_full_name_is_resolved(made: GitRepository) -> None:
    assert resolve(made.open(), MAIN) is None
    commit = made.commit()
    assert resolve(made.open(), MAIN) == commit


def test_no_tag_stands_in_for_a_missing_branch(made: GitRepository) -> None:
    commit = made.commit()
    made.git("update-ref", "refs/tags/refs/heads/gone", commit)
    made.git("update-ref", "refs/heads/refs/heads/gone", commit)
    assert made.oid("refs/heads/gone") == commit  # what git itself would answer
    assert resolve(made.open(), "refs/heads/gone") is None


def test_a_tag_named_like_the_branch_is_ignored(made: GitRepository) -> None:
    old = made.commit("old")
    made.git("tag", "main")
    new = made.commit("new")
    assert resolve(made.open(), MAIN) == new != old


def test_refs_below_the_name_are_not_the_name(made: GitRepository) -> None:
    made.commit()
    made.git("branch", "topic/one")
    assert resolve(made.open(), "refs/heads/topic") is None


@pytest.mark.parametrize("name", ["main", "HEAD", "refs/heads/*", "refs/heads/a..b", "", "-x"])
def test_anything_but_a_full_name_is_refused(made: GitRepository, name: str) -> None:
    with pytest.raises(InputError, match="ref-name"):
        resolve(made.open(), name)


def test_unreadable_refs_are_undecided_not_absent(made: GitRepository) -> None:
    made.commit()
    (made.path / ".git/packed-refs").write_text("junk\n")
    with pytest.raises(UndecidedError):
        resolve(made.open(), MAIN)


def test_an_unborn_head_names_its_branch_and_no_commit(made: GitRepository) -> None:
    assert head(made.open()) == Head(MAIN, None)


def test_no_tag_named_head_stands_in_for_an_unborn_branch(made: GitRepository) -> None:
    commit = made.commit()
    made.git("tag", "HEAD")
    made.git("symbolic-ref", "HEAD", "refs/heads/unborn")
    assert made.oid("refs/tags/HEAD") == commit
    assert head(made.open()) == Head("refs/heads/unborn", None)


def test_a_detached_head_has_a_commit_and_no_branch(made: GitRepository) -> None:
    commit = made.commit()
    made.git("checkout", "-q", "--detach")
    assert head(made.open()) == Head(None, commit)


def test_a_branch_stands_where_it_points_checked_out_or_not(made: GitRepository) -> None:
    assert standing(made.open(), MAIN) == (None, True)
    assert standing(made.open(), "refs/heads/other") == (None, False)
    commit = made.commit()
    made.git("branch", "other")
    assert standing(made.open(), MAIN) == (commit, True)
    assert standing(made.open(), "refs/heads/other") == (commit, False)
    made.git("checkout", "-q", "--detach")
    assert standing(made.open(), MAIN) == (commit, False)


def test_another_name_of_the_branch_that_is_checked_out_does_not_hide_it(
    made: GitRepository,
) -> None:
    commit = made.commit()
    made.git("symbolic-ref", "refs/heads/alias", MAIN)
    made.git("symbolic-ref", "HEAD", "refs/heads/alias")
    assert standing(made.open(), MAIN) == (commit, True)


def test_each_work_tree_has_its_own_branch_checked_out(made: GitRepository, tmp_path: Path) -> None:
    commit = made.commit()
    other = linked_worktree(made, tmp_path / "linked", "topic")
    assert standing(other.open(), MAIN) == (commit, False)
    assert standing(other.open(), "refs/heads/topic") == (commit, True)


def test_a_broken_head_is_undecided(made: GitRepository) -> None:
    repository = made.open()
    (made.path / ".git/HEAD").write_text("ref: refs/heads/../../x\n")
    with pytest.raises(UndecidedError):
        head_ref(repository)


def test_a_ref_moves_only_from_where_it_was(made: GitRepository) -> None:
    first, second = made.commit("one"), made.commit("two")
    repository = made.open()
    log = "refs/heads/agentpolicy/log"
    assert update_ref(repository, log, first, None)
    assert not update_ref(repository, log, second, None)
    assert not update_ref(repository, log, first, second)
    assert update_ref(repository, log, second, first)
    assert resolve(repository, log) == second


def test_a_ref_needs_no_identity_to_move(made: GitRepository) -> None:
    commit = made.commit()
    bare = {key: value for key, value in made.environ.items() if not key.startswith("GIT_A")}
    anonymous = GitRepository(made.path, {k: v for k, v in bare.items() if "COMMITTER" not in k})
    assert update_ref(anonymous.open(), "refs/heads/new", commit, None)


def test_a_ref_that_cannot_move_is_undecided(made: GitRepository) -> None:
    commit = made.commit()
    (made.path / ".git/refs/heads/new.lock").touch()
    with pytest.raises(UndecidedError, match="update-ref"):
        update_ref(made.open(), "refs/heads/new", commit, None)


def test_the_upstream_is_what_the_branch_tracks(made: GitRepository, tmp_path: Path) -> None:
    made.commit()
    copy = clone(made, tmp_path / "copy")
    assert remote_tracking(copy.open(), MAIN) == "refs/remotes/origin/main"


def test_a_branch_not_checked_out_is_found_at_origin(made: GitRepository, tmp_path: Path) -> None:
    made.commit()
    copy = clone(made, tmp_path / "copy")
    copy.branch("side")
    copy.git("branch", "-q", "-D", "main")
    assert remote_tracking(copy.open(), MAIN) == "refs/remotes/origin/main"


def test_two_other_remotes_are_no_answer(made: GitRepository, tmp_path: Path) -> None:
    made.commit()
    copy = make_repository(tmp_path / "copy")
    copy.git("remote", "add", "-f", "one", str(made.path))
    assert remote_tracking(copy.open(), MAIN) == "refs/remotes/one/main"
    copy.git("remote", "add", "-f", "two", str(made.path))
    assert remote_tracking(copy.open(), MAIN) is None


def test_a_branch_that_tracks_a_local_one_has_no_remote(made: GitRepository) -> None:
    made.commit()
    made.git("branch", "-q", "--track", "side", "main")
    assert remote_tracking(made.open(), "refs/heads/side") is None


def test_a_remote_that_has_nothing_is_no_answer(made: GitRepository, tmp_path: Path) -> None:
    made.commit()
    made.git("remote", "add", "origin", str(make_server(tmp_path / "s.git").path))
    assert remote_tracking(made.open(), MAIN) is None


def test_ancestry_follows_first_parents_only(made: GitRepository) -> None:
    base = made.commit("base")
    made.branch("side")
    side = made.commit("side")
    made.git("checkout", "-q", "main")
    made.commit("main")
    made.git("merge", "-q", "--no-ff", "--no-edit", "side")
    tip = made.oid("HEAD")
    with Objects(made.open()) as objects:
        assert is_first_parent_ancestor(objects, base, tip)
        assert is_first_parent_ancestor(objects, tip, tip)
        assert not is_first_parent_ancestor(objects, side, tip)
        assert not is_first_parent_ancestor(objects, tip, base)


def test_ancestry_across_a_cut_is_undecided(made: GitRepository, tmp_path: Path) -> None:
    base, _, tip = (made.commit(name) for name in ("one", "two", "three"))
    cut = clone(made, tmp_path / "cut", "--depth=1")
    with Objects(cut.open()) as objects, pytest.raises(UndecidedError, match="unshallow"):
        is_first_parent_ancestor(objects, base, tip)
