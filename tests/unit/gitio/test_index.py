import sys
from pathlib import Path

import pytest
from agentpolicy.base.errors import UndecidedError
from agentpolicy.gitio.index import IndexFile, add, index_files
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.repository import open_repository
from tests.repositories import GitRepository, linked_worktree, make_repository

PATH = "policies/bands/a.yaml"


@pytest.fixture
def made(tmp_path: Path) -> GitRepository:
    return make_repository(tmp_path / "repo")


def staged_in_hook(made: GitRepository, tmp_path: Path, *commit: str) -> bytes:
    """Run a commit whose hook asks what is staged, exactly as the stub would."""
    out = tmp_path / "out"
    script = tmp_path / "ask.py"
    script.write_text(
        "import os, pathlib, sys\n"
        "from agentpolicy.gitio.index import index_files\n"
        "from agentpolicy.gitio.objects import Objects\n"
        "from agentpolicy.gitio.repository import open_repository\n"
        "repository = open_repository(pathlib.Path.cwd(), os.environ)\n"
        f"files = index_files(repository, {PATH!r})\n"
        "with Objects(repository) as objects:\n"
        f"    pathlib.Path({str(out)!r}).write_bytes(objects.blob(files[0].oid))\n"
    )
    made.hook("pre-commit", f'#!/bin/sh\nexec "{sys.executable}" -I "{script}"\n')
    made.git("commit", "-q", "-m", "x", *commit)
    return out.read_bytes()


def test_staged_files_are_listed_with_mode_and_id(made: GitRepository) -> None:
    made.stage(PATH, "a")
    made.stage("README", "r")
    made.git("update-index", "--chmod=+x", PATH)
    oid = made.oid(f":{PATH}")
    assert index_files(made.open(), "policies") == (IndexFile(PATH, "100755", oid, 0),)


def test_without_prefixes_everything_is_listed(made: GitRepository) -> None:
    made.stage(PATH, "a")
    made.stage("README", "r")
    assert [file.path for file in index_files(made.open())] == ["README", PATH]


def test_a_prefix_is_a_whole_component(made: GitRepository) -> None:
    made.stage("policies.txt", "a")
    made.stage("policies2/a", "a")
    made.stage("sub/policies/a", "a")
    assert index_files(made.open(), "policies") == ()


@pytest.mark.parametrize("twin", ["Policies/a", "POLICIES", "policie\u017f/a", "policies"])
def test_twins_that_fold_to_the_prefix_are_visible(made: GitRepository, twin: str) -> None:
    made.stage("ünrelated", "u")
    made.stage(twin, "a")
    assert [file.path for file in index_files(made.open(), "policies")] == [twin]


@pytest.mark.parametrize("name", ["tab\there", "line\nbreak", "not-utf8-\udcff", 'quote"', "*"])
def test_odd_names_are_listed_as_they_are(made: GitRepository, name: str) -> None:
    oid = made.git("hash-object", "-w", "--stdin", stdin=b"x")
    path = f"policies/{name}"
    line = f"100644 {oid}\t{path}\0".encode("utf-8", "surrogateescape")
    made.git("update-index", "-z", "--index-info", stdin=line)
    assert [file.path for file in index_files(made.open(), "policies")] == [path]


def test_several_prefixes_are_one_question(made: GitRepository) -> None:
    made.stage(PATH, "a")
    made.stage(".github/workflows/[x].yml", "a")
    made.stage(".github/workflows/x.yml", "a")
    listed = index_files(made.open(), "policies", ".github/workflows/[x].yml")
    assert [file.path for file in listed] == [".github/workflows/[x].yml", PATH]


def test_links_and_submodules_are_listed_with_their_modes(made: GitRepository) -> None:
    head = made.commit()
    made.write("policies/a", "a")
    (made.path / "policies/link").symlink_to("a")
    made.git("add", "policies")
    made.git("update-index", "--add", "--cacheinfo", f"160000,{head},policies/sub")
    listed = {file.path: file.mode for file in index_files(made.open(), "policies")}
    assert listed == {"policies/a": "100644", "policies/link": "120000", "policies/sub": "160000"}


