"""What an importer is, and what it makes of a file: runs, and records it could not read."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TypeVar

import msgspec

from agentpolicy.base.canonical import digest
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.base.source import Position
from agentpolicy.loading.runs_json import CORRECT, typed
from agentpolicy.runs.record import DECODER, ENCODER, RunRecord

Placed = tuple[Position, RunRecord | Problem]
"""A run with its place in the file, or why the record there could not be read."""
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Importer:
    """Reads one format."""

    name: str
    """What `--input-format` calls it."""
    title: str
    """What people call it."""
    recognises: Callable[[object], bool]
    """Whether a file that begins with this JSON value is of the format; see `in_lines`."""
    read: Callable[[str, bytes], Iterator[Placed]]
    """Read a file, given its path and bytes. What the log does not say stays missing.

    A record that cannot be read is given as the problem it has, so that the others are read all
    the same; an `InputError` says that nothing of the file can be.
    """
    in_lines: bool = False
    """Whether a file holds one JSON value a line, rather than one in all."""


def fixture_named(path: str) -> str:
    """Name the fixture of a file that holds one run and names none: by the file's own name."""
    return PurePosixPath(path).stem


def run_named(path: str, data: bytes) -> str:
    """Name the run of a file that names none: by its content, wherever the file lies."""
    return f"{fixture_named(path)}-{digest(data).removeprefix('sha256:')[:16]}"


def each(
    at: Position, items: Iterable[Item], read: Callable[[Item], RunRecord]
) -> Iterator[Placed]:
    """Read the runs of a file one by one, putting aside those that cannot be read."""
    for item in items:
        try:
            yield at, checked(at, read(item))
        except InputError as error:
            yield at, error.problems[0]
        except msgspec.ValidationError as error:
            yield at, Problem("run-malformed", f"this run cannot be read: {error}", CORRECT,
                              at.path, at)  # fmt: skip


def checked(at: Position, record: RunRecord) -> RunRecord:
    """Hold a record that was put together from a log to all that is asked of a written one.

    Raises:
        InputError: a value is out of range, such as a time that ran backwards.
    """
    return typed(at, lambda: DECODER.decode(ENCODER.encode(record)))
