"""What is accepted without the validator: the ordinary, and nothing that is not valid."""

import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from agentpolicy.documents.document import Value
from agentpolicy.loading.plainly_valid import plainly_valid
from jsonschema_rs import Draft7Validator
from tests.policy_repo import BAND_PATH, begin

TEXTS = {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "minItems": 1}
SHAPE = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}
NAMED = {
    "type": "object",
    "propertyNames": {"pattern": "^[a-z]+$"},
    "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1},
}
CHOICE = {"anyOf": [{"const": "exact", "type": "string"}, TEXTS]}
LEVEL = {"type": "string", "enum": ["low", "high"]}
SHORT = {"type": "string", "minLength": 2, "maxLength": 3}
DATE = {"type": "string", "pattern": "^[0-9]{4}$"}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (TEXTS, ("a", "b")),
        (SHAPE, {"a": 1}),
        (SHAPE, {"a": 1, "b": "x"}),
        (NAMED, {"a": Decimal("0.5"), "b": 1}),
        (CHOICE, "exact"),
        (CHOICE, ("a",)),
        (LEVEL, "low"),
        (SHORT, "é€"),
        (DATE, "2026"),
        ({"type": "boolean"}, True),
    ],
)
def test_what_is_ordinary_is_accepted(schema: dict[str, Any], value: Value) -> None:
    assert plainly_valid(schema, value)
    assert Draft7Validator(schema).is_valid(value)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (TEXTS, ()),
        (TEXTS, ("a", "a")),
        (TEXTS, ("a", 1)),
        (TEXTS, "a"),
        (SHAPE, {}),
        (SHAPE, {"b": "x"}),
        (SHAPE, {"a": 1, "c": 1}),
        (SHAPE, {"a": True}),
        (SHAPE, {"a": "1"}),
        (SHAPE, ()),
        (NAMED, {"A": 1}),
        (NAMED, {"a": 2}),
        (NAMED, {"a": Decimal("-0.1")}),
        (NAMED, {"a": True}),
        (CHOICE, "other"),
        (CHOICE, ()),
        (LEVEL, "medium"),
        (LEVEL, 1),
        (SHORT, "x"),
        (SHORT, "xxxx"),
        (DATE, "02026"),
        (DATE, "2026\n"),
        ({"type": "boolean"}, 1),
        ({"type": "number"}, False),
    ],
)
def test_what_is_not_valid_is_never_accepted(schema: dict[str, Any], value: Value) -> None:
    assert not plainly_valid(schema, value)
    assert not Draft7Validator(schema).is_valid(value)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer"}, Decimal("3.0")),
        ({"type": ["string", "integer"]}, "a"),
        ({"type": "string", "pattern": r"^\w+$"}, "é"),
        ({"type": "array", "uniqueItems": True}, (1, 2)),
        ({"not": {"type": "string"}}, 1),
    ],
)
def test_what_is_in_doubt_is_left_to_the_validator(schema: dict[str, Any], value: Value) -> None:
    assert not plainly_valid(schema, value)


def test_a_hook_that_sees_a_signed_change_does_not_load_the_validator(tmp_path: Path) -> None:
    made = begin(tmp_path / "repo")
    made.edit(BAND_PATH, "max: 1.4\n", "max: 1.3\n")
    assert made.sign().code == 0
    made.repo.git("add", "-A")
    ask = (
        "import sys; from agentpolicy.cli.hook_entry import answer; "
        "print(answer('pre-commit'), 'jsonschema_rs' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", ask],
        cwd=made.path, env=made.repo.environ, capture_output=True, check=True, text=True,
    )  # fmt: skip
    assert done.stdout.split() == ["0", "False"]
