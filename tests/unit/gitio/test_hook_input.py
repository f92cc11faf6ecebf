import sys
from pathlib import Path

import pytest
from agentpolicy.base.errors import UndecidedError
from agentpolicy.gitio.hook_input import RefUpdate, parse_pre_push, parse_pre_receive
from tests.repositories import make_repository, make_server

A, B, ZERO = "a" * 40, "b" * 40, "0" * 40
MAIN = "refs/heads/main"


def test_a_push_moves_the_remote_ref_from_its_id_to_the_local_one() -> None:
    line = f"refs/heads/topic {A} {MAIN} {B}\n".encode()
    assert parse_pre_push(line) == (RefUpdate(MAIN, old=B, new=A),)


def test_the_pushed_expression_may_hold_spaces() -> None:
    line = f"HEAD@{{1 day ago}} {A} {MAIN} {B}\n".encode()
    assert parse_pre_push(line) == (RefUpdate(MAIN, old=B, new=A),)


def test_zero_ids_mean_no_object() -> None:
    data = f"(delete) {ZERO} {MAIN} {B}\nHEAD {A} refs/heads/new {ZERO}\n".encode()
    deleted, created = parse_pre_push(data)
    assert (deleted.old, deleted.new) == (B, None)
    assert (created.old, created.new) == (None, A)


def test_a_received_push_names_old_then_new() -> None:
    data = f"{A} {B} {MAIN}\n{ZERO} {A} refs/heads/new\n".encode()
    assert parse_pre_receive(data) == (
        RefUpdate(MAIN, old=A, new=B),
        RefUpdate("refs/heads/new", old=None, new=A),
    )


def test_sha256_ids_are_read() -> None:
    data = f"{'0' * 64} {'c' * 64} {MAIN}\n".encode()
    assert parse_pre_receive(data) == (RefUpdate(MAIN, old=None, new="c" * 64),)


def test_nothing_pushed_is_no_update() -> None:
    assert parse_pre_push(b"") == parse_pre_receive(b"") == ()


@pytest.mark.parametrize(
    "line",
    [
        "\n",
        f"{A} {B}\n",
        f"{A} {B} {MAIN}",
        f"{A} {'b' * 64} {MAIN}\n",
        f"{A} {B.upper()} {MAIN}\n",
        f"{A} {B} main\n",
    ],
)
def test_a_line_of_another_shape_is_undecided(line: str) -> None:
    with pytest.raises(UndecidedError, match="hook-input"):
        parse_pre_receive(line.encode())
    with pytest.raises(UndecidedError, match="hook-input"):
        parse_pre_push(b"HEAD " + line.encode())


def test_a_received_line_of_four_words_is_undecided() -> None:
    with pytest.raises(UndecidedError, match="hook-input"):
        parse_pre_receive(f"x {A} {B} {MAIN}\n".encode())


def test_what_git_really_says_is_understood(tmp_path: Path) -> None:
    made, server = make_repository(tmp_path / "repo"), make_server(tmp_path / "server.git")
    first, second = made.commit("one"), made.commit("two")
    record = f'#!/bin/sh\nexec "{sys.executable}" -c "{{}}"\n'
    save = "import sys; open({!r}, 'wb').write(sys.stdin.buffer.read())"
    made.hook("pre-push", record.format(save.format(str(tmp_path / "pushed"))))
    server.hook("pre-receive", record.format(save.format(str(tmp_path / "received"))))
    made.git("push", "-q", str(server.path), f"{first}:{MAIN}")
    made.git("push", "-q", str(server.path), f"HEAD:{MAIN}", f"{first}:refs/heads/side")
    moved = {RefUpdate(MAIN, first, second), RefUpdate("refs/heads/side", None, first)}
    assert set(parse_pre_push((tmp_path / "pushed").read_bytes())) == moved
    assert set(parse_pre_receive((tmp_path / "received").read_bytes())) == moved
