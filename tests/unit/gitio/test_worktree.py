import os
from pathlib import Path

import pytest
from agentpolicy.base.errors import InputError
from agentpolicy.gitio.raw import SUBMODULE, SYMLINK
from agentpolicy.gitio.repository import open_repository
from agentpolicy.gitio.worktree import UNSTORABLE, WorkFile, worktree_files
from tests.repositories import GitRepository, make_repository, make_server

PATH = "policies/bands/a.yaml"


@pytest.fixture
def made(tmp_path: Path) -> GitRepository:
    return make_repository(tmp_path / "repo")


def test_tracked_and_new_files_are_read_as_they_lie_there(made: GitRepository) -> None:
    made.stage(PATH, "staged")
    made.write(PATH, b"a\r\n\xff")
    made.write("policies/new.yaml", "n").chmod(0o755)
    made.write("README", "r")
    assert list(worktree_files(made.open(), "policies")) == [
        WorkFile(PATH, "100644", b"a\r\n\xff"),
        WorkFile("policies/new.yaml", "100755", b"n"),
    ]


def test_ignored_files_are_left_out_and_deleted_ones_are_gone(made: GitRepository) -> None:
    made.commit_files({PATH: "a", ".gitignore": "*.swp\n"})
    made.write("policies/x.swp", "x")
    (made.path / PATH).unlink()
    assert list(worktree_files(made.open(), "policies")) == []


def test_a_symbolic_link_is_read_as_a_link(made: GitRepository, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("s")
    made.write("policies/a", "a")
    (made.path / "policies/link").symlink_to(secret)
    listed = list(worktree_files(made.open(), "policies"))
    assert listed[1] == WorkFile("policies/link", SYMLINK, os.fsencode(secret))


def test_what_a_linked_folder_hides_is_gone(made: GitRepository, tmp_path: Path) -> None:
    made.commit_files({PATH: "a"})
    (made.path / "policies").rename(tmp_path / "elsewhere")
    (made.path / "policies").symlink_to(tmp_path / "elsewhere")
    listed = [(file.path, file.mode) for file in worktree_files(made.open(), "policies")]
    assert listed == [("policies", SYMLINK)]


def test_a_repository_inside_is_a_submodule(made: GitRepository) -> None:
    made.write("policies/a", "a")
    inner = make_repository(made.path / "policies/inner", environ=made.environ)
    inner.commit()
    listed = {file.path: file.mode for file in worktree_files(made.open(), "policies")}
    assert listed == {"policies/a": "100644", "policies/inner": SUBMODULE}


def test_a_pipe_in_place_of_a_file_is_not_opened(made: GitRepository) -> None:
    made.commit_files({PATH: "a"})
    (made.path / PATH).unlink()
    os.mkfifo(made.path / PATH)
    assert [file.mode for file in worktree_files(made.open(), "policies")] == [UNSTORABLE]


def test_case_twins_and_names_that_are_not_utf8_are_listed(made: GitRepository) -> None:
    made.write("Policies/a", "a")
    made.write("policie\u017f/a", "a")
    made.write("policies/\udcff", "b")
    listed = [file.path for file in worktree_files(made.open(), "policies")]
    assert listed == ["Policies/a", "policies/\udcff", "policie\u017f/a"]


def test_a_conflict_is_read_once(made: GitRepository) -> None:
    made.commit_files({PATH: "base"})
    made.branch("side")
    made.commit_files({PATH: "side"})
    made.git("checkout", "-q", "main")
    made.commit_files({PATH: "main"})
    made.try_git("merge", "-q", "side")
    (file,) = worktree_files(made.open(), "policies")
    assert file.data.startswith(b"<<<<<<<")


def test_a_subfolder_sees_the_whole_work_tree(made: GitRepository) -> None:
    made.write(PATH, "a")
    made.write("sub/x", "x")
    below = open_repository(made.path / "sub", made.environ)
    assert [file.path for file in worktree_files(below, "policies")] == [PATH]


def test_a_bare_repository_has_no_work_tree_to_read(tmp_path: Path) -> None:
    server = make_server(tmp_path / "server.git").open()
    with pytest.raises(InputError, match="no-work-tree"):
        list(worktree_files(server, "policies"))


def test_a_file_that_cannot_be_read_is_an_error_not_a_gap(
    made: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.write(PATH, "a")

    def refuse(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(InputError, match="Permission denied"):
        list(worktree_files(made.open(), "policies"))
