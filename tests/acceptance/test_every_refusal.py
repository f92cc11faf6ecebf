"""Every complaint written in the code ends with what to type, and names its path once."""

import ast
from collections.abc import Iterator
from pathlib import Path

import agentpolicy
import pytest

ROOT = Path(agentpolicy.__file__).parent
FLOORS = ("admission", "cli", "gitio", "loading", "report", "workflows")
FIELDS = ("code", "message", "hint", "document", "position")


def complaints() -> Iterator[tuple[str, dict[str, ast.expr]]]:
    """Find every `Problem(…)` in the code, with its arguments by name."""
    for floor in FLOORS:
        for file in sorted((ROOT / floor).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "Problem":
                    named = {word.arg: word.value for word in node.keywords if word.arg}
                    given = dict(zip(FIELDS, node.args, strict=False)) | named
                    yield f"{file.relative_to(ROOT)}:{node.lineno}", given


@pytest.mark.parametrize(
    ("where", "given"), [pytest.param(*one, id=one[0]) for one in complaints()]
)
def test_a_complaint_ends_with_what_to_type(where: str, given: dict[str, ast.expr]) -> None:
    hint = given.get("hint")
    assert hint is not None, where
    assert not (isinstance(hint, ast.Constant) and not hint.value), where


@pytest.mark.parametrize(
    ("where", "given"), [pytest.param(*one, id=one[0]) for one in complaints()]
)
def test_a_complaint_names_its_path_once(where: str, given: dict[str, ast.expr]) -> None:
    message, document = given["message"], given.get("document")
    if document is None or not isinstance(message, ast.JoinedStr):
        return
    shown = {
        ast.unparse(part.value) for part in message.values if isinstance(part, ast.FormattedValue)
    }
    assert not shown & {ast.unparse(node) for node in ast.walk(document)}, where
