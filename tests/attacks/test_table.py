"""Every row of the table of attacks is tried, or says why it is not yet."""

import ast
import re
from pathlib import Path

import pytest
from tests.attacks.table import NOT_YET, ROWS

HERE = Path(__file__).parent
PUBLISHED = HERE.parents[1].parent / "shared" / "cases" / "attacks.md"


def rows_with_a_test() -> set[str]:
    """Read the markers from the sources, so that running one file alone tells the same."""
    calls = (
        node
        for file in HERE.glob("test_*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.attack"
    )
    firsts = (call.args[0] for call in calls if call.args)
    return {str(first.value) for first in firsts if isinstance(first, ast.Constant)}


def test_every_row_is_tried_or_says_why_not_yet() -> None:
    assert set(ROWS) - rows_with_a_test() <= set(NOT_YET)


def test_only_rows_of_the_table_are_tried() -> None:
    assert rows_with_a_test() <= set(ROWS)
    assert set(NOT_YET) <= set(ROWS)


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published table is not beside this clone")
def test_the_rows_are_those_of_the_published_table() -> None:
    published = re.findall(
        r"^\| ([A-E][0-9]+) \|", PUBLISHED.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert sorted(published) == sorted(ROWS)