def test_the_sides_of_a_conflict_are_listed_by_stage(made: GitRepository) -> None:
    made.commit_files({PATH: "base"})
    made.branch("side")
    made.commit_files({PATH: "side"})
    made.git("checkout", "-q", "main")
    made.commit_files({PATH: "main"})
    assert made.try_git("merge", "-q", "side").returncode == 1
    assert [file.stage for file in index_files(made.open(), "policies")] == [1, 2, 3]


def test_a_file_only_announced_is_not_staged(made: GitRepository) -> None:
    made.write(PATH, "a")
    made.git("add", "--intent-to-add", PATH)
    made.stage("policies/empty.yaml", "")
    listed = index_files(made.open(), "policies")
    assert [file.path for file in listed] == ["policies/empty.yaml"]


def test_a_subfolder_sees_the_same_index(made: GitRepository) -> None:
    made.stage(PATH, "a")
    below = open_repository(made.path / "policies", made.environ)
    assert index_files(below, "policies") == index_files(made.open(), "policies")


def test_commit_all_shows_the_content_being_committed(made: GitRepository, tmp_path: Path) -> None:
    made.commit_files({PATH: "old"})
    made.write(PATH, "new")
    assert staged_in_hook(made, tmp_path, "-a") == b"new"


def test_commit_file_shows_the_content_being_committed(made: GitRepository, tmp_path: Path) -> None:
    made.commit_files({PATH: "old"})
    made.stage(PATH, "staged")
    made.write(PATH, "new")
    assert staged_in_hook(made, tmp_path, PATH) == b"new"


def test_commit_of_another_file_leaves_out_what_is_merely_staged(
    made: GitRepository, tmp_path: Path
) -> None:
    made.commit_files({PATH: "old", "other": "old"})
    made.stage(PATH, "staged")
    made.write("other", "new")
    assert staged_in_hook(made, tmp_path, "other") == b"old"


def test_a_linked_worktree_shows_its_own_index(made: GitRepository, tmp_path: Path) -> None:
    made.commit_files({PATH: "old"})
    linked = linked_worktree(made, tmp_path / "linked", "side")
    linked.write(PATH, "new")
    assert staged_in_hook(linked, tmp_path, "-a") == b"new"
    assert staged_in_hook(made, tmp_path, "--allow-empty") == b"old"


def test_a_commit_in_a_subfolder_shows_the_content_being_committed(
    made: GitRepository, tmp_path: Path
) -> None:
    made.commit_files({PATH: "old"})
    made.write(PATH, "new")
    below = GitRepository(made.path / "policies", made.environ)
    assert staged_in_hook(below, tmp_path, "-a") == b"new"


def test_paths_are_staged_added_and_deleted(made: GitRepository) -> None:
    made.commit_files({PATH: "a", "policies/gone.yaml": "g"})
    (made.path / "policies/gone.yaml").unlink()
    made.write(PATH, "b")
    made.write("policies/ignored [x].yaml", "i")
    made.write(".gitignore", "*")
    below = open_repository(made.path / "policies", made.environ)
    add(below, [PATH, "policies/gone.yaml", "policies/ignored [x].yaml"])
    with Objects(below) as objects:
        staged = {file.path: objects.blob(file.oid) for file in index_files(below, "policies")}
    assert staged == {PATH: b"b", "policies/ignored [x].yaml": b"i"}


def test_a_locked_index_is_said_to_be_locked(made: GitRepository) -> None:
    made.write(PATH, "a")
    (made.path / ".git/index.lock").touch()
    with pytest.raises(UndecidedError, match=r"index\.lock"):
        add(made.open(), [PATH])


def test_an_unreadable_index_is_undecided(made: GitRepository) -> None:
    made.stage(PATH, "a")
    (made.path / ".git/index").write_bytes(b"junk" * 10)
    with pytest.raises(UndecidedError, match="ls-files"):
        index_files(made.open(), "policies")
