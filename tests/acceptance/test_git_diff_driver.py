"""The diff driver, run by git itself: a log says what a policy change means, whatever it holds."""

import sys
from pathlib import Path

import pytest
from tests.policy_repo import BAND, BAND_PATH, BUDGET, BUDGET_PATH
from tests.repositories import GitRepository, make_repository


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    """A repository whose policy files git shows through the driver."""
    made = make_repository(tmp_path / "repo")
    path = ":".join(sys.path)
    driver = f"PYTHONPATH='{path}' '{sys.executable}' -m agentpolicy git-diff-driver"
    made.git("config", "diff.agentpolicy.command", driver)
    attributes = "policies/**/*.yaml diff=agentpolicy\n"
    made.commit_files({".gitattributes": attributes, BAND_PATH: BAND, BUDGET_PATH: BUDGET})
    return made


def shown(repository: GitRepository, path: str, text: str | bytes) -> str:
    """Commit a file and give what `git log` shows of the commit."""
    repository.commit_files({path: text})
    return repository.git("log", "-p", "--ext-diff", "-1", "--format=%s")


def test_the_meaning_stands_before_the_lines(repository: GitRepository) -> None:
    log = shown(repository, BAND_PATH, BAND.replace("0.92", "0.90"))
    meaning, lines = log.index("agentpolicy: looser"), log.index("@@")
    assert meaning < lines
    assert "loosens  /fields/text_similarity/threshold  0.92 -> 0.9" in log
    assert "a run that was refused can be accepted now" in log
    assert f"--- a/{BAND_PATH}" in log
    assert "-    threshold: 0.92" in log
    assert "+    threshold: 0.90" in log


def test_a_tightening_says_so(repository: GitRepository) -> None:
    log = shown(repository, BUDGET_PATH, BUDGET.replace("soft: 12", "soft: 11"))
    assert "agentpolicy: tighter" in log
    assert "tightens  /budget/steps/soft  12 -> 11" in log


def test_a_new_file_and_a_deleted_one_have_one_side(repository: GitRepository) -> None:
    new = "policies/bands/other.yaml"
    log = shown(repository, new, BAND)
    assert "agentpolicy: looser" in log
    assert "--- /dev/null" in log
    repository.git("rm", "-q", new)
    repository.git("commit", "-q", "-m", "gone")
    log = repository.git("log", "-p", "--ext-diff", "-1")
    assert "document/deleted" in log
    assert "+++ /dev/null" in log


@pytest.mark.parametrize(
    "data",
    [
        b"band_version: 1\nband_version: 2\n",
        b"\xff\xfe\x00 no text at all",
        b"",
        b"not a policy\n",
        b"- a\n- list\n",
        b"band_version: 1\nfields: {text_similarity: {threshold: .nan}}\n",
        b"a: " + b"[" * 5000 + b"\n",
    ],
    ids=["key twice", "no text", "empty", "no policy", "a list", "not a number", "too deep"],
)
def test_a_side_that_cannot_be_read_falls_back_to_lines(
    repository: GitRepository, data: bytes
) -> None:
    log = shown(repository, BAND_PATH, data)
    assert "agentpolicy: unknown: this cannot be classed: " in log
    assert "-    threshold: 0.92" in log
    after = shown(repository, BAND_PATH, BAND)
    assert "agentpolicy: unknown: this cannot be classed: " in after
    assert "+    threshold: 0.92" in after


def test_a_file_without_a_last_line_end_is_shown_as_git_shows_it(
    repository: GitRepository,
) -> None:
    log = shown(repository, BUDGET_PATH, BUDGET.rstrip("\n") + "\n# end")
    assert "\\ No newline at end of file" in log
    assert "says the same" in log


def test_a_whole_history_can_be_shown(repository: GitRepository) -> None:
    for threshold in ("0.93", "0.90", "many"):
        repository.commit_files({BAND_PATH: BAND.replace("0.92", threshold)})
    log = repository.git("log", "-p", "--ext-diff", "--reverse")
    assert [line for line in log.splitlines() if line.startswith("agentpolicy: ")][-1].startswith(
        "agentpolicy: unknown"
    )
    assert "agentpolicy: tighter" in log
    assert "agentpolicy: looser" in log


def test_a_file_in_conflict_stays_visible(repository: GitRepository) -> None:
    repository.git("switch", "-q", "-c", "other")
    repository.commit_files({BAND_PATH: BAND.replace("0.92", "0.95")})
    repository.git("switch", "-q", "-")
    repository.commit_files({BAND_PATH: BAND.replace("0.92", "0.90")})
    repository.try_git("merge", "other")
    done = repository.try_git("diff", "--ext-diff")
    assert done.returncode == 0, done.stderr
    assert BAND_PATH in done.stdout.decode()


def test_lines_are_those_that_git_itself_would_show(repository: GitRepository) -> None:
    log = shown(repository, BAND_PATH, BAND.replace("0.92", "0.90"))
    plain = repository.git("show", "--no-ext-diff", "--format=")
    ours, gits = (
        [line for line in text.splitlines() if line[:1] in ("+", "-")] for text in (log, plain)
    )
    assert ours == gits
