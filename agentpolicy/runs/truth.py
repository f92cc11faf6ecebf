"""Three-valued logic: True, False, and None for "the evidence does not say"."""

from collections.abc import Iterable
from typing import TypeAlias

Truth: TypeAlias = bool | None
"""True, False, or None where the evidence does not say."""


def any_of(values: Iterable[Truth]) -> Truth:
    """Say whether some value is true: true beats unknown beats false."""
    unknown = False
    for value in values:
        if value:
            return True
        unknown = unknown or value is None
    return None if unknown else False


def all_of(values: Iterable[Truth]) -> Truth:
    """Say whether every value is true: false beats unknown beats true."""
    return negation(any_of(negation(value) for value in values))


def negation(value: Truth) -> Truth:
    """Turn true and false around; unknown stays unknown."""
    return None if value is None else not value
