"""The laws of reading: what was written is what is read, for every reader, or it is refused.

The oracle is PyYAML's own loader: another parser, with YAML 1.1's idea of a plain text.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from decimal import Decimal

import pytest
import yaml
from agentpolicy.base.errors import InputError
from agentpolicy.documents.document import Value
from agentpolicy.loading.document import read_document
from agentpolicy.loading.plain_tree import read_plain
from agentpolicy.loading.pointers import child
from agentpolicy.loading.yaml_tree import Survey, read_tree, survey, survey_thoroughly
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from tests.laws.spelling import key_of, spelled, written
from tests.written import BAND, BAND_PATH, BUDGET, BUDGET_PATH, TOOLS, TOOLS_PATH, WAIVER

PATH = "policies/bands/x.yaml"

LETTERS = st.characters(
    codec="utf-8",
    categories=("L", "N", "P", "S"),
    exclude_characters="\u2800\u3164\uffa0\ufffc\ufffd",
)
TEXTS = st.text(st.one_of(st.sampled_from("ab0 .:-#'\"{}[],&*!|>%@`~?=\\/"), LETTERS), max_size=12)
NUMBERS = st.one_of(
    st.integers(-(2**53) + 1, 2**53 - 1),
    st.decimals(-1000, 1000, places=3).filter(bool),
)
LEAVES = st.one_of(TEXTS, NUMBERS, st.booleans())
TREES = st.dictionaries(
    TEXTS,
    st.recursive(
        LEAVES,
        lambda inner: st.one_of(
            st.lists(inner, max_size=4).map(tuple), st.dictionaries(TEXTS, inner, max_size=4)
        ),
        max_leaves=12,
    ),
    min_size=1,
    max_size=5,
)

everyday = settings(max_examples=500, deadline=None)
many = settings(
    max_examples=10_000, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)
in_turn = pytest.mark.parametrize("turn", range(5))
"""Seeds, so that workers can share 50,000 inputs of each law."""


def hold_many(
    law: Callable[[bytes], None],
    inputs: st.SearchStrategy[bytes],
    turn: int,
    record_property: Callable[[str, object], None],
) -> None:
    """Hold a law against a great many inputs, and say how many there really were."""
    accepted = []

    @seed(turn)
    @many
    @given(inputs)
    def each(data: bytes) -> None:
        law(data)
        accepted.append(is_yaml(data))

    each()
    counts = {"inputs": len(accepted), "read as a tree": sum(accepted)}
    name = law.__name__.replace("_", " ")
    record_property("did", {"of": f"reading, {name}", "counts": counts})


def leaves(value: Value, pointer: str = "") -> Iterator[tuple[str, Value]]:
    if isinstance(value, Mapping):
        for key, below in value.items():
            yield from leaves(below, child(pointer, key))
    elif isinstance(value, tuple):
        for index, below in enumerate(value):
            yield from leaves(below, f"{pointer}/{index}")
    else:
        yield pointer, value


def composed(tree: Mapping[str, Value]) -> bool:
    """Say whether a text written from the tree passes the check of characters."""
    try:
        survey(PATH, written(tree).encode())
    except InputError:
        return False
    return True


@everyday
@given(TREES.filter(composed))
def test_what_is_written_reads_back_equal_with_the_place_of_every_value(
    tree: Mapping[str, Value],
) -> None:
    text = written(tree)
    read = read_tree(PATH, text.encode())
    assert read.value == tree
    lines = text.split("\n")
    for pointer, value in leaves(tree):
        place = read.positions[pointer]
        assert lines[place.line - 1][place.column - 1 :].startswith(spelled(value))
    for pointer, place in read.keys.items():
        key = pointer.rsplit("/", 1)[-1].replace("~1", "/").replace("~0", "~")
        assert lines[place.line - 1][place.column - 1 :].startswith(key_of(key))


# --- whatever the bytes are, the answer is a document or a refusal --------------------------------

VALID = [
    text.encode() for text in (BAND, BUDGET, TOOLS, WAIVER, "a: {b: [1, 'x', \"y\"]}\nc: |\n  z\n")
]
FRAGMENTS = [
    b"\n", b" ", b"  ", b"\t", b"- ", b": ", b"? ", b"{", b"}", b"[", b"]", b",", b"#", b" #", b"'",
    b'"', b"\\", b"|", b">", b"&a ", b"*a", b"!!str ", b"!", b"%YAML 1.2\n", b"---\n", b"...\n",
    b"<<: ", b"~", b"null", b"yes", b"0x1", b"1e3", b".5", b"\r", b"\x00", b"\xc2\x85", b"\xff",
    b"\xef\xbb\xbf", b"\xe2\x80\xae", b"\xcc\x81", b"1", b"0.5", b"1.5x", b"2026-02-29",
]  # fmt: skip
EDITS = st.lists(
    st.tuples(st.integers(0, 2_000), st.integers(0, 6), st.sampled_from(FRAGMENTS)),
    min_size=1,
    max_size=6,
)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """Take a valid document and cut, insert and replace in it."""
    data = draw(st.sampled_from(VALID))
    for at, cut, inserted in draw(EDITS):
        start = at % (len(data) + 1)
        data = data[:start] + inserted + data[start + cut :]
    return data


HOSTILE = st.one_of(
    mutated(), st.binary(max_size=200), st.lists(st.sampled_from(FRAGMENTS)).map(b"".join)
)


def answer_is_a_document_or_a_refusal(data: bytes) -> None:
    for path in (BAND_PATH, BUDGET_PATH, TOOLS_PATH):
        refused = refusal(path, data)
        assert refused is None or refused.problems
        for problem in refused.problems if refused else ():
            assert problem.message
            assert problem.hint
            assert problem.position or problem.code == "more-problems"


def refusal(path: str, data: bytes) -> InputError | None:
    try:
        read_document(path, data)
    except InputError as error:
        return error
    return None


def is_yaml(data: bytes) -> bool:
    """Say whether the strict reader takes a text at all."""
    try:
        read_tree(PATH, data)
    except InputError:
        return False
    return True


def every_reader_sees_the_same(data: bytes) -> None:
    """Where ours accepts, a YAML 1.1 loader with another parser refuses or sees the same values."""
    try:
        ours = read_tree(PATH, data).value
    except InputError:
        return
    try:
        theirs = yaml.SafeLoader(data).get_single_data()
    except (yaml.YAMLError, ValueError):
        return
    assert same(ours, theirs), (ours, theirs)


def same(ours: Value, theirs: object) -> bool:
    """Compare by type too; only a date is a text to ours and a date to theirs."""
    if isinstance(ours, Mapping):
        if not isinstance(theirs, dict) or list(ours) != list(theirs):
            return False
        return all(same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, tuple):
        return (
            isinstance(theirs, list) and len(ours) == len(theirs) and all(map(same, ours, theirs))
        )
    if isinstance(ours, Decimal):
        return type(theirs) is float and float(ours) == theirs
    if isinstance(ours, str) and isinstance(theirs, date):
        return ours.startswith(f"{theirs.year:04}-")
    return type(ours) is type(theirs) and ours == theirs


@everyday
@given(HOSTILE)
def test_any_bytes_are_answered_with_a_document_or_a_refusal(data: bytes) -> None:
    answer_is_a_document_or_a_refusal(data)


@pytest.mark.long
@in_turn
def test_a_great_many_bytes_are_answered_with_a_document_or_a_refusal(
    turn: int, record_property: Callable[[str, object], None]
) -> None:
    hold_many(answer_is_a_document_or_a_refusal, HOSTILE, turn, record_property)


@everyday
@given(mutated())
def test_what_is_accepted_means_the_same_to_another_yaml_reader(data: bytes) -> None:
    every_reader_sees_the_same(data)


@pytest.mark.long
@in_turn
def test_a_great_many_accepted_texts_mean_the_same_to_another_yaml_reader(
    turn: int, record_property: Callable[[str, object], None]
) -> None:
    hold_many(every_reader_sees_the_same, mutated(), turn, record_property)


# --- the quick way of reading says what the thorough one does -------------------------------------


def all_of(found: Survey) -> object:
    tree = found.tree
    places = list(tree.positions.items()), list(tree.keys.items())
    return repr(tree.value), places, tree.fractions, found.problems, found.refused, found.complete


def both_ways_read_the_same(data: bytes) -> None:
    try:
        found = survey(PATH, data)
    except InputError:
        return
    assert all_of(found) == all_of(survey_thoroughly(PATH, data))


@pytest.mark.parametrize("data", VALID)
def test_a_valid_policy_is_read_the_quick_way(data: bytes) -> None:
    assert read_plain(data) is not None
    both_ways_read_the_same(data)


@everyday
@given(HOSTILE)
def test_the_quick_way_of_reading_says_what_the_thorough_one_does(data: bytes) -> None:
    both_ways_read_the_same(data)


@everyday
@given(TREES)
def test_whatever_is_written_is_read_the_same_both_ways(tree: Mapping[str, Value]) -> None:
    both_ways_read_the_same(written(tree).encode())


@pytest.mark.long
@in_turn
def test_a_great_many_bytes_are_read_the_same_both_ways(
    turn: int, record_property: Callable[[str, object], None]
) -> None:
    hold_many(both_ways_read_the_same, HOSTILE, turn, record_property)
