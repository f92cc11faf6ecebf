"""YAML without its surprises: what is refused, and where each value stands."""

import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal

import pytest
from agentpolicy.base.errors import InputError
from agentpolicy.loading.plain_tree import read_plain
from agentpolicy.loading.tree_builder import MAX_DEPTH, MAX_VALUES
from agentpolicy.loading.yaml_tree import read_tree, survey
from tests.written import BAND, places, problems

PATH = "policies/bands/x.yaml"
MEGABYTE = 1_000_000


def place_of(text: str, pointer: str) -> tuple[int, int]:
    position = read_tree(PATH, text.encode()).positions[pointer]
    return position.line, position.column


def test_the_band_of_the_source_reads_as_exact_values() -> None:
    tree = read_tree(PATH, BAND.encode()).value
    assert tree["band_version"] == 7
    assert tree["approved_on"] == "2026-03-02"
    fields = tree["fields"]
    assert isinstance(fields, dict)
    assert fields["text_similarity"]["threshold"] == Decimal("0.92")
    assert fields["latency_ms_p50"] == {"warn": "1.5x", "fail": "3.0x"}
    waivers = tree["waivers"]
    assert isinstance(waivers, dict)
    assert waivers["required_evidence"][0] == "fixture_id"
    assert isinstance(waivers["required_evidence"], tuple)


@pytest.mark.parametrize(
    ("pointer", "line", "column"),
    [
        ("", 1, 1),
        ("/band_version", 1, 15),
        ("/fields", 5, 3),
        ("/fields/text_similarity/threshold", 6, 16),
        ("/waivers/required_evidence", 18, 22),
        ("/waivers/required_evidence/5", 18, 66),
    ],
)
def test_every_value_keeps_its_place(pointer: str, line: int, column: int) -> None:
    assert place_of(BAND, pointer) == (line, column)


def test_a_key_keeps_its_place_beside_its_value() -> None:
    keys = read_tree(PATH, BAND.encode()).keys
    assert (keys["/fields/text_similarity"].line, keys["/fields/text_similarity"].column) == (5, 3)
    assert (keys["/waivers"].line, keys["/waivers"].column) == (17, 1)


def test_a_column_counts_characters_not_bytes() -> None:
    assert place_of("größe: [é, ü]\n", "/größe/1") == (1, 12)


def test_a_key_with_a_slash_is_found_by_its_escaped_pointer() -> None:
    assert place_of("owners:\n  bands/a: [alice]\n", "/owners/bands~1a/0") == (2, 13)


def test_quoted_text_is_always_text() -> None:
    tree = read_tree(PATH, b"a: '1'\nb: \"true\"\nc: |\n  7\nd: \"null\"\ne: ''\n").value
    assert tree == {"a": "1", "b": "true", "c": "7\n", "d": "null", "e": ""}


def test_one_document_marker_at_the_start_is_allowed() -> None:
    assert read_tree(PATH, b"# by alice\n---\na: 1\n").value == {"a": 1}


