"""The sequence of tool calls: inside when it equals a route that some reference shows."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from agentpolicy.base.canonical import canonical_bytes, digest
from agentpolicy.documents.models.band import BandFields
from agentpolicy.gate.catalogue import Catalogue
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.finding import Finding
from agentpolicy.gate.pairing import Fixture
from agentpolicy.runs.evidence import Evidence, Truth, any_of
from agentpolicy.runs.record import ToolCall

LEVELS = ("exact", "same_unless_idempotent", "any")
"""Strict first. What one level takes as inside, every looser one does too."""
_Calls = Sequence[ToolCall]
_Place = tuple[str, int]
"""A call by its tool and how many calls of that tool came before it."""


def judge(fields: BandFields, fixture: Fixture, catalogue: Catalogue) -> Iterator[Finding]:
    """Judge the sequence of every attempt against all routes; an absent rule is `exact`."""
    level = fields.tool_order or "exact"
    for attempt in fixture.attempts:
        inside = any_of(
            _follows(attempt, reference, level, catalogue) for reference in fixture.references
        )
        result = Decision.of(inside)
        yield Finding(
            field="tool_order",
            fixture_id=fixture.id,
            attempt=attempt.attempt,
            result=result,
            measured=None if attempt.calls is None else " > ".join(names(attempt.calls)),
            limit=level,
            why=_why(result, attempt, fixture),
            value=None if attempt.calls is None else sequence_digest(attempt.calls),
        )


def names(calls: _Calls) -> list[str]:
    """List the tools called, in order."""
    return [call.name for call in calls]


def sequence_digest(calls: _Calls) -> str:
    """Name a sequence of tools by content: what a waiver of `tool_order` cites."""
    return digest(canonical_bytes(names(calls)))


def _follows(attempt: Evidence, reference: Evidence, level: str, catalogue: Catalogue) -> Truth:
    """Say whether an attempt follows one route at one level."""
    if attempt.calls is None or reference.calls is None:
        return None
    called, route = names(attempt.calls), names(reference.calls)
    if called == route:
        return True
    if level == "exact" or Counter(called) != Counter(route):
        return False
    return level == "any" or _harmless(attempt.calls, reference.calls, catalogue)


def _harmless(calls: _Calls, route: _Calls, catalogue: Catalogue) -> bool:
    """Say whether every two calls that changed places are independent and safe to repeat.

    The k-th call of a tool pairs with the k-th of the route. Direct dependencies suffice: if the
    ends of a chain changed places, so did two neighbours on it.
    """
    where = {place: index for index, place in enumerate(_places(route))}
    dependent = _declared(calls) | _declared(route)
    return all(
        where[first] < where[second]
        or (
            catalogue.safe_to_repeat(first[0])
            and catalogue.safe_to_repeat(second[0])
            and first[0] not in catalogue.requires(second[0])
            and second[0] not in catalogue.requires(first[0])
            and frozenset((first, second)) not in dependent
        )
        for first, second in combinations(_places(calls), 2)
    )


def _places(calls: _Calls) -> list[_Place]:
    """Name each call by its tool and its rank among the calls of that tool."""
    seen: dict[str, int] = defaultdict(int)
    places = []
    for call in calls:
        places.append((call.name, seen[call.name]))
        seen[call.name] += 1
    return places


def _declared(calls: _Calls) -> set[frozenset[_Place]]:
    """Collect the pairs of calls of which one declares that it depends on the other."""
    pairs: set[frozenset[_Place]] = set()
    latest: dict[str, _Place] = {}
    for place, call in zip(_places(calls), calls, strict=True):
        pairs.update(frozenset((latest[needed], place)) for needed in call.depends_on)
        if call.call_id is not None:
            latest[call.call_id] = place
    return pairs


def _why(result: Decision, attempt: Evidence, fixture: Fixture) -> str:
    """Say in which way the sequence left every route."""
    if result is Decision.PASS:
        return "the calls follow a route of the reference"
    if result is Decision.INCONCLUSIVE or attempt.calls is None:
        return "the tool calls were not all recorded"
    called = Counter(names(attempt.calls))
    routes = [
        Counter(names(route.calls)) for route in fixture.references if route.calls is not None
    ]
    if called in routes:
        return "the same calls in an order that no reference shows and that may matter"
    extra, dropped = min(
        ((called - route, route - called) for route in routes),
        key=lambda change: change[0].total() + change[1].total(),
    )
    parts = [
        f"{word} {', '.join(sorted(change.elements()))}"
        for word, change in (("called", extra), ("did not call", dropped))
        if change
    ]
    return f"against the nearest reference it {' and '.join(parts)}"
