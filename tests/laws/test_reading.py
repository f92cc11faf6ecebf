"""The laws of reading: what was written is what is read, for every reader, or it is refused.

The oracles are PyYAML's own loaders (another parser, with YAML 1.1's idea of a plain text) and the
Python `jsonschema` (another validator, of the same schemas).
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
import yaml
from agentpolicy.base.errors import InputError
from agentpolicy.documents.document import DocumentKind, Value
from agentpolicy.loading.document import read_document
from agentpolicy.loading.plain_tree import read_plain
from agentpolicy.loading.pointers import child
from agentpolicy.loading.scalars import is_plain_key, plain_scalar
from agentpolicy.loading.schemas import schema_of
from agentpolicy.loading.yaml_tree import Survey, read_tree, survey, survey_thoroughly
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator  # type: ignore[import-untyped]  # ships no types
from tests.written import BAND, BAND_PATH, BUDGET, BUDGET_PATH, TOOLS, TOOLS_PATH, WAIVER
from tests.written import WAIVER_PATH as WAIVER_FILE

PATH = "policies/bands/x.yaml"
PATHS = {
    DocumentKind.ROLES: "policies/roles.yaml",
    DocumentKind.TOOLS: TOOLS_PATH,
    DocumentKind.BAND: BAND_PATH,
    DocumentKind.BUDGET: BUDGET_PATH,
    DocumentKind.BASELINE: "policies/baselines/refund-agent.yaml",
    DocumentKind.WAIVER: WAIVER_FILE,
}
BEYOND_THE_SCHEMA = {"contradiction", "name-mismatch"}
PLAIN = re.compile(r"[A-Za-z0-9._/-]+(?: [A-Za-z0-9._/-]+)*")

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
many = settings(max_examples=20_000, deadline=None, suppress_health_check=list(HealthCheck))


def spelled(value: Value) -> str:
    """Write a leaf the way a person would: plain where that is safe, else in quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, Decimal)):
        return format(value, "f") if isinstance(value, Decimal) else str(value)
    assert isinstance(value, str)
    if PLAIN.fullmatch(value) and plain_scalar(value) == value and value[0] not in "-.":
        return value
    if "'" in value:
        return json.dumps(value, ensure_ascii=False)
    return f"'{value}'"


def key_of(key: str) -> str:
    return spelled(key) if is_plain_key(key) else json.dumps(key, ensure_ascii=False)


def written(value: Value, indent: int = 0) -> str:
    """Write a mapping as block YAML; lists and what they hold as flow."""
    assert isinstance(value, Mapping)
    lines = []
    for key, below in value.items():
        if isinstance(below, Mapping) and below:
            lines.append(f"{' ' * indent}{key_of(key)}:\n{written(below, indent + 2)}")
        else:
            lines.append(f"{' ' * indent}{key_of(key)}: {flow(below)}\n")
    return "".join(lines)


def flow(value: Value) -> str:
    if isinstance(value, Mapping):
        return (
            "{" + ", ".join(f"{key_of(key)}: {flow(below)}" for key, below in value.items()) + "}"
        )
    if isinstance(value, tuple):
        return f"[{', '.join(map(flow, value))}]"
    return spelled(value)


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
@many
@given(HOSTILE)
def test_a_great_many_bytes_are_answered_with_a_document_or_a_refusal(data: bytes) -> None:
    answer_is_a_document_or_a_refusal(data)


@everyday
@given(mutated())
def test_what_is_accepted_means_the_same_to_another_yaml_reader(data: bytes) -> None:
    every_reader_sees_the_same(data)


@pytest.mark.long
@many
@given(HOSTILE)
def test_a_great_many_accepted_texts_mean_the_same_to_another_yaml_reader(data: bytes) -> None:
    every_reader_sees_the_same(data)


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
@many
@given(HOSTILE)
def test_a_great_many_bytes_are_read_the_same_both_ways(data: bytes) -> None:
    both_ways_read_the_same(data)


# --- another validator of the same schemas --------------------------------------------------------


def from_schema(schema: Mapping[str, Any]) -> st.SearchStrategy[Value]:
    """Generate values a schema of ours accepts."""
    if "anyOf" in schema:
        return st.one_of([from_schema(choice) for choice in schema["anyOf"]])
    if "const" in schema or "enum" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    return MAKERS[schema["type"]](schema)


def integers(schema: Mapping[str, Any]) -> st.SearchStrategy[Value]:
    return st.integers(schema.get("minimum", -5), schema.get("maximum", 100))


