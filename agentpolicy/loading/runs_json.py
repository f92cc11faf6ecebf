"""JSON of run files, read strictly: no duplicate keys, no NaN, exact numbers, bounded depth."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, TypeVar

import msgspec

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.base.source import Position
from agentpolicy.runs.record import exact_number

MAX_DEPTH = 100
"""Deeper nesting is no evidence of an agent run, and would exhaust the stack."""

CORRECT = "correct this record; run.schema.json says what one may hold"
"""What to do about a record that is no record."""

Decoded = TypeVar("Decoded")
_WHOLE = "write the log anew; agentpolicy never reads part of a record"
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_BYTE = re.compile(r" \(byte ([0-9]+)\)")


def refuse(
    at: Position, message: str, hint: str = CORRECT, code: str = "run-malformed"
) -> NoReturn:
    """Stop at a place of a run file with one sentence.

    Raises:
        InputError: always.
    """
    raise InputError(Problem(code, message, hint, at.path, at))


def typed(at: Position, decode: Callable[[], Decoded]) -> Decoded:
    """Run a typed decoding and translate what it refuses.

    Raises:
        InputError: the bytes are not JSON, or not of the expected shape.
    """
    try:
        return decode()
    except (msgspec.MsgspecError, RecursionError, UnicodeError, ValueError, TypeError) as error:
        text = str(error) or type(error).__name__
        byte = _BYTE.search(text)
        place = Position(at.path, at.line, int(byte[1]) + 1) if byte else at
        problem = Problem(
            "run-malformed",
            f"this run cannot be read: {_BYTE.sub('', text)}",
            CORRECT,
            at.path,
            place,
        )
        raise InputError(problem) from error


def whole_json(path: str, data: bytes) -> Any:  # noqa: ANN401 - JSON of any shape
    """Read a file that is one JSON value, keeping numbers exact.

    Raises:
        InputError: not UTF-8, not JSON, a duplicate key, NaN, a lone surrogate, or too deep.
    """
    return json_at(Position(path, 1, 1), data)


def json_lines(path: str, data: bytes) -> Iterator[tuple[Position, Any]]:
    """Read a file of one JSON value a line; lines of white space are passed over.

    Raises:
        InputError: a line that cannot be read, as `whole_json` says.
    """
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            at = Position(path, number, 1)
            yield at, json_at(at, line)


def json_at(at: Position, data: bytes) -> Any:  # noqa: ANN401 - JSON of any shape
    """Read one JSON value that begins at a place of a file; see `whole_json`."""
    check_depth(at, data)
    try:
        text = data.decode("utf-8")
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_float=exact_number,
            parse_constant=_no_constant,
        )
        json.dumps(value, ensure_ascii=False, default=str).encode("utf-8")
    except json.JSONDecodeError as error:
        place = Position(at.path, at.line + error.lineno - 1, error.colno)
        problem = Problem("run-malformed", f"this is not JSON: {error.msg}", _WHOLE, at.path, place)
        raise InputError(problem) from error
    except (UnicodeError, ValueError) as error:
        raise InputError(Problem("run-malformed", str(error), _WHOLE, at.path, at)) from error
    return value


def check_duplicates(at: Position, line: bytes, written: bytes) -> None:
    """Refuse an object that names one key twice; readers differ in which of the two they keep.

    `written` is the decoded record, written back. The reader keeps one of two equal keys, so a
    duplicate leaves fewer colons than the line has; escapes could hide colons. Only a line that
    differs in this way is read a second time, with every key looked at.

    Raises:
        InputError: a key stands twice in one object.
    """
    if b"\\u003" not in line and line.count(b":") == written.count(b":"):
        return
    try:
        json.loads(line, object_pairs_hook=_unique)
    except ValueError as error:
        raise InputError(Problem("run-malformed", str(error), CORRECT, at.path, at)) from error


def check_depth(at: Position, data: bytes) -> None:
    """Refuse nesting beyond `MAX_DEPTH`; brackets inside text do not count.

    Raises:
        InputError: the value nests too deeply.
    """
    if data.count(b"[") + data.count(b"{") <= MAX_DEPTH:
        return
    depth = 0
    for byte in _STRING.sub(b"", data):
        if byte in b"[{":
            depth += 1
            if depth > MAX_DEPTH:
                refuse(at, f"the value nests more than {MAX_DEPTH} deep")
        elif byte in b"]}":
            depth -= 1


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object, refusing a key that stands twice."""
    built: dict[str, Any] = {}
    for key, value in pairs:
        if key in built:
            raise ValueError(f"the key {key!r} stands twice in one object")
        built[key] = value
    return built


def _no_constant(name: str) -> NoReturn:
    """Refuse NaN and the infinities, which are not JSON."""
    raise ValueError(f"{name} is not a number that can be measured")
