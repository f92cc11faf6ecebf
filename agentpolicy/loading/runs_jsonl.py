"""The own format: one run record a line."""

from collections.abc import Iterator
from functools import partial

from agentpolicy.base.source import Position
from agentpolicy.loading.runs_json import check_depth, check_duplicates, typed
from agentpolicy.runs.record import DECODER, ENCODER, RunRecord


def read_jsonl(path: str, data: bytes) -> Iterator[tuple[Position, RunRecord]]:
    """Read one record a line; lines of white space separate nothing and are passed over.

    Raises:
        InputError: a line is not exactly one well-formed run record.
    """
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        at = Position(path, number, 1)
        check_depth(at, line)
        record = typed(at, partial(DECODER.decode, line))
        check_duplicates(at, line, ENCODER.encode(record))
        yield at, record
