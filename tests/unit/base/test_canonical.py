"""Canonical bytes are one spelling of one value, and hold nothing that readers could differ on."""

import json
from typing import Any

import pytest
from agentpolicy.base.canonical import MAX_INTEGER, canonical_bytes, digest
from hypothesis import given
from hypothesis import strategies as st

SIGNABLE: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(SIGNABLE)
def test_what_is_written_reads_back_as_the_same_value(value: Any) -> None:  # noqa: ANN401
    try:
        data = canonical_bytes(value)
    except ValueError:
        assert any(0xD800 <= ord(one) <= 0xDFFF for one in json.dumps(value, ensure_ascii=False))
        return
    assert json.loads(data) == value
    assert canonical_bytes(json.loads(data)) == data


def test_keys_are_in_the_order_of_utf_16_code_units() -> None:
    # U+1F600 is D83D DE00 in UTF-16 and so comes before U+FB33, though its code point is higher.
    assert canonical_bytes({"\ufb33": 1, "\U0001f600": 2}) == '{"\U0001f600":2,"\ufb33":1}'.encode()


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.none()))
def test_keys_are_in_one_order_whatever_characters_the_others_hold(value: dict[str, None]) -> None:
    written = list(json.loads(canonical_bytes(value)))
    assert written == sorted(value, key=lambda key: key.encode("utf-16-be"))


@pytest.mark.parametrize("value", [0.5, {"a": 1.0}, [float("nan")], b"x", {1: 2}, {"a": {1}}])
def test_what_two_writers_could_spell_differently_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        canonical_bytes(value)


@pytest.mark.parametrize("value", [MAX_INTEGER + 1, -MAX_INTEGER - 1])
def test_an_integer_that_readers_would_round_is_refused(value: int) -> None:
    with pytest.raises(ValueError, match="beyond the integers"):
        canonical_bytes([value])


def test_a_digest_names_its_algorithm() -> None:
    assert (
        digest(b"")
        == "sha256:" + "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    )
