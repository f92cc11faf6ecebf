"""`diff` remembers what it read without fault; that spares time and changes no answer."""

import json
import shutil
from pathlib import Path

import pytest
from agentpolicy.base.instant import Instant, day_of, start_of
from agentpolicy.documents.document import Document
from agentpolicy.gitio.answer_memory import Answer, AnswerMemory
from agentpolicy.gitio.read_memory import ReadMemory
from agentpolicy.loading.document import read_document
from agentpolicy.loading.reading_digest import reading_digest
from agentpolicy.workflows.diff import diff_commits
from agentpolicy.workflows.diff_answers import answers_about
from tests.policy_repo import (
    BAND,
    BAND_PATH,
    BUDGET,
    BUDGET_PATH,
    TOOLS,
    TOOLS_PATH,
    PolicyRepo,
)
from tests.repositories import make_repository

AT = Instant(1_775_000_000)
OTHER_BAND = "policies/bands/other-agent.yaml"
BROKEN = BAND.replace("band_version: 1", "band_version: yes")


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    """Two commits: one band tightened, another, the budget and the tools left alone."""
    repo = make_repository(tmp_path / "repo")
    repo.commit_files({BAND_PATH: BAND, OTHER_BAND: BAND, BUDGET_PATH: BUDGET, TOOLS_PATH: TOOLS})
    repo.commit_files({BAND_PATH: BAND.replace("max: 1.4", "max: 1.3")})
    return PolicyRepo(repo)


def memory_of(made: PolicyRepo) -> Path:
    return made.path / ".git" / "agentpolicy" / "read-without-fault"


def answers_of(made: PolicyRepo) -> Path:
    return made.path / ".git" / "agentpolicy" / "answers"


def pretend(made: PolicyRepo, *paths: str, revision: str = "HEAD") -> None:
    """Write what a liar would: that these files were read without fault; drop every answer."""
    shutil.rmtree(answers_of(made), ignore_errors=True)
    memory = ReadMemory(made.repo.open(), reading_digest())
    for path in paths:
        memory.note(path, made.repo.oid(f"{revision}:{path}"))
    memory.keep()


@pytest.mark.parametrize("form", ["json", "text"])
def test_the_second_time_says_what_the_first_did(made: PolicyRepo, form: str) -> None:
    asked = ("diff", "HEAD~1", "HEAD", "--format", form)
    first, second = made.run(*asked), made.run(*asked)
    assert memory_of(made).is_file()
    assert (first.code, first.out, first.err) == (second.code, second.out, second.err)
    shutil.rmtree(answers_of(made))
    assert made.run(*asked).out == first.out
    shutil.rmtree(answers_of(made).parent)
    assert made.run(*asked).out == first.out


