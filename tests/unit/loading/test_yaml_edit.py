"""An edit changes what it must and no other byte, in every layout people write."""

from collections.abc import Mapping

import pytest
from agentpolicy.documents.document import Value
from agentpolicy.loading.yaml_edit import rewritten
from agentpolicy.loading.yaml_tree import read_tree

FLOW = "a: {x: 1, w: [p, q]}   # said of a\nb: two\n"
BLOCK = """\
# first
a:
  x: 1   # said of x
  w:
    - p
    # said of q
    - q
b: two
"""
DENTLESS = "a:\n  x: 1\n  w:\n  - p\n  - q\nb: two"
LAYOUTS = [FLOW, BLOCK, DENTLESS]

A: Mapping[str, Value] = {"x": 1, "w": ("p", "q")}
TARGETS: list[Mapping[str, Value]] = [
    {"a": A, "b": "two"},
    {"a": {"x": 2, "w": ("p", "q")}, "b": "two"},
    {"a": {"x": 1, "w": ("p", "q", "r", "s")}, "b": "two"},
    {"a": {"x": 1, "w": ("q",)}, "b": "two"},
    {"a": {"x": 1, "w": ("p",)}, "b": "2"},
    {"a": {"x": 1, "w": ("q", "r")}, "b": "two"},
    {"a": {"x": 1}, "b": "two"},
    {"a": A},
    {"b": "two"},
    {"a": {**A, "z": {"on": True, "list": (), "m": "no"}}, "b": "two", "c": "x # y"},
    {"a": A, "b": "ä: {"},
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("target", TARGETS)
def test_the_file_says_the_target_and_nothing_else(
    layout: str, target: Mapping[str, Value]
) -> None:
    written = rewritten(layout.encode(), target)
    assert read_tree("x.yaml", written).value == target


def test_what_does_not_change_keeps_its_bytes() -> None:
    assert rewritten(BLOCK.encode(), TARGETS[0]) == BLOCK.encode()
    changed = rewritten(BLOCK.encode(), TARGETS[2]).decode()
    assert changed == BLOCK.replace("    - q\n", "    - q\n    - r\n    - s\n")
    assert rewritten(FLOW.encode(), TARGETS[3]).decode() == FLOW.replace("[p, q]", "[q]")
    assert rewritten(BLOCK.encode(), TARGETS[1]).decode() == BLOCK.replace("x: 1", "x: 2")


@pytest.mark.parametrize("target", [{"a": "one", "b": "two"}, {"a": A, "b": ("two",)}])
def test_a_value_of_another_shape_is_not_forced_in(target: Mapping[str, Value]) -> None:
    with pytest.raises(ValueError, match="another shape"):
        rewritten(FLOW.encode(), target)
