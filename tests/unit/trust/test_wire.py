"""The SSH wire encoding has one spelling a value."""

import pytest
from agentpolicy.trust.wire import WireReader, mpint, string
from hypothesis import given
from hypothesis import strategies as st


@given(st.integers(min_value=1, max_value=2**600))
def test_an_integer_comes_back_from_its_encoding(value: int) -> None:
    reader = WireReader(mpint(value))
    assert reader.mpint() == value
    reader.end()


@given(st.binary(min_size=1, max_size=20))
def test_only_the_shortest_form_of_an_integer_is_read(raw: bytes) -> None:
    try:
        value = WireReader(string(raw)).mpint()
    except ValueError:
        return
    assert mpint(value) == string(raw)


@pytest.mark.parametrize("raw", [b"", b"\0", b"\0\x7f", b"\x80", b"\xff\xff"])
def test_zero_negative_and_padded_integers_are_refused(raw: bytes) -> None:
    with pytest.raises(ValueError, match="integer"):
        WireReader(string(raw)).mpint()


@pytest.mark.parametrize("raw", [b"\n", b"a\0", b"\xc3\xa9", b"\x7f"])
def test_a_name_is_printable_ascii(raw: bytes) -> None:
    with pytest.raises(ValueError, match="printable"):
        WireReader(string(raw)).text()


def test_a_length_beyond_the_end_is_refused() -> None:
    with pytest.raises(ValueError, match="too early"):
        WireReader(b"\xff\xff\xff\xffabc").string()


def test_bytes_nobody_read_are_refused() -> None:
    reader = WireReader(string(b"a") + b"b")
    reader.string()
    with pytest.raises(ValueError, match="trailing"):
        reader.end()
