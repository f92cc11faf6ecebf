"""In which way a sequence of calls left every route, in one sentence."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations

from agentpolicy.runs.deltas import sequence_distance

Route = Sequence[str]
Place = tuple[str, int]
"""A call by its tool and how many calls of that tool came before it."""
Matters = Callable[[Place, Place, Route], bool]
"""Whether two calls may not change places against a route."""


def departure(called: Route, routes: Sequence[Route], matters: Matters) -> str:
    """Say what no route shows: calls too many or too few, else two that changed places."""
    same = [route for route in routes if Counter(route) == Counter(called)]
    if same:
        return _changed_places(called, same, routes, matters)
    return _other_calls(called, routes) or _against_nearest(called, routes)


def places_of(route: Route) -> list[Place]:
    """Name each call by its tool and its rank among the calls of that tool."""
    seen: Counter[str] = Counter()
    places = []
    for name in route:
        places.append((name, seen[name]))
        seen[name] += 1
    return places


def _changed_places(
    called: Route, same: Sequence[Route], routes: Sequence[Route], matters: Matters
) -> str:
    """Name the first two calls that every route has the other way round, or the nearest one."""
    nearest = min(same, key=lambda route: (sequence_distance(called, route), route))
    inverted = [
        (first, second)
        for first, second in combinations(places_of(called), 2)
        if _before(second, first, nearest) and matters(first, second, nearest)
    ]
    everywhere = [
        (first, second)
        for first, second in inverted
        if all(_before(second, first, route) for route in routes)
    ]
    first, second = (everywhere or inverted)[0]
    whose = "every" if everywhere else "the nearest"
    then = "first" if second[1] == 0 else "before it"
    return (
        f"called `{first[0]}` before `{second[0]}`; "
        f"{whose} reference attempt calls `{second[0]}` {then}"
    )


def _before(one: Place, other: Place, route: Route) -> bool:
    """Say whether a route has both calls, in this order."""
    where = {place: index for index, place in enumerate(places_of(route))}
    return one in where and other in where and where[one] < where[other]


def _other_calls(called: Route, routes: Sequence[Route]) -> str:
    """Name the tools called more, or less, often than by any route; empty where there is none."""
    count, counts = Counter(called), [Counter(route) for route in routes]
    tools = dict.fromkeys([*called, *(name for route in routes for name in route)])
    least = {tool: min(one[tool] for one in counts) for tool in tools}
    most = {tool: max(one[tool] for one in counts) for tool in tools}
    new = [tool for tool in tools if count[tool] and not most[tool]]
    gone = [tool for tool in tools if least[tool] and not count[tool]]
    parts = []
    if new:
        parts.append(f"called {_listed(new, count)}, which no reference attempt does")
    if gone:
        parts.append(f"did not call {_listed(gone)}, which every reference attempt does")
    for tool in tools:
        if count[tool] > most[tool] > 0:
            parts.append(f"called `{tool}` {_times(count[tool])}, no reference attempt so often")
        elif 0 < count[tool] < least[tool]:
            parts.append(f"called `{tool}` {_times(count[tool])}, no reference attempt so seldom")
    return "; ".join(parts)


def _against_nearest(called: Route, routes: Sequence[Route]) -> str:
    """Name what was added to the nearest route and left out; of equals, fewer moves are nearer."""
    nearest = min(routes, key=lambda route: (_changes(called, route), route))
    added, dropped = Counter(called) - Counter(nearest), Counter(nearest) - Counter(called)
    parts = [
        f"{word} {_listed(list(change), change)}"
        for word, change in (("called", added), ("did not call", dropped))
        if change
    ]
    return f"against the nearest reference attempt it {' and '.join(parts)}"


def _changes(called: Route, route: Route) -> tuple[int, int]:
    added, dropped = Counter(called) - Counter(route), Counter(route) - Counter(called)
    return added.total() + dropped.total(), sequence_distance(called, route)


def _listed(tools: Sequence[str], count: Counter[str] | None = None) -> str:
    """List tools, those called more than once with how often."""
    often = count or Counter()
    names = [f"`{one}`" + (f" {_times(often[one])}" if often[one] > 1 else "") for one in tools]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _times(number: int) -> str:
    return "once" if number == 1 else "twice" if number == 2 else f"{number} times"  # noqa: PLR2004