def test_the_second_time_reads_only_what_changed(
    made: PolicyRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the budgets, since two of them may not share one pair."""
    repository = made.repo.open()
    diff_commits(repository, "HEAD~1", "HEAD", AT)
    read: list[str] = []

    def watched(path: str, data: bytes) -> Document:
        read.append(path)
        return read_document(path, data)

    monkeypatch.setattr("agentpolicy.workflows.recalled_snapshots.read_document", watched)
    monkeypatch.setattr("agentpolicy.loading.snapshot.read_document", watched)
    diff_commits(repository, "HEAD~1", "HEAD", AT)
    assert sorted(set(read) - {TOOLS_PATH}) == [BAND_PATH, BUDGET_PATH]
    assert OTHER_BAND not in read


def test_a_new_fault_is_found_beside_what_is_remembered(made: PolicyRepo) -> None:
    made.run("diff", "HEAD~1", "HEAD")
    made.repo.commit_files({OTHER_BAND: BROKEN})
    found = made.run("diff", "HEAD~1", "HEAD")
    assert found.code == 2
    assert f"{OTHER_BAND}:1:15" in found.err
    assert made.run("diff", "HEAD~1", "HEAD").code == 2


def test_a_name_collision_is_found_beside_what_is_remembered(made: PolicyRepo) -> None:
    made.run("diff", "HEAD~1", "HEAD")
    made.repo.commit_files({OTHER_BAND.replace("other", "Other"): BAND})
    found = made.run("diff", "HEAD~1", "HEAD")
    assert found.code == 2
    assert "name-collision" in found.err


def test_a_second_budget_for_a_pair_is_found_beside_what_is_remembered(made: PolicyRepo) -> None:
    made.run("diff", "HEAD~1", "HEAD")
    made.repo.commit_files({"policies/budgets/twin.yaml": BUDGET})
    found = made.run("diff", "HEAD~1", "HEAD")
    assert "budget-pair-taken" in found.err


def test_a_lie_about_a_changed_document_is_found_out(made: PolicyRepo) -> None:
    made.repo.commit_files({OTHER_BAND: BROKEN})
    honest = made.run("diff", "HEAD~1", "HEAD")
    pretend(made, OTHER_BAND)
    found = made.run("diff", "HEAD~1", "HEAD")
    assert (found.code, found.err) == (honest.code, honest.err) == (2, honest.err)


def test_a_lie_about_a_document_cannot_change_what_it_says(made: PolicyRepo) -> None:
    asked = ("diff", "HEAD~1", "HEAD", "--format", "json")
    honest = json.loads(made.run(*asked).out)
    pretend(made, BAND_PATH, OTHER_BAND, BUDGET_PATH, TOOLS_PATH)
    pretend(made, BAND_PATH, revision="HEAD~1")
    assert json.loads(made.run(*asked).out) == honest


def test_the_same_question_is_answered_without_reading_a_document(made: PolicyRepo) -> None:
    """Were one read, the forged complaint-free answer would not come back."""
    asked = ("diff", "HEAD~1", "HEAD")
    first = made.run(*asked)
    (kept,) = answers_of(made).iterdir()
    forged = Answer("as it was kept\n", "with words")
    AnswerMemory(made.repo.open(), kept.name).keep(forged)
    again = made.run(*asked)
    assert (again.code, again.out, again.err) == (0, "as it was kept\n", "with words\n")
    assert first.out != again.out


@pytest.mark.parametrize(
    "other",
    [
        ("diff", "HEAD~1", "HEAD", "--format", "json"),
        ("diff", "HEAD~1", "HEAD", "--explain"),
        ("diff", "HEAD", "HEAD~1"),
        ("diff", "HEAD~1"),
        ("diff", "--staged", "HEAD~1"),
    ],
)
def test_another_question_is_not_answered_from_memory(
    made: PolicyRepo, other: tuple[str, ...]
) -> None:
    honest = made.run(*other)
    shutil.rmtree(answers_of(made), ignore_errors=True)
    made.run("diff", "HEAD~1", "HEAD")
    for kept in answers_of(made).iterdir():
        AnswerMemory(made.repo.open(), kept.name).keep(Answer("forged\n", ""))
    found = made.run(*other)
    assert (found.code, found.out, found.err) == (honest.code, honest.out, honest.err)


def test_the_same_words_for_other_content_are_another_question(made: PolicyRepo) -> None:
    first = made.run("diff", "HEAD~1", "HEAD")
    made.repo.commit_files({BAND_PATH: BAND.replace("max: 1.4", "max: 1.9")})
    second = made.run("diff", "HEAD~1", "HEAD")
    assert "tighter" in first.out
    assert "looser" in second.out


def test_the_same_content_on_another_day_is_another_question(made: PolicyRepo) -> None:
    repository = made.repo.open()
    morning, evening, next_day = (
        answers_about(
            repository, "HEAD~1", "HEAD", Instant(start_of(day_of(AT)) + hours * 3600), ("text",)
        )
        for hours in (0, 23, 24)
    )
    morning.keep(Answer("kept", ""))
    assert evening.recall() == Answer("kept", "")
    assert next_day.recall() is None


def test_what_could_not_be_answered_is_not_kept(made: PolicyRepo) -> None:
    made.repo.commit_files({BAND_PATH: BROKEN})
    assert made.run("diff", "HEAD~1", "HEAD").code == 2
    assert not answers_of(made).exists()