REFUSED = [
    ("a: 1\nb: 2\na: 3\n", [("duplicate-key", 3, 1)]),
    ("a:\n  b: 1\n  'b': 2\n", [("duplicate-key", 3, 3)]),
    ("a: &x 1\n", [("anchor", 1, 4)]),
    ("a: &x [1]\n", [("anchor", 1, 4)]),
    ("a: &x\n  b: 1\n", [("anchor", 1, 4)]),
    ("&x a: 1\n", [("anchor", 1, 1)]),
    ("a: *x\n", [("alias", 1, 4)]),
    ("a: [1, *x]\n", [("alias", 1, 8)]),
    ("*x : 1\n", [("alias", 1, 1)]),
    ("a: &x {b: 1}\nc:\n  <<: *x\n", [("anchor", 1, 4), ("merge-key", 3, 3), ("alias", 3, 7)]),
    ("a:\n  <<: {b: 1}\n", [("merge-key", 2, 3)]),
    ("a: <<\n", [("ambiguous-text", 1, 4)]),
    ("a: =\n", [("ambiguous-text", 1, 4)]),
    ("a: !!str 1\n", [("tag", 1, 4)]),
    ("a: ! 1\n", [("tag", 1, 4)]),
    ("a: !secret x\n", [("tag", 1, 4)]),
    ("a: !<tag:x,2000:y> [1]\n", [("tag", 1, 4)]),
    ("a: !!python/object/apply:os.system [x]\n", [("tag", 1, 4)]),
    ("!!map\na: 1\n", [("tag", 1, 1)]),
    ("%YAML 1.1\n---\na: 1\n", [("directive", 1, 1)]),
    ("# x\n%TAG ! tag:x\n%FOO\n---\na: 1\n", [("directive", 2, 1), ("directive", 3, 1)]),
    ("a: 1\n---\nb: 2\n", [("several-documents", 2, 1)]),
    ("a: 1\n---\n", [("several-documents", 2, 1)]),
    ("a: 1\n...\n", [("document-marker", 2, 1)]),
    ("1: a\n", [("key-not-text", 1, 1)]),
    ("1.0: a\n", [("key-not-text", 1, 1)]),
    ("yes: a\n", [("key-not-text", 1, 1)]),
    ("true: a\n", [("key-not-text", 1, 1)]),
    ("2026-03-02: a\n", [("key-not-text", 1, 1)]),
    ("~: a\n", [("key-not-text", 1, 1)]),
    ("?\n: a\n", [("key-not-text", 1, 2)]),
    ("? [a]\n: 1\n", [("key-not-text", 1, 3)]),
    ("? {a: 1}\n: 1\n", [("key-not-text", 1, 3)]),
    ('"a\\nb": 1\n', [("hidden-character", 1, 1)]),
    ('"a\\u200bb": 1\n', [("hidden-character", 1, 1)]),
    ('a: "x\\u202ey"\n', [("hidden-character", 1, 4)]),
    ('a: "x\\ty"\n', [("hidden-character", 1, 4)]),
    ('a: "x\\0y"\n', [("hidden-character", 1, 4)]),
    ('a: "x\\Ny"\n', [("hidden-character", 1, 4)]),
    ('a: "x\\_y"\n', [("hidden-character", 1, 4)]),
    ('a: ["x", "\\uFEFF"]\n', [("hidden-character", 1, 10)]),
    ('a: "e\\u0301"\n', [("hidden-character", 1, 4)]),
    ("a:\nb: 1\n", [("null-value", 1, 1)]),
    ("a:\n  - 1\n  -\n", [("null-value", 3, 4)]),
    ("a: ~\n", [("null-value", 1, 4)]),
    ("a: {b, c: 1}\n", [("null-value", 1, 5)]),
    ("a: [yes, 0x10, 1e3]\n", [
        ("ambiguous-boolean", 1, 5), ("ambiguous-number", 1, 10), ("ambiguous-number", 1, 16),
    ]),
    ("a: 9007199254740993\n", [("number-too-large", 1, 4)]),
    ("[a]\n", [("not-a-mapping", 1, 1)]),
    ("- a\n", [("not-a-mapping", 1, 1)]),
    ("just text\n", [("not-a-mapping", 1, 1)]),
    ("''\n", [("not-a-mapping", 1, 1)]),
    ("*x\n", [("alias", 1, 1)]),
    ("", [("empty-document", 1, 1)]),
    ("# nothing\n", [("empty-document", 1, 1)]),
    ("---\n", [("empty-document", 1, 1)]),
    ("a: b: c\n", [("syntax", 1, 5)]),
    ("a: [1, 2\n", [("syntax", 1, 4)]),
    ("a: {b: 1\n", [("syntax", 1, 4)]),
    ('b: 1\na: "x\n', [("syntax", 2, 4)]),
    ("a: 1\n b: 2\n", [("syntax", 2, 3)]),
    ("a: 1\n- b\n", [("syntax", 2, 1)]),
    ("a: @x\n", [("syntax", 1, 4)]),
    ('a: "\\q"\n', [("syntax", 1, 5)]),
    ('a: "\\ud800"\n', [("syntax", 1, 7)]),
    ("a: !e!x 1\n", [("syntax", 1, 4)]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), REFUSED)
