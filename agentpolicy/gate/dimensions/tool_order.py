"""The sequence of tool calls: inside when it equals a route that some reference shows."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from agentpolicy.base.canonical import canonical_bytes, digest
from agentpolicy.documents.models.band import BandFields
from agentpolicy.gate.catalogue import Catalogue
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions.departure import Place, departure, places_of
from agentpolicy.gate.finding import Finding
from agentpolicy.gate.flow import flows, may_flow
from agentpolicy.gate.pairing import Fixture
from agentpolicy.runs.evidence import Evidence, Truth, all_of, any_of, negation
from agentpolicy.runs.record import ToolCall
from agentpolicy.runs.retries import without_retried

FIELD = "tool_order"
LEVELS = ("exact", "same_unless_idempotent", "any")
"""Strict first. What one level takes as inside, every looser one does too."""
_Calls = Sequence[ToolCall]
_Pair = frozenset[Place]


def judge(fields: BandFields, fixture: Fixture, catalogue: Catalogue) -> Iterator[Finding]:
    """Judge the sequence of every attempt against all routes; an absent rule is `exact`."""
    level = fields.tool_order or "exact"
    for attempt in fixture.attempts:
        inside = any_of(
            _follows(attempt, reference, level, catalogue) for reference in fixture.references
        )
        result = Decision.of(inside)
        yield Finding(
            field=FIELD,
            fixture_id=fixture.id,
            attempt=attempt.attempt,
            result=result,
            measured=None if attempt.calls is None else " > ".join(names(attempt.calls)),
            limit=level,
            why=_why(result, attempt, fixture, level, catalogue),
            value=None if attempt.calls is None else sequence_digest(attempt.calls),
            settled=result is not Decision.FAIL or _settled(attempt, fixture, catalogue),
        )


def names(calls: _Calls) -> list[str]:
    """List the tools called, in order."""
    return [call.name for call in calls]


def sequence_digest(calls: _Calls) -> str:
    """Name a sequence of tools by content: what a waiver of `tool_order` cites."""
    return digest(canonical_bytes(names(calls)))


def _follows(attempt: Evidence, reference: Evidence, level: str, catalogue: Catalogue) -> Truth:
    """Say whether an attempt follows one route at one level.

    It may do so as it stands, or with the failed calls left out that the record says were retried.
    """
    if attempt.calls is None or reference.calls is None:
        return None
    plain = _same_route(attempt.calls, reference.calls, level, catalogue)
    calls, route = without_retried(attempt.calls), without_retried(reference.calls)
    if len(calls) == len(attempt.calls) and len(route) == len(reference.calls):
        return plain
    return any_of((plain, _same_route(calls, route, level, catalogue)))


def _same_route(calls: _Calls, route: _Calls, level: str, catalogue: Catalogue) -> Truth:
    """Compare two sequences; a call more or less crosses at every level."""
    called, shown = names(calls), names(route)
    if called == shown:
        return True
    if level == "exact" or Counter(called) != Counter(shown):
        return False
    return True if level == "any" else _harmless(calls, route, catalogue)


def _harmless(calls: _Calls, route: _Calls, catalogue: Catalogue) -> Truth:
    """Say whether every two calls that changed places are independent and safe to repeat.

    The k-th call of a tool pairs with the k-th of the route. Direct dependencies suffice: if the
    ends of a chain changed places, so did two neighbours on it.
    """
    where = {place: index for index, place in enumerate(_places(route))}
    dependent = _known(calls, route, catalogue)
    return all_of(
        _free(first, second, dependent, catalogue)
        for first, second in combinations(_places(calls), 2)
        if where[first] > where[second]
    )


def _known(calls: _Calls, route: _Calls, catalogue: Catalogue) -> Mapping[_Pair, Truth]:
    """Say of two calls, as far as either side shows it, whether one uses what the other gave."""
    dependent = _dependent(calls, catalogue)
    for pair, known in _dependent(route, catalogue).items():
        dependent[pair] = any_of((known, dependent.get(pair, False)))
    return dependent


def _free(
    first: Place, second: Place, dependent: Mapping[_Pair, Truth], catalogue: Catalogue
) -> Truth:
    """Say whether two calls may change places."""
    return all_of(
        (
            catalogue.safe_to_repeat(first[0]),
            catalogue.safe_to_repeat(second[0]),
            first[0] not in catalogue.requires(second[0]),
            second[0] not in catalogue.requires(first[0]),
            negation(dependent.get(frozenset((first, second)), False)),
        )
    )


def _settled(attempt: Evidence, fixture: Fixture, catalogue: Catalogue) -> bool:
    """Say whether no looser level or catalogue would leave open if an attempt follows a route."""
    return not any(
        _open(calls, route, catalogue)
        for reference in fixture.references
        for calls, route in (
            (attempt.calls or (), reference.calls or ()),
            (without_retried(attempt.calls or ()), without_retried(reference.calls or ())),
        )
    )


def _open(calls: _Calls, route: _Calls, catalogue: Catalogue) -> bool:
    """Say whether calls changed places between which it is unknown that something flows."""
    if Counter(names(calls)) != Counter(names(route)):
        return False
    where = {place: index for index, place in enumerate(_places(route))}
    unknown = {
        frozenset((places[earlier], places[later]))
        for run, places in ((calls, _places(calls)), (route, _places(route)))
        for earlier, later in may_flow(run, catalogue)
    }
    return any(
        where[first] > where[second] and frozenset((first, second)) in unknown
        for first, second in combinations(_places(calls), 2)
    )


def _places(calls: _Calls) -> list[Place]:
    return places_of(names(calls))


def _dependent(calls: _Calls, catalogue: Catalogue) -> dict[_Pair, Truth]:
    """Collect the pairs of calls of which one uses, or may use, what the other gave."""
    places = _places(calls)
    pairs: dict[_Pair, Truth] = {
        frozenset((places[earlier], places[later])): known
        for (earlier, later), known in flows(calls, catalogue).items()
    }
    latest: dict[str, Place] = {}
    for place, call in zip(places, calls, strict=True):
        pairs.update({frozenset((latest[needed], place)): True for needed in call.depends_on})
        if call.call_id is not None:
            latest[call.call_id] = place
    return pairs


def _why(
    result: Decision, attempt: Evidence, fixture: Fixture, level: str, catalogue: Catalogue
) -> str:
    """Say in which way the sequence left every route."""
    if result is Decision.PASS:
        return "the calls follow a route of the reference"
    if attempt.calls is None or any(route.calls is None for route in fixture.references):
        unrecorded = "the tool calls were not all recorded"
        if result is Decision.INCONCLUSIVE or attempt.calls is None:
            return unrecorded
    if result is Decision.INCONCLUSIVE:
        return "whether calls that changed places use each other's results was not recorded"
    shown = [route.calls for route in fixture.references if route.calls is not None]
    by_names = {tuple(names(route)): route for route in shown}

    def matters(first: Place, second: Place, route: Sequence[str]) -> bool:
        if level == "exact":
            return True
        known = _known(attempt.calls or (), by_names[tuple(route)], catalogue)
        return _free(first, second, known, catalogue) is not True

    return departure(names(attempt.calls), [names(route) for route in shown], matters)
