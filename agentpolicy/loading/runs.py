"""Run files become one run set. Which importer reads a file is seen from its bytes, and told."""

import io
import json
import zipfile
from collections.abc import Iterable, Mapping

from agentpolicy.base.canonical import digest
from agentpolicy.base.errors import InputError, Problem, UndecidedError
from agentpolicy.base.source import Position
from agentpolicy.loading.importers.agent_inspect import AGENT_INSPECT
from agentpolicy.loading.importers.anthropic_chat import ANTHROPIC
from agentpolicy.loading.importers.importer import Importer, Placed
from agentpolicy.loading.importers.inspect_log import INSPECT, in_archive
from agentpolicy.loading.importers.jsonl import JSONL
from agentpolicy.loading.importers.manifest import MANIFEST
from agentpolicy.loading.importers.openai_chat import OPENAI
from agentpolicy.loading.importers.otel import OTEL
from agentpolicy.loading.importers.promptfoo import PROMPTFOO
from agentpolicy.loading.importers.swe_agent import SWE_AGENT
from agentpolicy.loading.importers.tau2_bench import TAU2_BENCH
from agentpolicy.loading.importers.tau_bench import TAU_BENCH
from agentpolicy.loading.runs_json import refuse
from agentpolicy.runs.record import SETTABLE, RunRecord, filled
from agentpolicy.runs.run_set import RunSet, missing_of

IMPORTERS: Mapping[str, Importer] = {
    importer.name: importer
    for importer in (
        JSONL,
        MANIFEST,
        TAU_BENCH,
        SWE_AGENT,
        AGENT_INSPECT,
        INSPECT,
        TAU2_BENCH,
        PROMPTFOO,
        OTEL,
        ANTHROPIC,
        OPENAI,
    )
}
"""The formats by the name `--input-format` knows them by, in the order they are looked for."""


def read_runs(
    files: Iterable[tuple[str, bytes]],
    input_format: str | None = None,
    set_fields: Mapping[str, str] | None = None,
) -> RunSet:
    """Read all runs of some files into one set; a record that cannot be read is put aside.

    Args:
        files: path as the user gave it, and bytes.
        input_format: the importer to use; None sees it from each file's bytes.
        set_fields: labels to fill in where a record does not carry them.

    Raises:
        InputError: nothing of a file can be read, or a label contradicts.
        UndecidedError: there is no run at all.
    """
    labels = dict(set_fields or {})
    _check_labels(labels)
    placed: list[Placed] = []
    digests: dict[str, str] = {}
    formats: dict[str, str] = {}
    for path, data in files:
        importer = _named(input_format) if input_format else detect(data)
        digests[path] = digest(data)
        formats[path] = importer.name
        placed.extend(importer.read(path, data))
    records, unreadable = _apart(placed)
    if not records:
        _refuse_nothing(unreadable)
    complete, hand_set = _fill(records, labels)
    return RunSet(complete, digests, formats, missing_of(complete), hand_set, tuple(unreadable))


def detect(data: bytes) -> Importer:
    """See from a file's bytes which importer reads it; lines that are nothing else are JSONL.

    Raises:
        InputError: the file is one JSON value that no importer knows.
    """
    if data.startswith(b"PK") and in_archive(_members(data)):
        return INSPECT
    first, whole = _first_value(data.removeprefix(b"\xef\xbb\xbf"))
    for importer in IMPORTERS.values():
        if (whole or importer.in_lines) and importer.recognises(first):
            return importer
    if whole and b"\n" in data.strip():
        keys = ", ".join(sorted(first)[:5]) if isinstance(first, dict) else type(first).__name__
        raise InputError(
            Problem(
                "run-format-unseen",
                f"no importer knows a file that holds {keys}",
                f"use --input-format with one of: {', '.join(IMPORTERS)}",
            )
        )
    return JSONL


def _members(data: bytes) -> list[str]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.namelist()
    except (zipfile.BadZipFile, OSError):
        return []


def _first_value(data: bytes) -> tuple[object, bool]:
    """Read the first JSON value of a file, and say whether it is all there is."""
    line, _, rest = data.lstrip().partition(b"\n")
    try:
        return json.loads(line), not rest.strip()
    except (ValueError, RecursionError):
        pass
    try:
        return json.loads(data), True
    except (ValueError, RecursionError):
        return None, False


def _named(name: str) -> Importer:
    if name not in IMPORTERS:
        words = f"no importer is called {name!r}"
        hint = f"use --input-format with one of: {', '.join(IMPORTERS)}"
        raise InputError(Problem("run-format-unknown", words, hint))
    return IMPORTERS[name]


def _check_labels(labels: Mapping[str, str]) -> None:
    """Refuse to fill in by hand what only a log can know."""
    for name in labels:
        if name not in SETTABLE:
            raise InputError(
                Problem(
                    "label-unknown",
                    f"{name} cannot be set by hand",
                    f"--set fills one of: {', '.join(SETTABLE)}",
                )
            )


def _apart(placed: Iterable[Placed]) -> tuple[list[tuple[Position, RunRecord]], list[Problem]]:
    """Part runs from what cannot be read; of two that claim one place, the first is a run."""
    runs: list[tuple[Position, RunRecord]] = []
    unreadable: list[Problem] = []
    seen: dict[str | tuple[str, int], Position] = {}
    for at, record in placed:
        if isinstance(record, Problem):
            unreadable.append(record)
            continue
        twice = _twice(at, record, seen)
        if twice is not None:
            unreadable.append(twice)
            continue
        seen[record.run_id] = seen[record.fixture_id, record.attempt] = at
        runs.append((at, record))
    return runs, unreadable


def _twice(
    at: Position, record: RunRecord, seen: Mapping[str | tuple[str, int], Position]
) -> Problem | None:
    """Say what is wrong with a second record of one run id, or of one attempt at a fixture."""
    place = (record.fixture_id, record.attempt)
    if record.run_id in seen:
        words = f"run id {record.run_id!r} stands twice, first at {seen[record.run_id]}"
        hint = "give every run an id of its own"
    elif place in seen:
        words = (
            f"attempt {record.attempt} at fixture {record.fixture_id!r} stands twice, "
            f"first at {seen[place]}"
        )
        hint = "number repeated runs of a fixture with `attempt`"
    else:
        return None
    return Problem("run-twice", words, hint, at.path, at)


def _refuse_nothing(unreadable: Iterable[Problem]) -> None:
    """Stop where there is no run: because none can be read, or because there is none."""
    problems = tuple(unreadable)
    if problems:
        raise InputError(*problems)
    raise UndecidedError(
        Problem("no-runs", "there is no run to judge", "give --runs a file that holds runs")
    )


def _fill(
    runs: Iterable[tuple[Position, RunRecord]], labels: Mapping[str, str]
) -> tuple[tuple[RunRecord, ...], frozenset[str]]:
    """Fill missing labels in, and remember which labels were needed anywhere.

    Raises:
        InputError: a label says something else than a record does.
    """
    used: set[str] = set()
    complete = []
    for at, record in runs:
        lacking = {}
        for name, text in labels.items():
            own = getattr(record, name)
            if own is None:
                lacking[name] = text
            elif own != text:
                refuse(
                    at,
                    f"run {record.run_id!r} says {name} {own!r}, --set says {text!r}",
                    "--set only fills what a log does not carry",
                    code="label-contradicts",
                )
        used.update(lacking)
        complete.append(filled(record, lacking) if lacking else record)
    return tuple(complete), frozenset(used)
