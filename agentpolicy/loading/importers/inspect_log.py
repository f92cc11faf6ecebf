"""Inspect AI logs, as `.json` or as `.eval`: which samples there are, and which are missing.

A log may be partial: cancelled, still running, or written without its samples. A planned sample
that is not there is a run that shows nothing; it never leaves the denominator.
"""

import io
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from agentpolicy.base.source import Position
from agentpolicy.loading.importers.importer import Importer, Placed, each
from agentpolicy.loading.importers.inspect_sample import Evaluation, Sample, run_of
from agentpolicy.loading.runs_json import refuse, typed, whole_json
from agentpolicy.runs.record import Count, RunRecord

MAX_SAMPLE_BYTES = 512 * 1024 * 1024
"""A larger sample is no log of an agent, and an archive may claim any size."""
_NOT_THERE = "the log does not hold this planned sample"
_START = "_journal/start.json"


class _Results(msgspec.Struct, frozen=True):
    total_samples: Count = 0


class _Log(msgspec.Struct, frozen=True):
    eval: Evaluation
    results: _Results | None = None
    samples: tuple[Any, ...] | None = None


def read(path: str, data: bytes) -> Iterator[Placed]:
    """Read every sample of a log as one run, and each planned one that is missing as a run too.

    Raises:
        InputError: the log is damaged, or compressed in a way that cannot be read here.
    """
    at = Position(path, 1, 1)
    log = _archive(at, data) if data.startswith(b"PK") else _header(at, whole_json(path, data))
    present: set[tuple[str, int]] = set()
    for place, record in each(at, log.samples or (), lambda one: _run(at, log.eval, one)):
        if isinstance(record, RunRecord):
            present.add((record.fixture_id, record.attempt))
        yield place, record
    yield from each(at, _missing(log, present), lambda one: _absent(log.eval, *one))


def _absent(evaluation: Evaluation, fixture: str, epoch: int) -> RunRecord:
    return RunRecord(evaluation.run_named(fixture, epoch), fixture, epoch, infra_error=_NOT_THERE)


def _run(at: Position, evaluation: Evaluation, value: object) -> RunRecord:
    return run_of(at, evaluation, typed(at, lambda: msgspec.convert(value, Sample)))


def _header(at: Position, value: object) -> _Log:
    return typed(at, lambda: msgspec.convert(value, _Log))


def _missing(log: _Log, present: set[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Name the planned samples that are not there, as far as the log names them."""
    planned = log.eval
    epochs = max([planned.config.epochs or 1, *(epoch for _, epoch in present)])
    named = [str(one) for one in planned.dataset.sample_ids or ()]
    named = named[: planned.config.limit] if isinstance(planned.config.limit, int) else named
    absent = [
        (one, epoch)
        for one in named
        for epoch in range(1, epochs + 1)
        if (one, epoch) not in present
    ]
    yield from absent
    total = max(log.results.total_samples if log.results else 0, len(present))
    for number in range(len(present) + len(absent) + 1, total + 1):
        yield f"not in the log ({number})", 1


def _archive(at: Position, data: bytes) -> _Log:
    """Read a `.eval` archive; without its last header the run was cut off."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            header = "header.json" if "header.json" in names else _START
            log = _header(at, _member(at, archive, header))
            samples = [name for name in names if name.startswith("samples/")]
            read_samples = tuple(_member(at, archive, name) for name in sorted(samples))
            return msgspec.structs.replace(log, samples=read_samples)
    except (zipfile.BadZipFile, KeyError, EOFError, OSError) as error:
        refuse(at, f"the archive is damaged: {error}", "copy the log again, or write it anew")
    except NotImplementedError as error:
        refuse(at, f"the archive cannot be read: {error}", "inspect log convert --to json LOG")


def _member(at: Position, archive: zipfile.ZipFile, name: str) -> Any:  # noqa: ANN401 - JSON
    if archive.getinfo(name).file_size > MAX_SAMPLE_BYTES:
        refuse(at, f"{name} is larger than any sample", "look at what wrote this archive")
    return whole_json(f"{at.path}:{name}", archive.read(name))


def _recognises(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    evaluation = value.get("eval")
    return isinstance(evaluation, dict) and {"task", "dataset"} <= evaluation.keys()


def in_archive(names: Sequence[str]) -> bool:
    """Say whether an archive with these members is one."""
    return "header.json" in names or _START in names


INSPECT = Importer("inspect", "an Inspect AI log", _recognises, read)
