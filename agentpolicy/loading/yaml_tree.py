"""Bytes to a tree of exact values with the position of each: YAML without its surprises.

libyaml (through PyYAML) finds the events; `tree_builder` decides what each may be. Everything
YAML offers to make one text mean another is refused: anchors, aliases, merge keys, tags,
directives, several documents, duplicate and non-text keys, nulls, ambiguous plain texts.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from yaml import YAMLError
from yaml import events as yaml_events
from yaml._yaml import CParser

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.base.source import Position
from agentpolicy.base.values import dataclass
from agentpolicy.documents.document import Value
from agentpolicy.loading.characters import at_most, read_text
from agentpolicy.loading.plain_tree import MarkedPlaces, PlainTree, fractions_of, read_plain
from agentpolicy.loading.syntax import syntax_problem
from agentpolicy.loading.tree_builder import TreeBuilder

_DIRECTIVE = re.compile("^%.*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Tree:
    """A file's mapping with the place of everything in it, by JSON pointer."""

    value: Mapping[str, Value]
    positions: Mapping[str, Position]
    """Where each value is written; the key `""` is the document itself."""
    keys: Mapping[str, Position]
    """Where the key of each mapping entry is written."""
    fractions: frozenset[str]
    """Whole numbers spelled with a fraction, such as `3.0`."""


@dataclass(frozen=True, slots=True)
class Survey:
    """A file read as far as it can be, so that one reading finds every problem."""

    tree: Tree
    problems: tuple[Problem, ...]
    refused: frozenset[str]
    """Pointers that a problem already speaks about."""
    complete: bool
    """Whether the whole file was read, so that what is missing in the tree is missing."""


def read_tree(path: str, data: bytes) -> Tree:
    """Read the one mapping a policy file holds.

    Values are text, booleans, `int` and exact `Decimal`, tuples and mappings.

    Raises:
        InputError: with every problem found, each at its line and column.
    """
    found = survey(path, data)
    if found.problems:
        raise InputError(*found.problems)
    return found.tree


def survey(path: str, data: bytes) -> Survey:
    """Read a file as far as it can be and keep what is wrong in it.

    Raises:
        InputError: its bytes are refused before YAML is looked at.
    """
    text = read_text(path, data)
    if "%" in text and _DIRECTIVE.search(text):
        raise InputError(*at_most(_directives(path, text)))
    plain = read_plain(data)
    return survey_thoroughly(path, data) if plain is None else _plain(path, plain)


def survey_thoroughly(path: str, data: bytes) -> Survey:
    """Survey any file whose characters are right, with the place of everything that is wrong."""
    builder = TreeBuilder(path)
    complete = _feed(builder, data)
    if builder.root is None and not builder.problems:
        where = Position(path, 1, 1)
        message, hint = "the file holds no policy", "write `key: value` lines"
        builder.problems.append(Problem("empty-document", message, hint, path, where))
    value = builder.root if isinstance(builder.root, dict) else {}
    return Survey(
        Tree(value, builder.positions, builder.keys, frozenset(builder.fractions)),
        at_most(iter(builder.problems)),
        frozenset(builder.refused),
        complete and builder.root is not None,
    )


def _plain(path: str, found: PlainTree) -> Survey:
    """Survey a file that nothing is wrong with."""
    tree = Tree(
        found.value,
        MarkedPlaces(path, found, keys=False),
        MarkedPlaces(path, found, keys=True),
        fractions_of(found),
    )
    return Survey(tree, (), frozenset(), complete=True)


def _feed(builder: TreeBuilder, data: bytes) -> bool:
    """Hand libyaml's events to the builder; say whether all of the file was read."""
    handlers: Mapping[type[yaml_events.Event], Callable[[Any], None]] = {
        yaml_events.ScalarEvent: builder.scalar,
        yaml_events.MappingStartEvent: builder.collection_start,
        yaml_events.SequenceStartEvent: builder.collection_start,
        yaml_events.MappingEndEvent: builder.collection_end,
        yaml_events.SequenceEndEvent: builder.collection_end,
        yaml_events.AliasEvent: builder.alias,
        yaml_events.DocumentStartEvent: builder.document_start,
        yaml_events.DocumentEndEvent: builder.document_end,
        yaml_events.StreamStartEvent: _nothing,
    }
    next_event = CParser(data).get_event
    try:
        while not builder.stopped:
            event = next_event()
            if event is None or event.__class__ is yaml_events.StreamEndEvent:
                return True
            handlers[event.__class__](event)
    except YAMLError as error:
        builder.problems.append(syntax_problem(builder.path, error))
    return False


def _nothing(_event: yaml_events.Event) -> None:
    """The start of the stream says nothing."""


def _directives(path: str, text: str) -> Iterator[Problem]:
    """Find every line that YAML reads as a directive, before a parser acts on it."""
    for found in _DIRECTIVE.finditer(text):
        where = Position(path, text.count("\n", 0, found.start()) + 1, 1)
        message = f"`{found[0][:40]}` is a directive, which changes how YAML is read"
        yield Problem("directive", message, "delete the line", path, where)
