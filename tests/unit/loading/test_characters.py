"""Which characters a policy file may hold."""

import pytest
from agentpolicy.loading.characters import MAX_BYTES, MAX_PROBLEMS, read_text, unclean
from tests.written import places, problems

PATH = "policies/bands/x.yaml"


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("a: 1\nb: x\ry\n", "carriage-return", 2, 5),
        ("a: 1\r\nb: 2\r\n", "carriage-return", 1, 5),
        ("a:\n\tb: 1\n", "tab", 2, 1),
        ("a: 'x\x00y'\n", "control-character", 1, 6),
        ("a: x\x1by\n", "control-character", 1, 5),
        ("a: x\x7fy\n", "control-character", 1, 5),
        ("a: x\x9by\n", "control-character", 1, 5),
        ("a: x\x85b: 2\n", "line-separator", 1, 5),
        ("é: x\u2028b: 2\n", "line-separator", 1, 5),
        ("a: x\u2029b: 2\n", "line-separator", 1, 5),
        ("a: 1 # \u202e2 :b\n", "bidi-character", 1, 8),
        ("a: \u2066x\n", "bidi-character", 1, 4),
        ("a: \u200fx\n", "bidi-character", 1, 4),
        ("thres\u200bhold: 1\n", "invisible-character", 1, 6),
        ("a: x\u200d\n", "invisible-character", 1, 5),
        ("a: x\u2060\n", "invisible-character", 1, 5),
        ("a: x\xad\n", "invisible-character", 1, 5),
        ("a: \U000e0061\n", "invisible-character", 1, 4),
        ("a: \ufe0f\n", "invisible-character", 1, 4),
        ("a:\xa01\n", "unusual-space", 1, 3),
        ("a: \u3000x\n", "unusual-space", 1, 4),
        ("\ufeffa: 1\n", "byte-order-mark", 1, 1),
        ("a: 1\nb: \ufeffx\n", "byte-order-mark", 2, 4),
        ("a: caf\u0065\u0301\n", "not-composed", 1, 4),
        ("e\u0301: 1\n", "not-composed", 1, 1),
    ],
)
def test_a_character_that_hides_what_is_written_is_refused_where_it_stands(
    text: str, code: str, line: int, column: int
) -> None:
    assert places(problems(read_text, text, PATH)) == [(code, line, column)]


def test_the_message_names_a_character_that_cannot_be_printed() -> None:
    (problem,) = problems(read_text, "a: \u202e\n", PATH)
    assert "U+202E" in problem.message
    assert "\u202e" not in str(problem)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_another_encoding_is_named(encoding: str) -> None:
    found = problems(read_text, "a: 1\n".encode(encoding), PATH)
    assert places(found)[0][:1] == ("not-utf8",)
    assert "UTF-8" in found[0].hint


def test_bytes_that_are_not_utf8_are_refused_one_by_one() -> None:
    found = problems(read_text, b"a: 1\nb: \xc3\x28\xff\n", PATH)
    assert places(found) == [("not-utf8", 2, 4), ("not-utf8", 2, 6)]
    assert "0xc3" in found[0].message
    assert "0xff" in found[1].message


def test_a_surrogate_written_in_utf8_is_refused() -> None:
    assert {problem.code for problem in problems(read_text, b"a: \xed\xa0\x80\n", PATH)} == {
        "not-utf8"
    }


def test_every_wrong_character_is_reported_not_only_the_first() -> None:
    found = problems(read_text, "a: \u200b\nb: \u202e\u200b\n", PATH)
    assert places(found) == [
        ("invisible-character", 1, 4),
        ("bidi-character", 2, 4),
        ("invisible-character", 2, 5),
    ]


def test_carriage_returns_are_counted_in_one_problem() -> None:
    (problem,) = problems(read_text, "a: 1\r\n" * 1000, PATH)
    assert "1000" in problem.message


def test_a_flood_of_problems_is_cut_and_says_so() -> None:
    found = problems(read_text, "\u200b" * 80_000, PATH)
    assert len(found) == MAX_PROBLEMS + 1
    assert found[-1].code == "more-problems"


def test_as_many_problems_as_fit_are_listed_without_a_remark() -> None:
    assert len(problems(read_text, "\u200b" * MAX_PROBLEMS, PATH)) == MAX_PROBLEMS


def test_a_file_of_the_largest_size_is_read_and_one_byte_more_is_not() -> None:
    assert len(read_text(PATH, b"x" * MAX_BYTES)) == MAX_BYTES
    found = problems(read_text, b"x" * (MAX_BYTES + 1), PATH)
    assert places(found) == [("too-large", 1, 1)]


@pytest.mark.parametrize(
    "text", ["a: 1\n", "reason: Größe über 3 €, 承認済み\n", "# naïve\na: 1\n"]
)
def test_composed_text_of_any_script_is_read(text: str) -> None:
    assert read_text(PATH, text.encode()) == text


@pytest.mark.parametrize("value", ["\t", "\x00", "\u202e", "\u200b", "e\u0301", "x\x85", "\xa0"])
def test_an_unescaped_text_is_checked_again(value: str) -> None:
    assert unclean(f"a{value}b")


@pytest.mark.parametrize("value", ["", "plain", "two\nlines", "Größe"])
def test_an_unescaped_text_that_shows_itself_is_clean(value: str) -> None:
    assert not unclean(value)
