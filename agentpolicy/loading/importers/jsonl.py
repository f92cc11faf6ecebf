"""The own format: one run record a line."""

from collections.abc import Iterator
from functools import partial

from agentpolicy.base.errors import InputError
from agentpolicy.base.source import Position
from agentpolicy.loading.importers.importer import Importer, Placed
from agentpolicy.loading.runs_json import check_depth, check_duplicates, typed
from agentpolicy.runs.record import DECODER, ENCODER, RunRecord


def read(path: str, data: bytes) -> Iterator[Placed]:
    """Read one record a line; lines of white space separate nothing and are passed over."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        at = Position(path, number, 1)
        try:
            yield at, record_of(at, line)
        except InputError as error:
            yield at, error.problems[0]


def record_of(at: Position, line: bytes) -> RunRecord:
    """Read one record, with its place where it cannot be read.

    Raises:
        InputError: the line is not exactly one well-formed record.
    """
    check_depth(at, line)
    record = typed(at, partial(DECODER.decode, line))
    check_duplicates(at, line, ENCODER.encode(record))
    return record


def _recognises(value: object) -> bool:
    return isinstance(value, dict) and {"run_id", "fixture_id"} <= value.keys()


JSONL = Importer("jsonl", "agentpolicy run records", _recognises, read, in_lines=True)
