"""Exact amounts in columns: whole numbers of billionths, and the few that are finer apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from itertools import pairwise
from typing import Any

import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from agentpolicy.runs.evidence import Bounds

MISSING = -1
MEMORY = 1_000_000
"""So many different spellings are remembered, so that memory stays bounded."""
_FINER = -2
"""The first code of amounts that are finer than the unit, or too large: -2, -3, …"""
_MOST = 2**62
_PLACES = 9
"""So many decimal places stand in a column as they are."""
_EXACT = Context(prec=1000)
"""No record spells a number so long that this would round it."""


@dataclass(frozen=True, slots=True, eq=False)
class _Units:
    """Ascending billionths, read as amounts one at a time."""

    units: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.units)

    def __getitem__(self, index: int) -> Decimal:
        return _decimal(int(self.units[index]))


@dataclass(frozen=True, slots=True, eq=False)
class Amounts:
    """One exact amount a run, or none."""

    units: NDArray[np.int64]
    """Billionths; `MISSING`, or a code below it for an amount among the finer ones."""
    finer: tuple[Decimal, ...] = ()
    parts: NDArray[np.int64] | None = None
    """Where the amount is missing, the part of it that is known; None where no row has one."""

    @property
    def part(self) -> "Amounts | None":
        """The known parts, as amounts of their own."""
        return None if self.parts is None else Amounts(self.parts, self.finer)

    @property
    def runs(self) -> int:
        """All rows."""
        return len(self.units)

    def picked(self, rows: NDArray[np.bool_]) -> "Amounts":
        """Keep some rows."""
        parts = None if self.parts is None else self.parts[rows]
        return Amounts(self.units[rows], self.finer, parts)

    def padded(self, missing: int) -> "Amounts":
        """Add some rows that lack the amount."""
        more = np.full(missing, MISSING, dtype=np.int64)
        parts = None if self.parts is None else np.concatenate([self.parts, more])
        return Amounts(np.concatenate([self.units, more]), self.finer, parts) if missing else self

    def at(self, row: int) -> Decimal | None:
        """Give the amount of one row."""
        unit = int(self.units[row])
        if unit == MISSING:
            return None
        return self.finer[_FINER - unit] if unit <= _FINER else _decimal(unit)

    def classes(self, limits: Sequence[Decimal]) -> NDArray[np.int64]:
        """Say of each row how many of some ascending limits it is past; -1 where it is missing."""
        assert all(low <= high for low, high in pairwise(limits))
        floors = np.array([_floor(limit) for limit in limits], dtype=np.int64)
        found = np.searchsorted(floors, self.units, side="left")
        found[self.units == MISSING] = MISSING
        for row in np.flatnonzero(self.units <= _FINER):
            amount = self.at(int(row))
            found[row] = sum(amount is not None and amount > limit for limit in limits)
        return found

    def percentile(self, percent: int) -> Bounds:
        """Give the nearest-rank percentile; see `nearest_rank`."""
        if not self.runs:
            return Bounds(None, None)
        known = _ascending(self)
        rank = -(-percent * self.runs // 100)
        least = known
        if self.parts is not None:
            surely = np.where(self.units == MISSING, self.parts, self.units)
            least = _ascending(Amounts(surely, self.finer))
        unknown = self.runs - len(least)
        return Bounds(_ranked(least, rank - unknown), _ranked(known, rank))

    def maybe_above(self, limit: Decimal) -> int:
        """Count the rows that are above a limit, or may be."""
        found = self.classes([limit])
        return int(np.count_nonzero(found != 0))


class AmountBook:
    """Gathers amounts into a column; equal spellings are read once."""

    def __init__(self) -> None:
        """Begin without an amount."""
        self.finer: list[Decimal] = []
        self._read: dict[object, int] = {None: MISSING, UNSET: MISSING}

    def units(self, amounts: Sequence[str | int | Decimal | UnsetType | None]) -> NDArray[np.int64]:
        """Give the column of some amounts, each as text or as an exact number."""
        read = self._read
        try:
            return np.fromiter(map(read.__getitem__, amounts), np.int64, len(amounts))
        except KeyError:
            if len(read) > MEMORY:
                read = self._read = {None: MISSING, UNSET: MISSING}
            for amount in amounts:
                if amount not in read:
                    read[amount] = self._unit(amount)
            return np.fromiter(map(read.__getitem__, amounts), np.int64, len(amounts))

    def _unit(self, amount: Any) -> int:  # noqa: ANN401 - text or an exact number
        exact = Decimal(amount)
        shifted = exact.scaleb(_PLACES, _EXACT)
        if shifted < _MOST and shifted == shifted.to_integral_value(context=_EXACT):
            return int(shifted)
        self.finer.append(exact)
        return _FINER - (len(self.finer) - 1)


def _floor(limit: Decimal) -> int:
    """Give the most billionths that are not past a limit."""
    shifted = limit.scaleb(_PLACES, _EXACT)
    return int(min(shifted, Decimal(_MOST)))


def _decimal(unit: int) -> Decimal:
    """Give a number of billionths as the amount it is."""
    return Decimal(unit).scaleb(-_PLACES, _EXACT)


def _ranked(known: Sequence[Decimal] | _Units, rank: int) -> Decimal | None:
    return known[rank - 1] if 1 <= rank <= len(known) else None


def _ascending(amounts: Amounts) -> Sequence[Decimal] | _Units:
    """Give the known amounts in order, without spelling each out where none is finer."""
    plain = np.sort(amounts.units[amounts.units >= 0])
    finer = [amounts.finer[_FINER - int(unit)] for unit in amounts.units[amounts.units <= _FINER]]
    if not finer:
        return _Units(plain)
    return sorted([*(_decimal(int(unit)) for unit in plain), *finer])
