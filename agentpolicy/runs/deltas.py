"""How far apart two answers, and two sequences of tools, are."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from rapidfuzz.distance import Indel

from agentpolicy.runs.commitments import is_commitment, text_digest

LEXICAL = "lexical-indel@1"
"""The scorer that is computed here; the scores of any other are part of the evidence."""
_PLACES = 10_000
ALIKE = Decimal(1)


def similarity(one: str, other: str) -> Decimal:
    """Score two texts from 0 to 1, cut (never rounded) to four decimals, in whole numbers.

    Two empty texts score 1, one empty text 0. The score says how alike two texts look, not
    whether they mean the same.
    """
    length = len(one) + len(other)
    alike = Indel.similarity(one, other)
    return Decimal(alike * _PLACES // length if length else _PLACES).scaleb(-4)


def likeness(one: str, other: str) -> Decimal | None:
    """Score two texts either of which may be a commitment: equal scores 1, else it is unknown."""
    if is_commitment(one) or is_commitment(other):
        return ALIKE if text_digest(one) == text_digest(other) else None
    return similarity(one, other)


def recorded_score(value: object) -> Decimal | None:
    """Read a score that the evidence carries, cut to four places; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)) or not 0 <= value <= 1:
        return None
    return Decimal(int(Fraction(value) * _PLACES)).scaleb(-4)


def sequence_distance(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the calls to insert or delete that turn one sequence of tools into another."""
    return Indel.distance(one, other)
