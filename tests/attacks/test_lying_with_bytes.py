"""Attacks with bytes that people and machines read differently."""

from pathlib import Path

import pytest
from tests.policy_repo import BAND, BAND_PATH, PolicyRepo, begin, serve


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


@pytest.mark.attack("D1", "push")
def test_d01_a_sneaked_lie_cannot_be_pushed(made: PolicyRepo, tmp_path: Path) -> None:
    serve(made, tmp_path / "server.git")
    made.repo.write(BAND_PATH, STRUCTURE["duplicate key"])
    made.sneak()
    pushed = made.repo.try_git("push", "-q", "--no-verify", "origin", "main")
    assert pushed.returncode != 0
    assert b"threshold" in pushed.stderr
