"""What a plain (unquoted) text of a policy is: a number, a boolean, or text.

Anything that some YAML program would take for a number, a boolean or null, and another for text,
is refused: two readers must never see two policies. Quoted text is always text.
"""

import re
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from agentpolicy.base.numbers import MAX_DIGITS, NUMBER

MAX_WHOLE = 2**53 - 1
"""The largest whole number that every JSON program reads exactly."""

_BOOLEANS = {"true": True, "false": False}
_BOOLEAN_LIKE = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n"})
_NULL_LIKE = frozenset({"", "~", "null"})
_NUMBER_START = frozenset("0123456789+-.")
_DATE_LIKE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATE_START = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}")
_NUMBER_LIKE = re.compile(
    r"""
    [-+]? (?: 0x[0-9a-f_]+ | 0o[0-7_]+ | 0b[01_]+
            | (?=\.?[0-9]) [0-9_]*+ (?: :[0-9]++ )*+ (?: \.[0-9_]*+ )?+ (?: e[-+]?[0-9]+ )?
            | \.? (?: inf | infinity | nan )
            | \.?_ [0-9_.]* )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_TIMESTAMP_LIKE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9].*")
_NUMBER_WORDS = frozenset({"inf", "infinity", "nan"})
_INDICATORS = frozenset({"=", "<<"})
_LONGEST_WORD = len("infinity")
_SHOWN = 60
REMEMBERED = 4096
"""How many short texts' readings are kept."""
_EXPONENT = r"[-+]?[0-9]+(?:\.[0-9]+)?[eE][-+]?[0-9]{1,2}"


class Refusal(NamedTuple):
    """Why a plain text is refused, and how to write what was meant."""

    code: str
    message: str
    hint: str


def plain_scalar(text: str) -> str | bool | int | Decimal | Refusal:
    """Read a plain text as the one value every reader agrees on, or say why there is none."""
    return _recalled_scalar(text) if len(text) <= _SHOWN else _scalar(text)


def _scalar(text: str) -> str | bool | int | Decimal | Refusal:
    if text[:1] in _NUMBER_START:
        return _number(text)
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if len(text) > _LONGEST_WORD:
        return text
    return _word(text) or text


# The same keys and values come again in file after file; long texts are not kept.
_recalled_scalar = lru_cache(REMEMBERED)(_scalar)


def is_plain_key(text: str) -> bool:
    """Say whether every YAML reader takes a plain key for a text; a date is none to some."""
    return isinstance(plain_scalar(text), str) and not _DATE_START.match(text)


def _word(text: str) -> Refusal | None:
    """Refuse a word that stands for a boolean, null or number in some YAML program."""
    word = text.lower()
    if word in _BOOLEAN_LIKE:
        return Refusal(
            "ambiguous-boolean",
            f"`{text}` is true or false to some programs and text to others",
            f'write true or false, or "{text}" where text is meant',
        )
    if word in _NULL_LIKE:
        return Refusal(
            "null-value",
            f"`{text}` is null; a policy has no nulls" if text else "a value is missing here",
            f'write a value or delete the key; "{text}" where text is meant',
        )
    if word in _NUMBER_WORDS:
        return _ambiguous(text)
    if word in _INDICATORS:
        return Refusal("ambiguous-text", f"`{text}` has a meaning in YAML", f'write "{text}"')
    return None


def _number(text: str) -> str | int | Decimal | Refusal:
    """Read what starts like a number: a plain decimal, a date, other text, or a refusal."""
    if not NUMBER.fullmatch(text):
        if _TIMESTAMP_LIKE.fullmatch(text):
            shown = clip(text)
            message = f"`{shown}` is an instant to some programs and text to others"
            return Refusal("ambiguous-text", message, f'write "{shown}"')
        is_text = _DATE_LIKE.fullmatch(text) or not _NUMBER_LIKE.fullmatch(text)
        return text if is_text else _ambiguous(text)
    if len(text) > MAX_DIGITS and sum(map(str.isdigit, text)) > MAX_DIGITS:
        return Refusal(
            "too-many-digits",
            f"`{clip(text)}` has more than {MAX_DIGITS} digits",
            f"write a number of at most {MAX_DIGITS} digits",
        )
    if text[0] == "-" and not text.strip("-0."):
        return Refusal("minus-zero", f"`{text}` is minus zero", "write 0")
    return Decimal(text) if "." in text else _whole(text)


def _whole(text: str) -> int | Refusal:
    """Read a whole number that every JSON program reads exactly."""
    whole = int(text)
    if -MAX_WHOLE <= whole <= MAX_WHOLE:
        return whole
    return Refusal(
        "number-too-large",
        f"`{text}` is beyond {MAX_WHOLE}, where JSON programs stop being exact",
        f"write a whole number of at most {MAX_WHOLE}",
    )


def _ambiguous(text: str) -> Refusal:
    """Refuse a spelling that only some programs read as a number, with the plain one if known."""
    if re.fullmatch(_EXPONENT, text):
        spelled = f"write {format(Decimal(text).normalize(), 'f')}"
    elif NUMBER.fullmatch(bare := text.replace("_", "").lstrip("+")):
        spelled = f"write {bare}"
    elif NUMBER.fullmatch(full := re.sub(r"^([-+]?)\.", r"\g<1>0.", text).lstrip("+")):
        spelled = f"write {full}"
    else:
        spelled = "write a plain decimal number such as 0.92"
    shown = clip(text)
    return Refusal(
        "ambiguous-number",
        f"`{shown}` is a number to some programs and text to others",
        f'{spelled}, or "{shown}" where text is meant',
    )


def clip(text: str) -> str:
    """Shorten an offending text to what fits into a message."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
