"""The driver answers whatever happens: git takes a failure of it for the end of a log."""

from pathlib import Path

import pytest
from agentpolicy.workflows import git_diff_driver
from agentpolicy.workflows.git_diff_driver import NOTHING, Sides, driver_text

PATH = "policies/bands/agent.yaml"
BAND = "band_version: 1\nfields:\n  text_similarity: {{threshold: {}}}\n"


def sides(folder: Path, old: str = "0.9", new: str = "0.8") -> Sides:
    files = folder / "old", folder / "new"
    for file, threshold in zip(files, (old, new), strict=True):
        file.write_text(BAND.format(threshold))
    return Sides(PATH, *files)


def test_a_bug_is_named_and_the_lines_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(git_diff_driver, "classify", broken)
    text = driver_text(sides(tmp_path))
    assert "agentpolicy: unknown: this could not be classed (ZeroDivisionError)" in text
    assert "+  text_similarity: {threshold: 0.8}" in text


def test_a_file_that_cannot_be_opened_is_shown_as_empty(tmp_path: Path) -> None:
    there = sides(tmp_path)
    text = driver_text(Sides(PATH, tmp_path / "gone", there.new))
    assert "agentpolicy: unknown: " in text
    assert "+band_version: 1" in text


def test_a_side_that_is_not_there_is_named_as_git_names_it(tmp_path: Path) -> None:
    there = sides(tmp_path)
    text = driver_text(Sides(PATH, Path(NOTHING), there.new))
    assert "agentpolicy: looser" in text
    assert "--- /dev/null" in text


def test_a_renamed_file_is_read_under_both_its_names(tmp_path: Path) -> None:
    there = sides(tmp_path, "0.9", "0.9")
    text = driver_text(Sides(PATH, there.old, there.new, "policies/bands/other.yaml"))
    assert text.startswith(f"diff --git a/{PATH} b/policies/bands/other.yaml")
    assert "document/deleted" in text
    assert "document/added" in text


def test_the_same_bytes_on_both_sides_mean_nothing(tmp_path: Path) -> None:
    assert driver_text(sides(tmp_path, "0.9", "0.9")) == (
        f"diff --git a/{PATH} b/{PATH}\nagentpolicy: neutral\n"
    )
