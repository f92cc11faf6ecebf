"""Every answer in JSON has a published shape, and one that lacks a promised key is not of it."""

import json
from pathlib import Path

import click
import pytest
from agentpolicy.cli.main import program
from agentpolicy.report.published.policy_answers import POLICY_ANSWERS
from agentpolicy.report.published.run_answers import RUN_ANSWERS
from agentpolicy.workflows.generate import SCHEMAS
from jsonschema_rs import Draft7Validator
from tests.answers import schema_name

ANSWERS = POLICY_ANSWERS | RUN_ANSWERS


def commands(group: click.Group, words: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """List the commands that answer in JSON."""
    context, found = click.Context(group), []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            found += commands(command, (*words, name))
        elif command and any("json" in _choices(one) for one in command.params):
            found.append((*words, name))
    return found


def _choices(parameter: click.Parameter) -> tuple[str, ...]:
    kind = parameter.type
    named = parameter.name == "form" and isinstance(kind, click.Choice)
    return tuple(map(str, kind.choices)) if named and isinstance(kind, click.Choice) else ()


@pytest.mark.parametrize("words", commands(program), ids=" ".join)
def test_every_command_that_answers_in_json_has_a_published_shape(words: tuple[str, ...]) -> None:
    assert schema_name(words) in ANSWERS


@pytest.mark.parametrize("name", ANSWERS)
def test_a_shape_is_a_schema_and_asks_for_what_it_promises(name: str) -> None:
    schema = json.loads((Path(SCHEMAS) / "output" / f"{name}.schema.json").read_text())
    assert not Draft7Validator(schema).is_valid({"format_version": 1})
    assert not Draft7Validator(schema).is_valid([])