def numbers(schema: Mapping[str, Any]) -> st.SearchStrategy[Value]:
    low, high = schema.get("minimum", -5), schema.get("maximum", 100)
    return st.decimals(low, high, places=2).map(lambda number: number + 0)


def arrays(schema: Mapping[str, Any]) -> st.SearchStrategy[Value]:
    least, unique = schema.get("minItems", 0), schema.get("uniqueItems", False)
    items = from_schema(schema["items"])
    told_apart = (lambda item: json.dumps(as_json(item), sort_keys=True)) if unique else None
    return st.lists(items, min_size=least, max_size=3, unique_by=told_apart).map(tuple)


def strings(schema: Mapping[str, Any]) -> st.SearchStrategy[str]:
    if "pattern" not in schema:
        return st.sampled_from(
            ["a", "two words", "- '#: \"", "12", "x" * schema.get("maxLength", 9)]
        )
    return st.sampled_from([text for text in SPELLINGS if re.search(schema["pattern"], text)])


def objects(schema: Mapping[str, Any]) -> st.SearchStrategy[Value]:
    if "properties" not in schema:
        names = strings(schema["propertyNames"])
        return st.dictionaries(names, from_schema(schema["additionalProperties"]), max_size=3)
    properties = {key: from_schema(below) for key, below in schema["properties"].items()}
    required = {key: properties.pop(key) for key in schema.get("required", ())}
    return st.fixed_dictionaries(required, optional=properties)


SPELLINGS = [
    "1.5x", "0x", "2026-03-02", f"sha256:{'0a' * 32}", "0a" * 16, "refs/heads/main", "w-2026-014",
    "refund-agent", "a", "calendar.search", "mail/send:x", "bands/a", "budgets/a.b", "mail.reply",
    "arguments.mail.send.to", "lexical-indel@1", "similar(0.90)", "exact", "ignored",
]  # fmt: skip
"""Texts of every form that a schema asks for."""
MAKERS: Mapping[str, Callable[[Mapping[str, Any]], st.SearchStrategy[Value]]] = {
    "boolean": lambda _: st.booleans(),
    "integer": integers,
    "number": numbers,
    "string": strings,
    "array": arrays,
    "object": objects,
}
ODD = st.one_of(
    st.sampled_from(["", "exact", "1.5x", "1.5", "2026-03-02", "read", "x" * 1001, "sha256:"]),
    st.integers(-2, 3),
    st.decimals(-2, 3, places=1).filter(bool),
    st.booleans(),
    st.just(()),
    st.just({}),
    st.just(("a", "a")),
    st.just({"min": 1}),
)  # fmt: skip


@st.composite
def nearly_valid(draw: st.DrawFn, kind: DocumentKind) -> Mapping[str, Value]:
    """Take a tree the schema accepts and, mostly, put something odd into it."""
    tree = draw(from_schema(schema_of(kind)))
    assert isinstance(tree, Mapping)
    for _ in range(draw(st.integers(0, 2))):
        tree = with_odd(draw, tree)
    return tree


def with_odd(draw: st.DrawFn, tree: Mapping[str, Value]) -> Mapping[str, Value]:
    """Drop, add or replace one entry, at any depth of mappings."""
    changed = dict(tree)
    if not changed:
        return {"odd": draw(ODD)}
    key = draw(st.sampled_from(sorted(changed)))
    below = changed[key]
    if isinstance(below, Mapping) and below and draw(st.booleans()):
        changed[key] = with_odd(draw, below)
        return changed
    match draw(st.sampled_from(["drop", "add", "replace", "replace"])):
        case "drop":
            del changed[key]
        case "add":
            changed[draw(st.sampled_from(["odd", f"{key}s"]))] = draw(ODD)
        case _:
            changed[key] = draw(ODD)
    return changed


def as_json(value: Value) -> object:
    if isinstance(value, Mapping):
        return {key: as_json(below) for key, below in value.items()}
    return [as_json(item) for item in value] if isinstance(value, tuple) else value


def the_schema_accepts(path: str, tree: Mapping[str, Value]) -> bool:
    refused = refusal(path, written(tree).encode())
    codes = {problem.code for problem in refused.problems} if refused else set()
    return codes <= BEYOND_THE_SCHEMA


@pytest.mark.parametrize("kind", list(DocumentKind))
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_another_validator_accepts_and_refuses_the_same_trees(
    kind: DocumentKind, data: st.DataObject
) -> None:
    tree = data.draw(nearly_valid(kind).filter(bool))
    theirs = Draft7Validator(schema_of(kind)).is_valid(as_json(tree))
    assert the_schema_accepts(PATHS[kind], tree) == theirs
