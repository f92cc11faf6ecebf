"""Exact numbers: the spelling a policy may use, and the one spelling we write.

No float ever touches a limit. `1.5x` (a multiple of the baseline) is the number 1.5.
"""

import re
from decimal import Decimal
from functools import lru_cache

NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
MULTIPLE = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]+)?x")
MAX_DIGITS = 34
"""As many digits as IEEE 754 decimal128 holds; longer spellings are refused."""


def exact(text: str) -> Decimal:
    """Read one number in the allowed spelling, exactly.

    Raises:
        ValueError: another spelling (`1e3`, `.5`, `010`, `1_000`, `nan`) or too many digits.
    """
    if not NUMBER.fullmatch(text):
        raise ValueError(f"{text!r} is not a plain decimal number")
    if sum(character.isdigit() for character in text) > MAX_DIGITS:
        raise ValueError(f"{text!r} has more than {MAX_DIGITS} digits")
    return Decimal(text)


@lru_cache(4096)
def multiple(text: str) -> Decimal:
    """Read a multiple of the baseline such as `1.5x`.

    Raises:
        ValueError: the text is not a plain decimal number followed by `x`.
    """
    if not MULTIPLE.fullmatch(text):
        raise ValueError(f"{text!r} is not a multiple such as 1.5x")
    return exact(text[:-1])


def plain(value: Decimal | int) -> str:
    """Write a number the one canonical way: no exponent, no trailing zeros, no minus zero."""
    number = Decimal(value)
    if number == 0:
        return "0"
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