def test_what_yaml_could_mean_in_two_ways_is_refused_where_it_stands(
    text: str, expected: list[tuple[str, int, int]]
) -> None:
    assert places(problems(read_tree, text, PATH)) == expected


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("a: 1\na: 2\n", "`a`"),
        ("a: &x 1\n", "&x"),
        ("a: *x\n", "*x"),
        ("a: !secret 1\n", "!secret"),
        ("a: 1_000\n", "1_000"),
        ("a: yes\n", "yes"),
        ("%YAML 1.1\n---\na: 1\n", "%YAML 1.1"),
        ("a/b:\n", "`a/b`"),
    ],
)
def test_the_message_names_the_offending_text(text: str, named: str) -> None:
    assert named in problems(read_tree, text, PATH)[0].message


def test_a_hidden_character_in_a_tag_never_reaches_the_terminal() -> None:
    (problem,) = problems(read_tree, "a: !<tag:x%E2%80%AE> 1\n", PATH)
    assert "\u202e" not in str(problem)


@pytest.mark.parametrize(
    "text", ["{k}: 1\n{k}: 2\n", "{k}:\n", "a: &{k} 1\n", "a: *{k}\n", "{k}\n"]
)
def test_a_message_stays_short_whatever_it_names(text: str) -> None:
    found = problems(read_tree, text.replace("{k}", "k" * 1_000), PATH)
    assert all(len(str(problem)) < 250 for problem in found)


def test_all_problems_of_a_file_are_found_in_one_reading() -> None:
    text = "a: yes\nb: &x 1\nb: *x\nc: !t 3\nd:\n1: 2\ne: 0x1\n"
    found = [problem.code for problem in problems(read_tree, text, PATH)]
    assert found == [
        "ambiguous-boolean", "anchor", "duplicate-key", "alias", "tag", "null-value",
        "key-not-text", "ambiguous-number",
    ]  # fmt: skip


def test_a_flood_of_problems_stops_the_reading() -> None:
    flood = "".join(f"a{n}: yes\n" for n in range(5_000))
    found = problems(read_tree, flood, PATH)
    assert found[-1].code == "more-problems"
    assert len(found) < 60
    assert len(survey(PATH, flood.encode()).tree.keys) < 60


def test_a_survey_keeps_what_could_be_read_beside_the_problems() -> None:
    found = survey(PATH, b"a: yes\nb: 1\nb: 2\n")
    assert found.tree.value == {"a": "yes", "b": 1}
    assert "/a" in found.refused
    assert found.complete


def test_a_survey_says_that_the_end_was_not_reached() -> None:
    assert not survey(PATH, b"a: 1\nb: [\n").complete
    assert not survey(PATH, b"a: 1\n---\nb: 2\n").complete


def test_a_whole_number_with_a_fraction_is_remembered() -> None:
    assert read_tree(PATH, b"a: 3.0\nb: 3\nc: 3.5\n").fractions == {"/a"}


def nested(opening: str, closing: str = "") -> Callable[[int], str]:
    return lambda depth: f"a: {opening * (depth - 1)}1{closing * (depth - 1)}\n"


@pytest.mark.parametrize("nest", [nested("[", "]"), nested("{a: ", "}"), nested("[{a: ", "}]")])
def test_nesting_is_read_to_the_limit_and_refused_beyond_it(nest: Callable[[int], str]) -> None:
    depth = MAX_DEPTH // 2 if "[{" in nest(2) else MAX_DEPTH
    assert read_tree(PATH, nest(depth).encode()).value
    assert problems(read_tree, nest(depth + 1), PATH)[0].code == "too-deep"


