import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from agentpolicy.base.errors import UndecidedError
from agentpolicy.gitio import objects as module
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.raw import SUBMODULE, SYMLINK, Entry, File, object_id
from agentpolicy.gitio.write import write_tree
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.repositories import GitRepository, clone, make_repository


@pytest.fixture(params=["sha1", "sha256"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> GitRepository:
    return make_repository(tmp_path / "repo", object_format=request.param)


@pytest.fixture
def simple(tmp_path: Path) -> GitRepository:
    return make_repository(tmp_path / "repo")


@pytest.fixture
def objects(made: GitRepository) -> Iterator[Objects]:
    with Objects(made.open()) as reader:
        yield reader


def loose_path(repository: GitRepository, oid: str) -> Path:
    return repository.path / ".git/objects" / oid[:2] / oid[2:]


def overwrite(path: Path, data: bytes) -> None:
    path.chmod(0o644)
    path.write_bytes(data)


def test_a_blob_comes_back_byte_for_byte(made: GitRepository, objects: Objects) -> None:
    data = b"a\0b\r\n\n"
    oid = made.git("hash-object", "-w", "--stdin", stdin=data)
    assert objects.read(oid) == ("blob", data)
    assert objects.blob(oid) == data


def test_a_commit_is_read_with_tree_and_parents(made: GitRepository, objects: Objects) -> None:
    first, second = made.commit("one"), made.commit("two")
    commit = objects.commit(second)
    assert (commit.oid, commit.parents) == (second, (first,))
    assert commit.tree == made.oid("HEAD^{tree}")
    assert commit.raw.endswith(b"\n\ntwo\n")


def test_a_walk_lists_every_leaf_links_and_submodules_too(
    made: GitRepository, objects: Objects
) -> None:
    made.write("policies/b/x.yaml", "x")
    made.write("policies/b.yaml", "y")
    (made.path / "policies/link").symlink_to("b.yaml")
    made.git("add", "-A")
    head = made.commit()
    made.git("update-index", "--add", "--cacheinfo", f"160000,{head},policies/sub")
    made.commit()
    tree = objects.entry_at(objects.commit(made.oid("HEAD")).tree, "policies")
    assert tree is not None
    listed = list(objects.walk(tree.oid, "policies"))
    assert [(file.path, file.mode) for file in listed] == [
        ("policies/b.yaml", "100644"),
        ("policies/b/x.yaml", "100644"),
        ("policies/link", SYMLINK),
        ("policies/sub", SUBMODULE),
    ]
    assert listed[0] == File("policies/b.yaml", "100644", made.oid("HEAD:policies/b.yaml"))


_NAME = st.text("ab.-/ é\n", min_size=1, max_size=6).filter(
    lambda name: all(part not in {"", ".", ".."} for part in name.split("/"))
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> GitRepository:
    return make_repository(tmp_path_factory.mktemp("shared") / "repo")


@settings(max_examples=25, deadline=None)
@given(paths=st.sets(_NAME, min_size=1, max_size=12))
def test_a_walk_lists_exactly_what_git_lists(shared: GitRepository, paths: set[str]) -> None:
    oid = shared.git("hash-object", "-w", "--stdin", stdin=b"x")
    shared.git("read-tree", "--empty")
    lines = "".join(f"100644 {oid}\t{path}\0" for path in sorted(paths))
    shared.git("update-index", "--replace", "-z", "--index-info", stdin=lines.encode())
    tree = shared.git("write-tree")
    listed = shared.git("ls-tree", "-r", "-z", "--full-tree", tree).split("\0")[:-1]
    with Objects(shared.open()) as reader:
        ours = [f"{file.mode} blob {file.oid}\t{file.path}" for file in reader.walk(tree)]
    assert ours == listed


def test_prefetching_changes_no_answer(made: GitRepository, objects: Objects) -> None:
    trees = []
    for number in range(3):
        made.commit_files({f"policies/{number}": "x"})
        trees.append(made.oid("HEAD^{tree}"))
    one_by_one = [objects.tree(oid) for oid in trees]
    with Objects(made.open()) as ahead:
        ahead.prefetch_trees(trees + trees)
        ahead.prefetch_folders(trees)
        assert [ahead.tree(oid) for oid in trees] == one_by_one


def test_an_entry_is_found_by_its_exact_path(made: GitRepository, objects: Objects) -> None:
    made.commit_files({"policies/bands/a.yaml": "a"})
    root = made.oid("HEAD^{tree}")
    found = objects.entry_at(root, "policies/bands/a.yaml")
    assert found == Entry("100644", "a.yaml", made.oid("HEAD:policies/bands/a.yaml"))
    for absent in ("policies/bands/A.yaml", "policies/a", "policies/bands/a.yaml/x", "x/y", ""):
        assert objects.entry_at(root, absent) is None


def test_a_name_that_is_not_utf8_is_listed_not_lost(made: GitRepository, objects: Objects) -> None:
    blob = made.git("hash-object", "-w", "--stdin", stdin=b"x")
    tree = write_tree(made.open(), [Entry("100644", "b\udcff.yaml", blob)])
    assert [file.path for file in objects.walk(tree, "p")] == ["p/b\udcff.yaml"]


def test_many_objects_come_back_in_the_order_asked(made: GitRepository, objects: Objects) -> None:
    data = [b"%d" % number * 1000 for number in range(300)]
    made.path.joinpath("many").mkdir()
    for number, content in enumerate(data):
        made.write(f"many/{number}", content)
    paths = "\n".join(f"many/{number}" for number in range(300)).encode()
    oids = made.git("hash-object", "-w", "--stdin-paths", stdin=paths).split()
    assert list(objects.read_many(oids)) == [("blob", content) for content in data]
    assert list(objects.blobs(reversed(oids))) == data[::-1]


def test_objects_larger_than_a_pipe_do_not_jam_it(made: GitRepository, objects: Objects) -> None:
    data = [bytes([number]) * 300_000 for number in range(5)]
    oids = [made.git("hash-object", "-w", "--stdin", stdin=content) for content in data]
    assert list(objects.blobs(oids * 2)) == data * 2


def test_a_file_beyond_the_limit_is_verified_but_not_kept(
    made: GitRepository, objects: Objects
) -> None:
    oid = made.git("hash-object", "-w", "--stdin", stdin=b"x" * 3_000_000)
    assert objects.blob(oid, limit=10) == b"x" * 11
    assert objects.blob(oid, limit=3_000_000) == b"x" * 3_000_000
    assert objects.read(oid)[0] == "blob"


def test_small_files_are_read_once_and_large_ones_every_time(
    made: GitRepository, objects: Objects
) -> None:
    contents = [b"band", b"x" * (1 << 17), b"budget", b"band"]
    oids = [made.git("hash-object", "-w", "--stdin", stdin=data) for data in contents]
    assert objects.documents(oids, 1 << 20) == tuple(contents)
    for oid in set(oids):
        loose_path(made, oid).unlink()
    assert objects.documents([oids[2], oids[0]], 1 << 20) == (b"budget", b"band")
    with pytest.raises(UndecidedError, match="object-missing"):
        objects.documents(oids, 1 << 20)


@pytest.mark.parametrize("limits", [(2, 9), (9, 2)])
def test_what_was_cut_is_never_taken_for_the_whole(
    made: GitRepository, objects: Objects, limits: tuple[int, int]
) -> None:
    oid = made.git("hash-object", "-w", "--stdin", stdin=b"12345")
    for limit in limits:
        assert objects.documents([oid], limit) == (b"12345"[: limit + 1],)


def test_kept_files_take_no_more_room_than_they_may(
    made: GitRepository, objects: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(objects, "_room", 8)
    oids = [made.git("hash-object", "-w", "--stdin", stdin=f"file{n}".encode()) for n in range(3)]
    for _ in range(2):
        assert objects.documents(oids, 9) == (b"file0", b"file1", b"file2")
    assert list(objects._blobs) == oids[:1]


def test_a_missing_object_is_named_and_the_next_read_still_works(
    made: GitRepository, objects: Objects
) -> None:
    there = made.git("hash-object", "-w", "--stdin", stdin=b"x")
    gone = object_id("blob", b"gone", made.open().object_format)
    with pytest.raises(UndecidedError) as caught:
        list(objects.read_many([there, gone, there]))
    assert caught.value.problems[0].code == "object-missing"
    assert gone in caught.value.problems[0].message
    assert objects.blob(there) == b"x"


@pytest.mark.parametrize("name", ["HEAD", "main", "", "1234567", "A" * 40, "1" * 39 + "\n"])
def test_only_full_ids_are_asked_for(simple: GitRepository, name: str) -> None:
    simple.commit()
    with Objects(simple.open()) as reader, pytest.raises(UndecidedError, match="object-name"):
        reader.read(name)


def test_an_object_of_another_type_is_refused(made: GitRepository, objects: Objects) -> None:
    commit = made.commit()
    with pytest.raises(UndecidedError, match="object-type"):
        objects.tree(commit)
    with pytest.raises(UndecidedError, match="object-type"):
        objects.commit(made.oid("HEAD^{tree}"))
    with pytest.raises(UndecidedError, match="object-type"):
        objects.blob(commit)


def test_bytes_stored_under_another_objects_name_are_refused(
    made: GitRepository, objects: Objects
) -> None:
    honest = made.git("hash-object", "-w", "--stdin", stdin=b"threshold: 0.92")
    overwrite(loose_path(made, honest), zlib.compress(b"blob 15\0threshold: 0.10"))
    with pytest.raises(UndecidedError, match="object-corrupt"):
        objects.read(honest)


def test_a_damaged_object_is_refused_not_skipped(made: GitRepository, objects: Objects) -> None:
    oid = made.git("hash-object", "-w", "--stdin", stdin=b"x" * 100_000)
    good = made.git("hash-object", "-w", "--stdin", stdin=b"good")
    overwrite(loose_path(made, oid), loose_path(made, oid).read_bytes()[:40])
    with pytest.raises(UndecidedError) as caught:
        objects.read(oid)
    assert caught.value.problems[0].hint == "git fsck --full"
    assert objects.blob(good) == b"good"


def test_a_malformed_tree_is_refused(made: GitRepository, objects: Objects) -> None:
    width = 20 if made.open().object_format == "sha1" else 32
    raw = b"100644 policies/roles.yaml\0" + b"\1" * width
    write = ("hash-object", "-t", "tree", "-w", "--stdin", "--literally")
    oid = made.git(*write, stdin=raw)
    with pytest.raises(UndecidedError, match="impossible name"):
        objects.tree(oid)


def test_refs_replace_changes_nothing(made: GitRepository, objects: Objects) -> None:
    honest = made.commit_files({"policies/a.yaml": "strict"})
    made.commit_files({"policies/a.yaml": "loose"})
    tree = objects.commit(honest).tree
    made.git("replace", honest, "HEAD")
    made.git("replace", made.oid(f"{tree}"), made.oid("HEAD^{tree}"))
    with Objects(made.open()) as fresh:
        assert fresh.commit(honest).tree == tree
        entry = fresh.entry_at(tree, "policies/a.yaml")
        assert entry is not None
        assert fresh.blob(entry.oid) == b"strict"


def test_grafts_change_no_parents(made: GitRepository, objects: Objects) -> None:
    first, second, third = (made.commit(name) for name in ("one", "two", "three"))
    made.path.joinpath(".git/info").mkdir(exist_ok=True)
    made.path.joinpath(".git/info/grafts").write_text(f"{third} {first}\n")
    chain = objects.first_parents(third)
    assert chain is not None
    assert [commit.oid for commit in chain] == [third, second, first]


def test_first_parents_stop_short_of_the_commit_named(
    made: GitRepository, objects: Objects
) -> None:
    first, second, third = (made.commit(name) for name in ("one", "two", "three"))
    chain = objects.first_parents(third, first)
    assert chain is not None
    assert [commit.oid for commit in chain] == [third, second]
    assert objects.first_parents(first, first) == ()


def test_a_second_parent_is_not_on_the_chain(made: GitRepository, objects: Objects) -> None:
    made.commit("base")
    made.branch("side")
    side = made.commit("side")
    made.git("checkout", "-q", "main")
    made.commit("main")
    made.git("merge", "-q", "--no-ff", "--no-edit", "side")
    assert objects.first_parents(made.oid("HEAD"), side) is None


def test_a_long_chain_is_read_in_bulk_and_comes_out_whole(simple: GitRepository) -> None:
    stream = b"".join(
        b"commit refs/heads/main\ncommitter a <a@b> %d +0000\ndata 1\nx\n" % number
        for number in range(300)
    )
    simple.git("fast-import", "--quiet", stdin=stream)
    expected = simple.git("rev-list", "--first-parent", "main").split()
    with Objects(simple.open()) as reader:
        chain = reader.first_parents(expected[0])
        assert chain is not None
        assert [commit.oid for commit in chain] == expected
        cut = reader.first_parents(expected[0], expected[250])
        assert cut is not None
        assert len(cut) == 250


def test_history_cut_by_a_shallow_clone_is_undecided(simple: GitRepository, tmp_path: Path) -> None:
    first, second, tip = (simple.commit(name) for name in ("one", "two", "three"))
    cut = clone(simple, tmp_path / "cut", "--depth=1")
    with Objects(cut.open()) as reader, pytest.raises(UndecidedError) as caught:
        reader.first_parents(tip, first)
    assert second in caught.value.problems[0].message
    assert caught.value.problems[0].code == "object-missing"
    assert caught.value.problems[0].hint == "git fetch --unshallow"


def test_a_walk_over_trees_that_multiply_ends(
    simple: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_ENTRIES", 10_000)
    repository = simple.open()
    tree = write_tree(repository, [])
    for _ in range(10):
        tree = write_tree(repository, [Entry("040000", f"{n}", tree) for n in range(10)])
    with Objects(repository) as reader, pytest.raises(UndecidedError, match="tree-too-large"):
        list(reader.walk(tree))


def test_a_deep_tree_does_not_exhaust_the_stack(simple: GitRepository) -> None:
    repository = simple.open()
    stream = b"commit refs/heads/deep\ncommitter a <a@b> 0 +0000\ndata 0\nM 100644 inline "
    stream += b"a/" * 1500 + b"f\ndata 1\nx\n"
    simple.git("fast-import", "--quiet", stdin=stream)
    with Objects(repository) as reader:
        (leaf,) = reader.walk(simple.oid("refs/heads/deep^{tree}"))
        assert leaf.path == "a/" * 1500 + "f"


def test_no_git_is_left_running(made: GitRepository) -> None:
    blob = made.git("hash-object", "-w", "--stdin", stdin=b"x")
    with Objects(made.open()) as reader:
        reader.read(blob)
        process = reader._batch._process
        assert process is not None
        assert process.poll() is None
    assert process.returncode is not None
