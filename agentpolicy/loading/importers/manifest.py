"""The run manifest: one JSON object with one record per fixture, all under one run id."""

from collections.abc import Iterator
from typing import Any

import msgspec

from agentpolicy.base.source import Position
from agentpolicy.loading.importers.importer import Importer, Placed
from agentpolicy.loading.runs_json import typed, whole_json
from agentpolicy.runs.record import Id, RunRecord, ToolCall


class _Fixture(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    task_id: Id
    tool_calls: tuple[ToolCall, ...] | None = None
    final_answer: str | None = None
    refused: bool | None = None


class _Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    run_id: Id
    fixtures: tuple[_Fixture, ...]
    instructions_ref: str | None = None
    model: str | None = None
    temperature: Any = None
    seed: Any = None


def read(path: str, data: bytes) -> Iterator[Placed]:
    """Read a manifest as attempt 1 of each of its fixtures.

    The manifest names the set; a fixture's own run id is that name, a slash, and its task id.

    Raises:
        InputError: the file is not a well-formed manifest.
    """
    at = Position(path, 1, 1)
    value = whole_json(path, data)
    manifest = typed(at, lambda: msgspec.convert(value, _Manifest))
    sampling = {
        name: number
        for name, number in (("temperature", manifest.temperature), ("seed", manifest.seed))
        if number is not None
    }
    for fixture in manifest.fixtures:
        yield (
            at,
            RunRecord(
                run_id=f"{manifest.run_id}/{fixture.task_id}",
                fixture_id=fixture.task_id,
                subject=manifest.instructions_ref,
                tool_calls=fixture.tool_calls,
                final_answer=fixture.final_answer,
                refused=fixture.refused,
                requested_model=manifest.model,
                sampling=sampling or None,
            ),
        )


def _recognises(value: object) -> bool:
    return isinstance(value, dict) and "fixtures" in value


MANIFEST = Importer("manifest", "a run manifest", _recognises, read)
