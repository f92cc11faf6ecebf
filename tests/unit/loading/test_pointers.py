"""The names positions are kept under."""

from agentpolicy.loading.pointers import child, keys_of
from hypothesis import given
from hypothesis import strategies as st


def test_a_slash_and_a_tilde_in_a_key_are_escaped() -> None:
    assert child("/owners", "bands/a~b") == "/owners/bands~1a~0b"


def test_the_document_itself_has_the_empty_pointer() -> None:
    assert keys_of("") == ()


@given(st.lists(st.text()))
def test_a_pointer_splits_into_the_keys_it_was_made_of(keys: list[str]) -> None:
    pointer = ""
    for key in keys:
        pointer = child(pointer, key)
    assert keys_of(pointer) == tuple(keys)
