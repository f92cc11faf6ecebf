from pathlib import Path

import pytest
from agentpolicy.base.errors import UndecidedError
from agentpolicy.base.instant import Instant
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.raw import Entry
from agentpolicy.gitio.write import write_blob, write_commit, write_tree
from tests.repositories import GitRepository, make_repository


@pytest.fixture(params=["sha1", "sha256"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> GitRepository:
    return make_repository(tmp_path / "repo", object_format=request.param)


@pytest.mark.parametrize("data", [b"", b"a\r\nb\n", b"\0\xff", b"$Id$\n"])
def test_a_blob_is_stored_byte_for_byte_whatever_filters_are_set(
    made: GitRepository, data: bytes
) -> None:
    made.git("config", "core.autocrlf", "input")
    made.write(".gitattributes", "* text eol=lf ident\n")
    with Objects(made.open()) as objects:
        assert objects.blob(write_blob(made.open(), data)) == data


def test_a_tree_is_stored_in_gits_order(made: GitRepository) -> None:
    repository = made.open()
    blob = write_blob(repository, b"x")
    folder = write_tree(repository, [Entry("100644", "x", blob)])
    entries = [
        Entry("040000", "a", folder),
        Entry("100644", "a.b", blob),
        Entry("100755", "line\nbreak", blob),
        Entry("120000", "A", blob),
    ]
    with Objects(repository) as objects:
        stored = objects.tree(write_tree(repository, entries))
    assert [entry.name for entry in stored] == ["A", "a.b", "a", "line\nbreak"]
    assert set(stored) == set(entries)


def test_a_tree_of_missing_objects_is_refused(made: GitRepository) -> None:
    missing = "1" * len(made.git("hash-object", "--stdin"))
    with pytest.raises(UndecidedError, match="mktree"):
        write_tree(made.open(), [Entry("100644", "x", missing)])


def test_a_commit_is_the_tools_own_and_the_same_every_time(made: GitRepository) -> None:
    made.git("config", "user.name", "somebody")
    made.git("config", "i18n.commitEncoding", "latin1")
    made.git("config", "commit.gpgSign", "true")
    repository = made.open()
    tree = write_tree(repository, [])
    first = write_commit(repository, tree, [], "log: é", Instant(1767225600))
    assert write_commit(repository, tree, [], "log: é", Instant(1767225600)) == first
    second = write_commit(repository, tree, [first], "next", Instant(1767225601))
    with Objects(repository) as objects:
        identity = "agentpolicy <agentpolicy@localhost.invalid> 1767225600 +0000"
        expected = f"tree {tree}\nauthor {identity}\ncommitter {identity}\n\nlog: é\n"
        assert objects.commit(first).raw.decode() == expected
        assert objects.commit(second).parents == (first,)
    made.git("fsck", "--strict")


def test_a_commit_of_a_tree_that_is_no_id_is_refused(made: GitRepository) -> None:
    with pytest.raises(UndecidedError, match="hash-object"):
        write_commit(made.open(), "main", [], "x", Instant(0))
