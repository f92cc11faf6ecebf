"""The arguments of tool calls, exact, matched within one single reference attempt.

Which call of a tool pairs with which is free, and order is never consulted: surplus and dropped
calls are the sequence's business. With exact rules a matching of all pairs exists if and only if
the multisets of arguments overlap in as many as the shorter list has.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator

from agentpolicy.gate.decision import Decision
from agentpolicy.gate.finding import Finding
from agentpolicy.gate.pairing import Fixture
from agentpolicy.runs.evidence import Evidence, Truth, all_of, any_of
from agentpolicy.runs.json_text import json_text
from agentpolicy.runs.record import ToolCall

_Arguments = dict[str, Counter[str | None]]
"""Per tool, how often each argument object was passed; None where it was not recorded."""


def judge(fixture: Fixture) -> Iterator[Finding]:
    """Judge the arguments of every attempt; an absent rule is `exact`, whatever it looks like."""
    routes = [_arguments(reference.calls) for reference in fixture.references]
    for attempt in fixture.attempts:
        passed = _arguments(attempt.calls)
        result = Decision.of(any_of(_matches(passed, route) for route in routes))
        yield Finding(
            field="arguments",
            fixture_id=fixture.id,
            attempt=attempt.attempt,
            result=result,
            measured=None,
            limit="exact",
            why=_why(result, attempt, fixture),
        )


def _arguments(calls: tuple[ToolCall, ...] | None) -> _Arguments | None:
    """Collect the argument texts per tool."""
    if calls is None:
        return None
    passed: _Arguments = defaultdict(Counter)
    for call in calls:
        passed[call.name][None if call.args is None else json_text(call.args)] += 1
    return passed


def _matches(passed: _Arguments | None, route: _Arguments | None) -> Truth:
    """Say whether every tool's calls match those of one reference attempt."""
    if passed is None or route is None:
        return None
    return all_of(_tool_matches(passed[name], route[name]) for name in passed.keys() & route.keys())


def _tool_matches(passed: Counter[str | None], route: Counter[str | None]) -> Truth:
    """Match the calls of one tool: unrecorded arguments may equal any or none."""
    needed = min(passed.total(), route.total())
    unknown = passed[None] + route[None]
    equal = sum(count for text, count in (passed & route).items() if text is not None)
    if equal >= needed:
        return True
    return None if equal + unknown >= needed else False


def _why(result: Decision, attempt: Evidence, fixture: Fixture) -> str:
    """Name a call whose arguments no reference passed, or say that they do not go together."""
    if result is Decision.PASS:
        return "the arguments equal those of a reference"
    if result is Decision.INCONCLUSIVE or attempt.calls is None:
        return "some arguments were not recorded"
    shown = {
        (call.name, json_text(call.args))
        for reference in fixture.references
        for call in reference.calls or ()
    }
    known = {name for name, _ in shown}
    for call in attempt.calls:
        text = json_text(call.args)
        if call.name in known and (call.name, text) not in shown:
            return f"no reference called {call.name} with {text[:200]}"
    return "no single reference attempt passed all these arguments"
