"""When two recorded values are the same: exactly, or up to how they are written.

What is only a matter of writing is fixed with this version of the tool: letter case, blanks at
the ends, the Unicode form, the order of a list, the zeros of a number, the offset of an RFC 3339
instant. Text never equals a number.
"""

import json
import re
import unicodedata
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import TypeGuard

from agentpolicy.base.instant import DAY
from agentpolicy.base.numbers import plain
from agentpolicy.runs.commitments import MARK, is_commitment
from agentpolicy.runs.evidence import Truth, all_of
from agentpolicy.runs.json_text import json_text
from agentpolicy.runs.matching import pairs_up

_INSTANT = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])"
    r"(\.[0-9]+)?(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))"
)
_ZERO = Decimal(0)


def same_exactly(one: object, other: object) -> Truth:
    """Say whether two JSON values are equal: numbers by value, text to the letter.

    Two different commitments are different; one beside a value is unknown.
    """
    first, second = json_text(one), json_text(other)
    if first == second:
        return True
    if MARK not in first and MARK not in second:
        return False
    return _alike(one, other, None)


def same_normalised(one: object, other: object, tolerance: Decimal = _ZERO) -> Truth:
    """Say whether two JSON values are equal up to writing, and numbers up to a difference.

    What is the same exactly is the same here, and stays so under any larger tolerance. Anything
    beside a different commitment is unknown.
    """
    first, second = normal_text(one), normal_text(other)
    if first == second:
        return True
    if not tolerance and MARK not in first and MARK not in second:
        return False
    return _alike(one, other, Fraction(tolerance))


def normal_text(value: object) -> str:
    """Write a JSON value so that values which differ only in writing have one text."""
    if isinstance(value, str):
        seconds = instant_text(value)
        return json.dumps(folded(value)) if seconds is None else f"@{seconds}"
    if isinstance(value, Mapping):
        pairs = (f"{json.dumps(key)}:{normal_text(value[key])}" for key in sorted(value))
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(sorted(normal_text(item) for item in value)) + "]"
    return json_text(value)


def folded(text: str) -> str:
    """Drop letter case, outer blanks and the Unicode form."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold()).strip()


def instant_text(text: str) -> str | None:
    """Write an RFC 3339 instant as seconds since year 1, whatever its offset; else None."""
    found = _INSTANT.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(found[part]) for part in range(1, 7))
    try:
        days = date(year, month, day).toordinal()
    except ValueError:
        return None
    total = days * DAY + hour * 3600 + minute * 60 + second
    if found[8] is not None:
        offset = int(found[9]) * 3600 + int(found[10]) * 60
        total -= offset if found[8] == "+" else -offset
    fraction = plain(Decimal(f"0{found[7]}"))[1:] if found[7] else ""
    return f"{total}{fraction}"


def _alike(one: object, other: object, tolerance: Fraction | None) -> Truth:
    """Compare part by part; without a tolerance exactly, with one up to writing."""
    if is_commitment(one) or is_commitment(other):
        return _commitments_alike(one, other, exactly=tolerance is None)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all_of(
            _alike(value, other[key], tolerance) for key, value in one.items()
        )
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return _lists_alike(one, other, tolerance)
    if tolerance is None:
        return json_text(one) == json_text(other)
    if _is_number(one) and _is_number(other):
        return abs(Fraction(one) - Fraction(other)) <= tolerance
    return normal_text(one) == normal_text(other)


def _commitments_alike(one: object, other: object, *, exactly: bool) -> Truth:
    """Say what commitments show: only two of them, and only exactly, can be told apart."""
    if one == other:
        return True
    return False if exactly and is_commitment(one) and is_commitment(other) else None


def _lists_alike(
    one: list[object] | tuple[object, ...],
    other: list[object] | tuple[object, ...],
    tolerance: Fraction | None,
) -> Truth:
    """Compare in order where that counts, else look for any way to pair the items off."""
    if len(one) != len(other):
        return False
    if tolerance is None:
        return all_of(_alike(value, beside, None) for value, beside in zip(one, other, strict=True))
    return pairs_up([[_alike(value, beside, tolerance) for beside in other] for value in one])


def _is_number(value: object) -> TypeGuard[int | Decimal]:
    return isinstance(value, (int, Decimal)) and not isinstance(value, bool)
