"""Columns of large logs that were read before, by the content of the log.

Whoever may write the folder may write what stands in it, so that a verdict that is recorded is
never judged from it: only an answer that admits nothing by itself is.
"""

import hashlib
import json
import os
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from agentpolicy.runs.amounts import Amounts
from agentpolicy.runs.table import LABELS, MEASURES, Coded, RunTable

_PART = "part of "
_READING = ("loading/run_rows.py", "loading/run_fields.py", "loading/run_table.py",
            "runs/amounts.py", "runs/table.py", "runs/record.py")  # fmt: skip
"""The code that decides what the columns of a log are: other code, other columns."""
MOST = 8
"""So many logs are kept, the latest ones."""
BLOCK = 1024 * 1024


class TableStore:
    """The columns that one user's folder holds."""

    def __init__(self, folder: Path) -> None:
        """Look for columns in a folder, which need not be there yet."""
        self._folder = folder

    def find(self, paths: Sequence[Path]) -> tuple[RunTable, dict[str, int]] | None:
        """Give the columns of some files, and each file's bytes by its digest, if they are there.

        Cost: one pass over the files' bytes, and none where nothing of their size is kept.
        """
        size = sum(path.stat().st_size for path in paths)
        kept = {file.name for file in self._folder.glob(f"{size}-*.npz")}
        if not kept:
            return None
        sizes = {_digest(path): path.stat().st_size for path in paths}
        name = _name(sizes)
        if name not in kept:
            return None
        with suppress(OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
            return _loaded(self._folder / name), sizes
        return None

    def keep(self, table: RunTable, sizes: Mapping[str, int]) -> None:
        """Keep the columns of some files, at once or not at all; what was put aside is not kept."""
        if table.unreadable:
            return
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._folder)
            with os.fdopen(handle, "wb") as file:
                np.savez(file, **_columns(table))
            Path(name).replace(self._folder / _name(sizes))
            oldest = sorted(self._folder.glob("*.npz"), key=lambda entry: entry.stat().st_mtime)
            for entry in oldest[:-MOST]:
                entry.unlink()


def _digest(path: Path) -> str:
    read = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            read.update(block)
    return f"sha256:{read.hexdigest()}"


def _name(sizes: Mapping[str, int]) -> str:
    """Name an entry by the size and content of its files, and by the code that reads them."""
    reading = hashlib.sha256("\n".join(sorted(sizes)).encode())
    for module in _READING:
        reading.update((files("agentpolicy") / module).read_bytes())
    return f"{sum(sizes.values())}-{reading.hexdigest()}.npz"


def _columns(table: RunTable) -> dict[str, Any]:
    """Write a table as plain arrays; the distinct values, and what is known, as one JSON text."""
    known = {
        "values": {
            name: [_written(one) for one in column.values] for name, column in table.labels.items()
        },
        "finer": {name: [str(one) for one in table.amounts[name].finer] for name in MEASURES},
        "digest": table.digest,
        "importer": table.importer,
        "missing": dict(table.missing),
    }
    return {
        "known": np.frombuffer(json.dumps(known).encode(), dtype=np.uint8),
        "correct": table.correct,
        "finished": table.finished,
        **{name: column.codes for name, column in table.labels.items()},
        **{name: table.amounts[name].units for name in MEASURES},
        **{
            f"{_PART}{name}": column.parts
            for name, column in table.amounts.items()
            if column.parts is not None
        },
    }


def _loaded(place: Path) -> RunTable:
    # numpy leaves a file that it opened itself open where the archive is damaged.
    with place.open("rb") as file, np.load(file, allow_pickle=False) as columns:
        known = json.loads(columns["known"].tobytes())
        return RunTable(
            labels={
                name: Coded(columns[name], tuple(map(_read, known["values"][name])))
                for name in LABELS
            },
            correct=columns["correct"],
            finished=columns["finished"],
            amounts={
                name: Amounts(
                    columns[name],
                    tuple(map(Decimal, known["finer"][name])),
                    columns.get(f"{_PART}{name}"),
                )
                for name in MEASURES
            },
            digest=known["digest"],
            importer=known["importer"],
            missing=known["missing"],
        )


def _written(value: object) -> object:
    """Write one distinct value; only tools are sets, and only sets become lists."""
    return sorted(value) if isinstance(value, frozenset) else value


def _read(value: object) -> Any:  # noqa: ANN401 - a text, None, or a set of texts
    return frozenset(value) if isinstance(value, list) else value
