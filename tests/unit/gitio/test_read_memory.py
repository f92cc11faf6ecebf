"""What was read without fault is remembered whole or not at all."""

import os
from pathlib import Path

import pytest
from agentpolicy.gitio import read_memory
from agentpolicy.gitio.read_memory import ReadMemory
from agentpolicy.gitio.repository import Repository
from tests.repositories import make_repository

PATH, OID = "policies/bands/a.yaml", "1" * 40


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return make_repository(tmp_path / "repo").open()


def place(repository: Repository) -> Path:
    return repository.common_dir / "agentpolicy" / "read-without-fault"


def remember(repository: Repository, *oids: str, reading: str = "r1") -> None:
    memory = ReadMemory(repository, reading)
    for oid in oids:
        memory.note(PATH, oid)
    memory.keep()


def test_what_was_noted_and_kept_is_known_next_time(repository: Repository) -> None:
    remember(repository, OID)
    memory = ReadMemory(repository, "r1")
    assert memory.knows(PATH, OID)
    assert not memory.knows(PATH, "2" * 40)
    assert not memory.knows("policies/bands/b.yaml", OID)


def test_what_was_not_kept_is_not_known(repository: Repository) -> None:
    ReadMemory(repository, "r1").note(PATH, OID)
    assert not ReadMemory(repository, "r1").knows(PATH, OID)
    assert not place(repository).exists()


def test_another_way_of_reading_knows_nothing_of_it(repository: Repository) -> None:
    remember(repository, OID)
    assert not ReadMemory(repository, "r2").knows(PATH, OID)


@pytest.mark.parametrize("cut", [1, 30, 80])
def test_a_damaged_file_is_no_memory(repository: Repository, cut: int) -> None:
    remember(repository, OID)
    place(repository).write_bytes(place(repository).read_bytes()[:-cut])
    assert not ReadMemory(repository, "r1").knows(PATH, OID)


def test_what_is_no_plain_file_is_no_memory_and_is_not_waited_for(repository: Repository) -> None:
    place(repository).parent.mkdir()
    os.mkfifo(place(repository))
    assert not ReadMemory(repository, "r1").knows(PATH, OID)


def test_a_link_is_replaced_and_what_it_points_to_stays(
    repository: Repository, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"kept")
    place(repository).parent.mkdir()
    place(repository).symlink_to(other)
    remember(repository, OID)
    assert other.read_bytes() == b"kept"
    assert ReadMemory(repository, "r1").knows(PATH, OID)


def test_a_file_that_is_too_large_is_not_read(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(repository, OID)
    monkeypatch.setattr(read_memory, "MOST_BYTES", 100)
    assert not ReadMemory(repository, "r1").knows(PATH, OID)


def test_it_never_grows_beyond_its_bound(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_memory, "MOST_LINES", 2)
    remember(repository, "1" * 40, "2" * 40)
    remember(repository, "3" * 40)
    memory = ReadMemory(repository, "r1")
    assert [memory.knows(PATH, oid * 40) for oid in "123"] == [False, False, True]
    remember(repository, "4" * 40, "5" * 40, "6" * 40)
    assert not ReadMemory(repository, "r1").knows(PATH, "4" * 40)


def test_where_nothing_can_be_written_nothing_is_remembered(repository: Repository) -> None:
    place(repository).parent.write_bytes(b"a file where the folder belongs")
    remember(repository, OID)
    assert not ReadMemory(repository, "r1").knows(PATH, OID)


def test_nothing_is_left_beside_it(repository: Repository) -> None:
    remember(repository, OID)
    remember(repository, "2" * 40)
    assert list(place(repository).parent.iterdir()) == [place(repository)]
