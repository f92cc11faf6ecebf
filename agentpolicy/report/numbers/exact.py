"""Exact numbers as text: every digit where decimals have them all, else rounded and said so."""

from decimal import Decimal
from fractions import Fraction

from agentpolicy.base.numbers import plain

_PLACES = 6
_MOST_PLACES = 34


def number(value: Fraction | Decimal | None, places: int = _PLACES) -> str | None:
    """Write a value exactly where decimals can, else rounded to some places; None stays None."""
    if value is None:
        return None
    exact = Fraction(value)
    scaled = exact * 10**_MOST_PLACES
    if scaled.denominator == 1:
        return plain(Decimal(scaled.numerator).scaleb(-_MOST_PLACES))
    return plain(Decimal(round(exact * 10**places)).scaleb(-places))


def shown(value: Fraction | Decimal | None, places: int = _PLACES) -> str:
    """Write a value for people; what is not known is a question mark."""
    return number(value, places) or "?"


def rounded(value: Fraction | Decimal | None, places: int) -> str:
    """Write a value for people with at most so many places."""
    if value is None:
        return "?"
    return plain(Decimal(round(Fraction(value) * 10**places)).scaleb(-places))


def grouped(text: str) -> str:
    """Part the thousands of a plain number, so that large ones can be read."""
    whole, dot, rest = text.partition(".")
    return f"{int(whole):,}{dot}{rest}" if whole.isdigit() else text
