"""Answers are remembered word for word, whole or not at all, and only the last few."""

from pathlib import Path

import pytest
from agentpolicy.gitio import answer_memory
from agentpolicy.gitio.answer_memory import MOST_ANSWERS, Answer, AnswerMemory
from agentpolicy.gitio.repository import Repository
from tests.repositories import make_repository

ANSWER = Answer("looser\n€\n", "mind this")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return make_repository(tmp_path / "repo").open()


def folder(repository: Repository) -> Path:
    return repository.common_dir / "agentpolicy" / "answers"


@pytest.mark.parametrize("answer", [ANSWER, Answer("", ""), Answer("only data", "")])
def test_an_answer_comes_back_word_for_word(repository: Repository, answer: Answer) -> None:
    AnswerMemory(repository, "q").keep(answer)
    assert AnswerMemory(repository, "q").recall() == answer
    assert AnswerMemory(repository, "r").recall() is None


def test_an_answer_under_the_name_of_another_question_is_none(repository: Repository) -> None:
    AnswerMemory(repository, "q").keep(ANSWER)
    (folder(repository) / "q").rename(folder(repository) / "r")
    assert AnswerMemory(repository, "r").recall() is None


@pytest.mark.parametrize("cut", [1, 10, 70])
def test_a_damaged_answer_is_none(repository: Repository, cut: int) -> None:
    AnswerMemory(repository, "q").keep(ANSWER)
    place = folder(repository) / "q"
    place.write_bytes(place.read_bytes()[:-cut])
    assert AnswerMemory(repository, "q").recall() is None


def test_only_the_last_few_are_kept(repository: Repository) -> None:
    questions = [f"q{number}" for number in range(MOST_ANSWERS + 3)]
    for question in questions:
        AnswerMemory(repository, question).keep(ANSWER)
    assert sorted(place.name for place in folder(repository).iterdir()) == questions[3:]


def test_an_answer_that_is_too_large_is_not_kept(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_memory, "MOST_BYTES", 20)
    AnswerMemory(repository, "q").keep(Answer("x" * 20, ""))
    assert not folder(repository).exists()
    AnswerMemory(repository, "q").keep(Answer("x" * 19, ""))
    assert AnswerMemory(repository, "q").recall() == Answer("x" * 19, "")


def test_an_answer_that_could_be_cut_in_two_places_is_not_kept(repository: Repository) -> None:
    AnswerMemory(repository, "q").keep(Answer("a\0b", "c"))
    assert AnswerMemory(repository, "q").recall() is None


def test_where_nothing_can_be_written_nothing_is_remembered(repository: Repository) -> None:
    folder(repository).parent.write_bytes(b"a file where the folder belongs")
    AnswerMemory(repository, "q").keep(ANSWER)
    assert AnswerMemory(repository, "q").recall() is None
