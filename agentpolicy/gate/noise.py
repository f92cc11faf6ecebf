"""The noise floor: how far runs of one and the same version differ, by the real measures.

Each attempt at a fixture is judged against the other attempts at it, as if it were a candidate;
one attempt of every fixture together makes a round, which is what a measure of the whole set is
taken on. No band should be tighter than the worst that is seen there.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from agentpolicy.base.numbers import plain
from agentpolicy.documents.models.band import BandFields
from agentpolicy.gate.catalogue import Catalogue
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions import every
from agentpolicy.gate.finding import Finding, outward
from agentpolicy.gate.pairing import Fixture

FLOORS = frozenset({"text_similarity.threshold", "token_ratio.min"})
"""The fields whose lowest value is the worst; of every other number it is the highest."""
_LEAST = 2
"""So many attempts at a fixture can be set against each other."""
Measured = tuple[str | None, str]
"""A fixture, or None for the whole set, and the side of a field that was judged on it."""
_Case = tuple[int, str | None]
"""A round, and the fixture in it."""


@dataclass(frozen=True, slots=True)
class Floor:
    """What self-runs showed of one side of a field, under one limit."""

    field: str
    limit: str
    judged: int
    """How often it was measured."""
    crossed: int
    """How often it was outside that limit."""
    unknown: int
    """How often the runs did not show it."""
    worst: Decimal | Fraction | None = None
    """The worst value, where it is a number."""
    where: str | None = None
    """The fixture that showed it; None where it is of the whole set."""

    @property
    def number(self) -> str | None:
        """Write the worst value, rounded so that it is never better than it was."""
        if self.worst is None:
            return None
        if isinstance(self.worst, Decimal):
            return plain(self.worst)
        return outward(self.worst, up=self.field not in FLOORS)

    @property
    def text(self) -> str | None:
        """Write the floor for people; None where nothing was measured."""
        if not self.judged:
            return None
        return self.number or f"{self.crossed} of {self.judged} self-runs cross it"


def self_rounds(fixtures: Sequence[Fixture]) -> Iterator[tuple[Fixture, ...]]:
    """Set the k-th reference of every fixture against its other ones, for each k in turn.

    A fixture with a single reference has nothing to be set against.
    """
    repeated = [fixture for fixture in fixtures if len(fixture.references) >= _LEAST]
    for place in range(max((len(fixture.references) for fixture in repeated), default=0)):
        yield tuple(
            replace(
                fixture,
                references=(*fixture.references[:place], *fixture.references[place + 1 :]),
                attempts=(fixture.references[place],),
            )
            for fixture in repeated
            if place < len(fixture.references)
        )


def floors(
    fields: BandFields,
    fixtures: Sequence[Fixture],
    catalogue: Catalogue,
    wanted: Collection[str] | None = None,
) -> Mapping[tuple[str, str], Floor]:
    """Measure the floor of every field that is judged, by field and limit.

    `wanted` names the dimensions to measure; None measures all of them.
    """
    return floors_of(
        (number, finding)
        for number, fixtures in enumerate(self_rounds(fixtures))
        for finding in every.findings(fields, fixtures, catalogue, wanted)
    )


def beside(
    fields: BandFields,
    fixtures: Sequence[Fixture],
    crossings: Sequence[Finding],
    catalogue: Catalogue,
) -> Mapping[Measured, str]:
    """Give the noise floor of everything that crossed, from the baseline's own repeats alone.

    What is of one fixture is compared within it, what is of the whole set by rounds of the set.
    """
    by_id = {fixture.id: fixture for fixture in fixtures}
    measured: dict[tuple[str | None, str], Mapping[tuple[str, str], Floor]] = {}
    told: dict[Measured, str] = {}
    for crossing in crossings:
        name = crossing.fixture_id
        place = (name, crossing.dimension)
        if place not in measured:
            own = fixtures if name is None else [by_id[name]]
            measured[place] = floors(fields, own, catalogue, {crossing.dimension})
        found = measured[place]
        floor = found.get((crossing.field, crossing.limit))
        text = floor.text if floor else _none_crossed(found)
        if text is not None:
            told[name, crossing.field] = text
    return told


def _none_crossed(found: Mapping[tuple[str, str], Floor]) -> str | None:
    """Say so where a dimension was judged and no self-run crossed this part of it."""
    judged = max((one.judged for one in found.values()), default=0)
    return f"0 of {judged} self-runs cross it" if judged else None


def floors_of(found: Iterable[tuple[int, Finding]]) -> Mapping[tuple[str, str], Floor]:
    """Gather what was found in rounds; of a dimension that tells only crossings, all its cases."""
    by_field: dict[tuple[str, str], list[tuple[_Case, Finding]]] = defaultdict(list)
    known: dict[str, set[_Case]] = defaultdict(set)
    unknown: dict[str, set[_Case]] = defaultdict(set)
    for number, finding in found:
        case = (number, finding.fixture_id)
        by_field[finding.field, finding.limit].append((case, finding))
        seen = unknown if finding.result is Decision.INCONCLUSIVE else known
        seen[finding.dimension].add(case)
    return {
        (field, limit): _floor(field, limit, cases, known, unknown)
        for (field, limit), cases in sorted(by_field.items())
    }


def _floor(
    field: str,
    limit: str,
    cases: Sequence[tuple[_Case, Finding]],
    known: Mapping[str, set[_Case]],
    unknown: Mapping[str, set[_Case]],
) -> Floor:
    dimension = field.partition(".")[0]
    worst, where = _worst(field, [finding for _, finding in cases])
    return Floor(
        field=field,
        limit=limit,
        judged=len(known.get(dimension, ())),
        crossed=len({case for case, finding in cases if finding.crosses}),
        unknown=len(unknown.get(dimension, ())),
        worst=worst,
        where=where,
    )


def _worst(field: str, found: Sequence[Finding]) -> tuple[Decimal | Fraction | None, str | None]:
    """Pick the worst number; a crossing without one, as of any call over none, has no worst."""
    measured = [
        (finding.value, finding.fixture_id)
        for finding in found
        if isinstance(finding.value, (Decimal, Fraction))
    ]
    endless = any(finding.crosses and finding.value is None for finding in found)
    if endless or not measured:
        return None, None
    pick = min if field in FLOORS else max
    return pick(measured, key=lambda one: Fraction(one[0]))
