import pytest
from agentpolicy.gitio.raw import Entry, object_id, parse_commit, parse_tree
from hypothesis import given
from hypothesis import strategies as st

ID = "1" * 40
BLOB = bytes.fromhex(ID)


def test_the_empty_blob_has_the_name_git_gives_it() -> None:
    assert object_id("blob", b"", "sha1") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert object_id("blob", b"", "sha256").startswith("473a0f4c3be8a93681a267e3b1e9a7dc")


def test_parents_are_read_in_the_order_written() -> None:
    parents = ["2" * 40, "3" * 40]
    raw = f"tree {ID}\nparent {parents[0]}\nparent {parents[1]}\nauthor a\n\nparent {ID}\n"
    commit = parse_commit(ID, raw.encode(), "sha1")
    assert (commit.tree, commit.parents) == (ID, tuple(parents))


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"author a\n\n",
        b"parent " + ID.encode() + b"\n\n",
        b"tree 123\n\n",
        b"tree " + ID.upper().replace("1", "A").encode() + b"\n\n",
        b"tree " + ID.encode() + b"\nparent short\n\n",
    ],
)
def test_a_commit_that_does_not_start_with_tree_and_parents_is_refused(raw: bytes) -> None:
    with pytest.raises(ValueError, match="header"):
        parse_commit(ID, raw, "sha1")


def test_names_that_are_not_utf8_are_kept() -> None:
    (entry,) = parse_tree(b"100644 \xff\0" + BLOB, "sha1")
    assert entry == Entry("100644", "\udcff", ID)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"100644 a\0" + BLOB[:-1], "cut short"),
        (b"100644 a", "cut short"),
        (b"100644", "cut short"),
        (b"100644 a/b\0" + BLOB, "impossible name"),
        (b"100644 \0" + BLOB, "impossible name"),
        (b"40000 ..\0" + BLOB, "impossible name"),
        (b"100644 a\0" + BLOB + b"100644 a\0" + BLOB, "twice"),
        (b"100644 b\0" + BLOB + b"100644 a\0" + BLOB, "out of order"),
        (b"100644 a\0" + BLOB + b"100644 a.b\0" + BLOB + b"40000 a\0" + BLOB, "twice"),
        (b"040000 a\0" + BLOB, "impossible mode"),
        (b"1006449 a\0" + BLOB, "impossible mode"),
        (b"x a\0" + BLOB, "impossible mode"),
    ],
)
def test_a_tree_that_could_be_read_in_two_ways_is_refused(raw: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_tree(raw, "sha1")


@given(st.binary(max_size=200))
def test_no_bytes_crash_the_tree_reader(raw: bytes) -> None:
    try:
        entries = parse_tree(raw, "sha1")
    except ValueError:
        return
    assert sum(len(entry.name) for entry in entries) <= len(raw)
