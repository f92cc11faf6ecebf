"""Run files become one run set. Which importer reads a file is seen from its bytes, and told."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping

from agentpolicy.base.canonical import digest
from agentpolicy.base.errors import InputError, Problem, UndecidedError
from agentpolicy.base.source import Position
from agentpolicy.loading.runs_json import refuse
from agentpolicy.loading.runs_jsonl import read_jsonl
from agentpolicy.loading.runs_manifest import read_manifest
from agentpolicy.loading.runs_tau_bench import read_tau_bench
from agentpolicy.runs.record import SETTABLE, RunRecord, filled
from agentpolicy.runs.run_set import RunSet, missing_of

Placed = tuple[Position, RunRecord]
IMPORTERS: Mapping[str, Callable[[str, bytes], Iterator[Placed]]] = {
    "jsonl": read_jsonl,
    "manifest": read_manifest,
    "tau-bench": read_tau_bench,
}
"""The formats by the name `--input-format` knows them by."""


def read_runs(
    files: Iterable[tuple[str, bytes]],
    input_format: str | None = None,
    set_fields: Mapping[str, str] | None = None,
) -> RunSet:
    """Read all runs of some files into one set, refusing whatever is not certain.

    Args:
        files: path as the user gave it, and bytes.
        input_format: the importer to use; None sees it from each file's bytes.
        set_fields: labels to fill in where a record does not carry them.

    Raises:
        InputError: a file cannot be read, two runs claim one place, or a label contradicts.
        UndecidedError: there is no run at all.
    """
    labels = dict(set_fields or {})
    _check_labels(labels)
    placed: list[Placed] = []
    digests: dict[str, str] = {}
    formats: dict[str, None] = {}
    for path, data in files:
        name = input_format or detect(data)
        if name not in IMPORTERS:
            raise InputError(
                Problem(
                    "run-format-unknown",
                    f"no importer is called {name!r}",
                    f"use --input-format with one of: {', '.join(IMPORTERS)}",
                )
            )
        digests[path] = digest(data)
        formats[name] = None
        placed.extend(IMPORTERS[name](path, data))
    _check_unique(placed)
    _check_contradictions(placed, labels)
    records, hand_set = _fill([record for _, record in placed], labels)
    if not records:
        raise UndecidedError(
            Problem("no-runs", "there is no run to judge", "give --runs a file that holds runs")
        )
    return RunSet(records, digests, "+".join(formats), missing_of(records), hand_set)


def detect(data: bytes) -> str:
    """See from a file's bytes which importer reads it; what is nothing else is JSONL."""
    start = data.lstrip()[:1]
    if start == b"[":
        return "tau-bench"
    if start == b"{" and b'"fixtures"' in data:
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            return "jsonl"
        if isinstance(value, dict) and "fixtures" in value:
            return "manifest"
    return "jsonl"


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


def _check_unique(placed: Iterable[Placed]) -> None:
    """Refuse a second record with the same run id, or for the same attempt at a fixture."""
    by_id: dict[str, Position] = {}
    by_place: dict[tuple[str, int], Position] = {}
    for at, record in placed:
        if record.run_id in by_id:
            first = by_id[record.run_id]
            refuse(at, f"run id {record.run_id!r} stands twice, first at {first}", code="run-twice")
        place = (record.fixture_id, record.attempt)
        if place in by_place:
            refuse(
                at,
                f"attempt {record.attempt} at fixture {record.fixture_id!r} stands twice, "
                f"first at {by_place[place]}",
                "number repeated runs of a fixture with `attempt`",
                code="run-twice",
            )
        by_id[record.run_id] = by_place[place] = at


def _check_contradictions(placed: Iterable[Placed], labels: Mapping[str, str]) -> None:
    """Refuse a label that says something else than a record does."""
    for at, record in placed:
        for name, text in labels.items():
            own = getattr(record, name)
            if own is not None and own != text:
                refuse(
                    at,
                    f"run {record.run_id!r} says {name} {own!r}, --set says {text!r}",
                    "--set only fills what a log does not carry",
                    code="label-contradicts",
                )


def _fill(
    records: list[RunRecord], labels: Mapping[str, str]
) -> tuple[tuple[RunRecord, ...], frozenset[str]]:
    """Fill missing labels in, and remember which labels were needed anywhere."""
    used: set[str] = set()
    if not labels:
        return tuple(records), frozenset()
    complete = []
    for record in records:
        lacking = {name: text for name, text in labels.items() if getattr(record, name) is None}
        used.update(lacking)
        complete.append(filled(record, lacking) if lacking else record)
    return tuple(complete), frozenset(used)
