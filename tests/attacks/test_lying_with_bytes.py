"""Attacks with bytes that people and machines read differently."""

import time
from pathlib import Path

import pytest
from tests.attacks.roads import refused_after_commit, refused_everywhere
from tests.policy_repo import BAND, BAND_PATH, PolicyRepo, begin, serve
from tests.repositories import GitRepository


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    return begin(tmp_path / "repo")


STRUCTURE = {
    "duplicate key": BAND.replace(
        "    threshold: 0.92\n", "    threshold: 0.92\n    threshold: 0.10\n"
    ),
    "anchor": BAND.replace("threshold: 0.92", "threshold: &t 0.92"),
    "merge key": BAND.replace("  required_keys: exact\n", "  <<: {required_keys: exact}\n"),
    "tag": BAND.replace("threshold: 0.92", "threshold: !!float 0.92"),
    "directive": "%YAML 1.1\n---\n" + BAND,
    "two documents": BAND + "---\n" + BAND,
}
NUMBERS = (".nan", ".inf", "1e400", "9007199254740993", "1_000", "0x10", "010", "1:30", "yes")
LOOK_ALIKES: dict[str, bytes] = {
    "zero-width": BAND.replace("required_keys", "required\u200b_keys").encode(),
    "bidi": BAND.replace("approved_by: ", "approved_by: \u202e").encode(),
    "not composed": BAND.replace("platform-owner", "ame\u0301lie").encode(),
    "escaped zero-width": BAND.replace("platform-owner", '"plat\\u200bform"').encode(),
    "byte order mark": b"\xef\xbb\xbf" + BAND.encode(),
    "carriage return": BAND.replace("\n", "\r\n").encode(),
    "utf-16": BAND.encode("utf-16"),
    "not utf-8": BAND.replace("platform-owner", "am\u00e9lie").encode("latin-1"),
    "null byte": BAND.replace("platform-owner", "a\0b").encode(),
}
BOMBS: dict[str, bytes] = {
    "aliases": "\n".join(
        ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40))]
    ).encode(),
    "deep": b"fields: " + b"[" * 10_000 + b"]" * 10_000 + b"\n",
    "deep by indentation": b"".join(b" " * n + b"a:\n" for n in range(700)),
    "long": BAND.encode() + b"#" * (100 << 20) + b"\n",
}


@pytest.mark.attack("D1", "commit")
@pytest.mark.parametrize("lie", STRUCTURE)
def test_d01_structure_that_hides_a_value_is_refused_with_its_position(
    made: PolicyRepo, lie: str
) -> None:
    made.repo.write(BAND_PATH, STRUCTURE[lie])
    committed = made.commit("lie")
    assert committed.code != 0
    assert f"{BAND_PATH}:" in committed.err


@pytest.mark.attack("D2", "commit")
@pytest.mark.parametrize("number", NUMBERS)
def test_d02_a_number_in_disguise_is_refused_with_its_position(
    made: PolicyRepo, number: str
) -> None:
    made.edit(BAND_PATH, "threshold: 0.92", f"threshold: {number}")
    committed = made.commit("lie")
    assert committed.code != 0
    assert f"{BAND_PATH}:6:16:" in committed.err


@pytest.mark.attack("D3", "commit")
@pytest.mark.parametrize("lie", LOOK_ALIKES)
def test_d03_characters_that_look_alike_or_hide_are_refused_with_their_position(
    made: PolicyRepo, lie: str
) -> None:
    made.repo.write(BAND_PATH, LOOK_ALIKES[lie])
    committed = made.commit("lie")
    assert committed.code != 0
    assert f"{BAND_PATH}:" in committed.err


@pytest.mark.attack("D1", "check", "pre-push", "push", "gate")
@pytest.mark.attack("D2", "check", "pre-push", "push", "gate")
@pytest.mark.attack("D3", "check", "pre-push", "push", "gate")
@pytest.mark.parametrize(
    "data",
    [
        STRUCTURE["duplicate key"].encode(),
        BAND.replace("threshold: 0.92", "threshold: 1_000").encode(),
        LOOK_ALIKES["zero-width"],
    ],
)
def test_d01_to_d03_a_sneaked_lie_is_refused_by_every_road(
    made: PolicyRepo, tmp_path: Path, data: bytes
) -> None:
    serve(made, tmp_path / "server.git")
    before = made.head
    made.repo.write(BAND_PATH, data)
    made.sneak()
    refused_after_commit(made, tmp_path, before, check=(2,))


PATHS = (
    "policies/bands/Refund-Agent.yaml",
    "Policies/bands/other.yaml",
    "policies/Tools.yaml",
    "policies/bands/caf\u00e9.yaml",
    "policies/bands/a\tb.yaml",
    "policies/bands/a\nb.yaml",
    "policies/bands/a b.yaml",
    "policies/bands/.hidden.yaml",
    "policies/bands/deeper/x.yaml",
    "policies/x.yaml",
    "policies/bands/x.yml",
)


@pytest.mark.attack("D4", "commit")
@pytest.mark.parametrize("path", PATHS)
def test_d04_a_path_that_cannot_be_told_apart_or_typed_is_refused_and_never_skipped(
    made: PolicyRepo, path: str
) -> None:
    made.repo.write(path, BAND)
    committed = made.commit("lie")
    assert committed.code != 0
    name = path.rpartition("/")[2].partition(".")[0]
    shown = "".join(char for char in name if char.isascii() and char.isalpha())
    assert all(char in committed.err for char in shown)


@pytest.mark.attack("D4", "commit", "check", "pre-push", "push", "gate")
@pytest.mark.parametrize("path", [PATHS[0], PATHS[1], PATHS[5]])
def test_d04_a_sneaked_path_is_refused_by_every_road(
    made: PolicyRepo, tmp_path: Path, path: str
) -> None:
    made.repo.write(path, BAND)
    made.sign()
    made.approve("pat")
    refused_everywhere(made, tmp_path, check=(2,))


@pytest.mark.attack("D6", "commit", "check", "pre-push", "push", "gate")
@pytest.mark.parametrize("bomb", BOMBS)
def test_d06_a_bomb_is_refused_quickly_in_little_memory(
    made: PolicyRepo, tmp_path: Path, bomb: str
) -> None:
    serve(made, tmp_path / "server.git")
    before = made.head
    made.repo.write(BAND_PATH, BOMBS[bomb])
    made.repo.git("add", "-A")
    begun = time.monotonic()
    hook = made.path / ".git/hooks/pre-commit"
    bounded = f"ulimit -v 500000; exec '{hook}'"
    shell = GitRepository(made.path, made.repo.environ)
    committed = shell.try_git("-c", f"alias.bounded=!{bounded}", "bounded")
    assert committed.returncode == 1, committed
    assert BAND_PATH.encode() in committed.stderr
    assert len(committed.stderr) < 10_000
    assert time.monotonic() - begun < 10
    made.sneak()
    refused_after_commit(made, tmp_path, before, check=(2,))
