from agentpolicy.base.errors import Problem
from agentpolicy.base.source import Position
from agentpolicy.report.problems_text import problems_text

PATH = "policies/bands/x.yaml"


def test_a_problem_is_led_by_its_place_and_followed_by_the_command() -> None:
    problem = Problem("odd", "it is odd", "make it even", PATH, Position(PATH, 3, 1))
    assert problems_text([problem]) == f"{PATH}:3:1: it is odd [odd]\nnext: make it even"


def test_a_path_that_the_sentence_names_is_not_written_twice() -> None:
    text = problems_text([Problem("no-such-file", f"there is no {PATH}", "", PATH)])
    assert text == f"there is no {PATH} [no-such-file]"


def test_a_short_path_is_not_taken_for_a_piece_of_a_word() -> None:
    assert problems_text([Problem("odd", "a bad file", "", "b")]) == "b: a bad file [odd]"


def test_the_same_command_is_given_once() -> None:
    problems = [Problem("odd", word, "do it") for word in ("one", "two")]
    assert problems_text(problems) == "one [odd]\ntwo [odd]\nnext: do it"
