"""Which characters a policy file may hold: what a reviewer sees is what the machine reads.

Decided on the bytes, before any YAML parser sees them. The ranges are written out rather than
asked of the Unicode tables, so that every version of Python gives the same answer.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import NamedTuple

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.base.source import Position

MAX_BYTES = 256 * 1024
"""The largest policy file; anything larger is refused before it is looked at."""
MAX_PROBLEMS = 50
"""As many complaints as one file may cause; the rest is counted, not listed."""


class _Refused(NamedTuple):
    code: str
    what: str
    hint: str
    ranges: str
    """The characters, as the inside of a regular expression's brackets."""


_REFUSED: tuple[_Refused, ...] = (
    _Refused("carriage-return", "a carriage return", "save the file with LF line ends", "\r"),
    _Refused("tab", "a tab", "use spaces", "\t"),
    _Refused(
        "line-separator", "a line break that only some programs see", "end lines with LF",
        "\x85\u2028\u2029",
    ),
    _Refused(
        "control-character", "a control character", "delete it",
        "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f",
    ),
    _Refused("byte-order-mark", "a byte order mark", "save as UTF-8 without BOM", "\ufeff"),
    _Refused("not-utf8", "a byte that is not UTF-8", "save the file as UTF-8", "\ud800-\udfff"),
    _Refused(
        "bidi-character", "a character that changes the direction of writing", "delete it",
        "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069",
    ),
    _Refused(
        "unusual-space", "a space that only looks like one", "write a plain space",
        "\xa0\u1680\u2000-\u200a\u202f\u205f\u3000\u2800",
    ),
    _Refused(
        "invisible-character", "a character that cannot be seen", "delete it",
        "\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f"
        "\u3164\ufe00-\ufe0f\uffa0\ufff0-\uffff\ue000-\uf8ff\ufdd0-\ufdef"
        "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff",
    ),
)  # fmt: skip
_SHOWN = 40
"""As much of an offending text as a message shows."""
_VISIBLE_ASCII = b"\n" + bytes(range(0x20, 0x7F))


def read_text(path: str, data: bytes) -> str:
    """Decode the bytes of a policy file, or refuse them with the place of every wrong character.

    Raises:
        InputError: too large, not UTF-8, or a character that a reviewer cannot see as it is.
    """
    if len(data) > MAX_BYTES:
        raise InputError(_too_large(path, len(data)))
    if not data.translate(None, _VISIBLE_ASCII):
        return data.decode("ascii")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or data[:2].count(0) == 1:
        raise InputError(_utf16(path))
    text = data.decode("utf-8", "surrogateescape")
    if _any().search(text) or not unicodedata.is_normalized("NFC", text):
        raise InputError(*at_most(_character_problems(path, text)))
    return text


def unclean(value: str) -> str:
    r"""Say what is wrong with an unescaped text, in words; empty when nothing is.

    An escape such as `\u202e` hides a character from the check of the file itself.
    """
    if value.isascii() and not value.encode().translate(None, _VISIBLE_ASCII):
        return ""
    found = _any().search(value)
    if found:
        return f"{_kind_of(found[0]).what} ({_name(found[0])})"
    composed = unicodedata.is_normalized("NFC", value)
    return "" if composed else "text that is not in composed form (NFC)"


def at_most(problems: Iterator[Problem]) -> tuple[Problem, ...]:
    """Keep the first problems, and say so when there are more; the rest is never even made."""
    kept = tuple(islice(problems, MAX_PROBLEMS))
    if next(problems, None) is None:
        return kept
    message = f"only the first {MAX_PROBLEMS} problems are listed"
    return (*kept, Problem("more-problems", message, "correct these first", kept[-1].document))


def _too_large(path: str, size: int) -> Problem:
    return Problem(
        "too-large",
        f"the file has {size} bytes; a policy file holds at most {MAX_BYTES}",
        "split it, or cut what is not policy",
        path,
        Position(path, 1, 1),
    )


def _utf16(path: str) -> Problem:
    return Problem(
        "not-utf8", "the file is UTF-16", "save it as UTF-8 without BOM", path, Position(path, 1, 1)
    )


def _character_problems(path: str, text: str) -> Iterator[Problem]:
    """Find every refused character, line by line; carriage returns are counted, not listed."""
    returns = text.count("\r")
    for number, line in enumerate(text.split("\n"), start=1):
        for found in _any().finditer(line):
            kind = _kind_of(found[0])
            if kind.code == "carriage-return":
                if not returns:
                    continue
                message, returns = f"the file has {returns} carriage returns", 0
            else:
                message = f"{_name(found[0])} is {kind.what}"
            where = Position(path, number, found.start() + 1)
            yield Problem(kind.code, message, kind.hint, path, where)
        yield from _not_composed(path, number, line)


def _not_composed(path: str, number: int, line: str) -> Iterator[Problem]:
    """Find every word of a line that differs from its composed form (NFC).

    Only the start of a word is ever composed: composing a long one takes quadratic time.
    """
    if unicodedata.is_normalized("NFC", line):
        return
    for found in re.finditer("[^ ]+", line):
        word = found[0]
        if unicodedata.is_normalized("NFC", word):
            continue
        composed = unicodedata.normalize("NFC", word[:_SHOWN])
        yield Problem(
            "not-composed",
            f"{word[:_SHOWN]!a} is not in composed form (NFC): it looks like another text",
            f"write {composed} in its composed form, {composed!a}",
            path,
            Position(path, number, found.start() + 1),
        )


def _kind_of(character: str) -> _Refused:
    return next(kind for kind in _REFUSED if re.match(f"[{kind.ranges}]", character))


@cache
def _any() -> re.Pattern[str]:
    """Compile the class of all refused characters; a plain ASCII file never needs it."""
    return re.compile("[" + "".join(kind.ranges for kind in _REFUSED) + "]")


def _name(character: str) -> str:
    """Name a character that cannot be printed; an undecodable byte by its value."""
    if "\udc80" <= character <= "\udcff":
        return f"byte 0x{character.encode('utf-8', 'surrogateescape').hex()}"
    return f"U+{ord(character):04X}"
