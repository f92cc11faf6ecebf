import os
from pathlib import Path

import pytest
from agentpolicy.base.errors import InputError, UndecidedError
from agentpolicy.gitio.repository import open_repository
from tests.repositories import (
    clean_environment,
    clone,
    linked_worktree,
    make_repository,
    make_server,
)


def test_a_work_tree_is_found_from_a_folder_below_it(tmp_path: Path) -> None:
    made = make_repository(tmp_path / "repo")
    made.write("deep/er/file", "x")
    repository = open_repository(made.path / "deep/er", made.environ)
    assert repository.top == repository.cwd == made.path
    assert repository.git_dir == repository.common_dir == made.path / ".git"
    assert (repository.bare, repository.shallow, repository.object_format) == (False, False, "sha1")


def test_a_bare_repository_has_no_top(tmp_path: Path) -> None:
    repository = make_server(tmp_path / "server.git").open()
    assert repository.bare
    assert repository.top is None
    assert repository.git_dir == tmp_path / "server.git"


def test_inside_the_git_directory_there_is_no_top(tmp_path: Path) -> None:
    made = make_repository(tmp_path / "repo")
    assert open_repository(made.path / ".git", made.environ).top is None


def test_a_sha256_repository_says_so(tmp_path: Path) -> None:
    made = make_repository(tmp_path / "repo", object_format="sha256")
    assert made.open().object_format == "sha256"


def test_a_shallow_clone_says_so(tmp_path: Path) -> None:
    made = make_repository(tmp_path / "repo")
    made.commit("one")
    made.commit("two")
    assert clone(made, tmp_path / "cut", "--depth=1").open().shallow


def test_a_linked_worktree_shares_the_common_directory(tmp_path: Path) -> None:
    made = make_repository(tmp_path / "repo")
    made.commit()
    repository = linked_worktree(made, tmp_path / "linked", "side").open()
    assert repository.top == tmp_path / "linked"
    assert repository.common_dir == made.path / ".git"
    assert repository.git_dir == made.path / ".git/worktrees/linked"


def test_a_relative_git_dir_still_means_the_same_repository(tmp_path: Path) -> None:
    made = make_repository(tmp_path / "repo")
    below = made.write("sub/file", "x").parent
    environ = {**made.environ, "GIT_DIR": "../.git", "GIT_WORK_TREE": ".."}
    repository = open_repository(below, environ)
    assert repository.top == made.path
    assert repository.run("ls-files", "--others", "--full-name") == b"sub/file\n"


def test_outside_a_repository_the_next_command_is_named(tmp_path: Path) -> None:
    environ = {**clean_environment(tmp_path), "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
    with pytest.raises(InputError) as caught:
        open_repository(tmp_path, environ)
    assert caught.value.problems[0].code == "not-a-repository"
    assert caught.value.problems[0].hint == "git init"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_repository_of_another_user_is_not_taken_for_none(tmp_path: Path) -> None:
    made = make_repository(tmp_path / "repo")
    below = made.write("sub/x", "x").parent
    os.chown(made.path, 12345, 12345)
    with pytest.raises(UndecidedError) as caught:
        open_repository(below, made.environ)
    problem = caught.value.problems[0]
    assert problem.code == "repository-not-trusted"
    assert problem.hint == f"git config --global --add safe.directory {made.path}"


def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(UndecidedError, match="no-such-directory"):
        open_repository(tmp_path / "gone", clean_environment(tmp_path))


def test_a_missing_git_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(UndecidedError, match="git-missing"):
        open_repository(tmp_path, {**clean_environment(tmp_path), "PATH": str(tmp_path)})


def test_a_failing_command_carries_gits_own_words(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo").open()
    with pytest.raises(UndecidedError) as caught:
        repository.run("cat-file", "-p", "0" * 40)
    problem = caught.value.problems[0]
    assert problem.hint == "git cat-file -p " + "0" * 40
    assert "Not a valid object name" in problem.message


def test_where_failing_is_an_answer_nothing_is_raised(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo").open()
    assert repository.try_run("symbolic-ref", "-q", "refs/nowhere") == (1, b"")


def test_configuration_is_read_back_as_set(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo").open()
    assert repository.config("agentpolicy.root") is None
    repository.set_config("agentpolicy.root", "sha256:ab\ncd")
    repository.set_config("agentpolicy.root", "sha256:é\n2")
    assert repository.config("agentpolicy.root") == "sha256:é\n2"


def test_configuration_given_by_variable_is_not_believed(tmp_path: Path) -> None:
    made = make_repository(tmp_path / "repo")
    injected = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "agentpolicy.root",
        "GIT_CONFIG_VALUE_0": "sha256:mine",
    }
    repository = open_repository(made.path, {**made.environ, **injected})
    assert repository.config("agentpolicy.root") is None


def test_unreadable_configuration_is_not_an_unset_key(tmp_path: Path) -> None:
    made = make_repository(tmp_path / "repo")
    repository = made.open()
    (made.path / ".git/config").write_text("[broken")
    with pytest.raises(UndecidedError, match="bad config"):
        repository.config("agentpolicy.root")
