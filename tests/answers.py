"""Holds every JSON answer that a test gets to the schema that is published for it."""

import json
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from agentpolicy.workflows.generate import SCHEMAS
from jsonschema_rs import Draft7Validator

SHARED = {
    "roles-check": "check",
    "gate-budget": "gate",
    "gate-band": "gate",
    "gate-release": "gate",
}
"""Commands that answer in the shape of another."""


def schema_name(words: Sequence[str]) -> str:
    """Name the schema of what was typed: the longest run of its first words that has one."""
    named = "-".join(word for word in words[:2] if not word.startswith("-"))
    named = SHARED.get(named, named)
    return named if (SCHEMAS / "output" / f"{named}.schema.json").exists() else words[0]


def hold(words: Sequence[str], out: str) -> None:
    """Insist that an answer in JSON has its published shape."""
    if ("--format", "json") in pairwise(words) and out.startswith("{"):
        _validator(schema_name(words)).validate(json.loads(out))


@cache
def _validator(name: str) -> Any:  # noqa: ANN401 - ships no types
    text = (SCHEMAS / "output" / f"{name}.schema.json").read_text(encoding="utf-8")
    return Draft7Validator(json.loads(text))
