"""What a plain text is: a number, a boolean, text, or refused."""

from decimal import Decimal

import pytest
from agentpolicy.loading.scalars import MAX_WHOLE, Refusal, plain_scalar
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("12", 12),
        ("-3", -3),
        (str(MAX_WHOLE), MAX_WHOLE),
        (str(-MAX_WHOLE), -MAX_WHOLE),
        ("0.92", Decimal("0.92")),
        ("-0.5", Decimal("-0.5")),
        ("0.0", Decimal("0.0")),
        ("1." + "0" * 32 + "1", Decimal("1." + "0" * 32 + "1")),
        ("true", True),
        ("false", False),
        ("1.5x", "1.5x"),
        ("2026-03-02", "2026-03-02"),
        ("1.2.3", "1.2.3"),
        ("-", "-"),
        ("200 judged-equivalent edits", "200 judged-equivalent edits"),
        ("sha256:00", "sha256:00"),
        ("5f0c", "5f0c"),
        ("nothing", "nothing"),
        ("none", "none"),
    ],
)
def test_a_plain_text_is_the_one_value_every_reader_sees(text: str, value: object) -> None:
    read = plain_scalar(text)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        ("ambiguous-boolean", "yes no on off y n Yes NO On oFF Y N True TRUE False FALSE"),
        ("null-value", "~ null Null NULL"),
        ("ambiguous-number", "0x10 0o17 0b11 010 00 08 1_000 1__0 1:30 12:30:45 1e3 1E3 1.5e-3"),
        ("ambiguous-number", "1e400 1e+3 .5 -.5 +1 +0.5 1. 1.e3 .nan .NaN .inf -.inf +.Inf"),
        ("ambiguous-number", "-_1 +_08 ._1"),
        ("ambiguous-text", "2026-01-02T10:00:00Z 2026-1-2t1:00"),
        ("ambiguous-number", "nan NaN inf Infinity -inf 1_0.5 0.1_0 190:20:30.15"),
        ("minus-zero", "-0 -0.0 -0.00"),
        ("number-too-large", f"{MAX_WHOLE + 1} -{MAX_WHOLE + 1} {'9' * 34}"),
        ("too-many-digits", f"0.{'1' * 34} {'9' * 35} -{'9' * 35}"),
        ("ambiguous-text", "= <<"),
    ],
)
def test_a_text_that_readers_disagree_about_is_refused_with_a_hint(code: str, texts: str) -> None:
    for text in texts.split():
        refusal = plain_scalar(text)
        assert isinstance(refusal, Refusal), text
        assert refusal.code == code
        assert refusal.hint


def test_an_empty_plain_text_is_null() -> None:
    refusal = plain_scalar("")
    assert isinstance(refusal, Refusal)
    assert refusal.code == "null-value"


@pytest.mark.parametrize(
    ("text", "meant"),
    [("1e3", "1000"), ("1.5e-3", "0.0015"), ("1_000", "1000"), (".5", "0.5"), ("+1", "1")],
)
def test_the_hint_spells_the_number_that_was_probably_meant(text: str, meant: str) -> None:
    refusal = plain_scalar(text)
    assert isinstance(refusal, Refusal)
    assert refusal.hint.startswith(f"write {meant},")


def test_a_long_refused_text_is_cut_in_the_message() -> None:
    refusal = plain_scalar("1" * 200_000)
    assert isinstance(refusal, Refusal)
    assert len(refusal.message) < 120


@given(st.integers(-MAX_WHOLE, MAX_WHOLE).filter(bool))
def test_every_whole_number_reads_back(number: int) -> None:
    assert plain_scalar(str(number)) == number


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=0, max_value=10**20))
def test_every_decimal_reads_back_exactly(number: Decimal) -> None:
    read = plain_scalar(format(number, "f"))
    assert isinstance(read, Decimal)
    assert read.as_tuple() == number.as_tuple()


@given(st.text(alphabet="0123456789_.:eExXoObB+-infa~", max_size=12))
def test_what_python_takes_for_another_number_never_passes_as_text(text: str) -> None:
    read = plain_scalar(text)
    if isinstance(read, str):
        with pytest.raises(ValueError, match="could not convert"):
            float(text)