@pytest.mark.parametrize("opening", "[{")
def test_nesting_that_libyaml_itself_gives_up_on_is_called_too_deep(opening: str) -> None:
    assert [p.code for p in problems(read_tree, opening * 10_000, PATH)] == ["too-deep"]


def test_the_number_of_values_is_limited() -> None:
    text = f"a: [{', '.join('1' * (MAX_VALUES - 3))}]\n"
    assert read_tree(PATH, text.encode()).value
    found = problems(read_tree, text.replace("]", ", 1, 1]"), PATH)
    assert [problem.code for problem in found] == ["too-many-values"]


def aliases(levels: int) -> str:
    """Write the alias bomb: each level names the one before nine times."""
    lines = ["a0: &a0 [x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "\n".join(lines) + "\n"


def below(size: int, text: str) -> str:
    """Repeat a text up to a size."""
    return (text * (size // len(text) + 1))[:size]


HOSTILE = {
    "lists": "[" * 10_000,
    "mappings": "{" * 10_000,
    "mappings of mappings": "a: " + "{a: " * 10_000,
    "block lists": "- " * 10_000,
    "question marks": "? " * 10_000,
    "block mappings": "".join(" " * n + "a:\n" for n in range(10_000) if n < 700),
    "alias bomb": aliases(400),
    "wide": below(250_000, "a: b\n"),
    "wide list": "a: [" + below(250_000, "b,"),
    "directives": "".join(f"%TAG !{n}! tag:x\n" for n in range(15_000)),
    "tags": "a: " + "!" * 250_000,
    "comments": "#\n" * 125_000,
    "escapes": 'a: "' + "\\n" * 125_000 + '"',
    "digits": "a: " + "1" * 250_000 + "y",
    "underscores": "a: 1" + "_" * 250_000 + "y",
    "zeros": "a: 0." + "0" * 250_000,
    "control": "\x01" * 250_000,
    "combining marks": "a: x" + "\u0301" * 60_000 + "\u0316" * 60_000,
    "long key": "k" * 250_000 + ": 1",
    "keys without values": below(250_000, "x:"),
    "a megabyte of lists": "[" * MEGABYTE,
    "a megabyte of text": below(MEGABYTE, "a: b\n"),
    "a megabyte of marks": below(MEGABYTE, "\u0301"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_answered_quickly_within_bounded_memory(name: str) -> None:
    data = HOSTILE[name].encode()
    began = time.process_time()
    survey_or_refuse(data)
    assert time.process_time() - began < (0.05 if len(data) >= MEGABYTE else 0.5)
    tracemalloc.start()
    survey_or_refuse(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30_000_000


def survey_or_refuse(data: bytes) -> None:
    """Read a text that may be refused; anything but a refusal is an error."""
    with suppress(InputError):
        survey(PATH, data)


@pytest.mark.parametrize(
    "text",
    [
        '"a": 1\n', "a: &x 1\n", "a: !!str 1\n", "a: [&x 1]\n", "a: &x [1]\n", "a: *x\n",
        "a: yes\n", "<<: 1\n", "yes: 1\n", "[a]: 1\n", "? {a: 1}\n: 2\n", "a: 1\na: 2\n",
        "a: 1\n...\n", "a: 1\n---\nb: 1\n", "[a]\n", "text\n", "", 'a: "\\u202e"\n', "a: [\n",
        "a:\n", f"a: {'[' * 32}{']' * 32}\n", f"a: [{'1, ' * MAX_VALUES}]\n",
    ],
)  # fmt: skip
def test_what_is_not_plain_is_left_to_the_thorough_reading(text: str) -> None:
    assert read_plain(text.encode()) is None
