"""The arguments of tool calls, each inside its rule, matched within one single reference attempt.

Which call of a tool pairs with which is free, and order is never consulted: surplus and dropped
calls are the sequence's business, and so is a tool that the reference never called.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agentpolicy.base.canonical import canonical_bytes, digest
from agentpolicy.documents.models.band import BandFields
from agentpolicy.gate.argument_rules import Rules, rules_of
from agentpolicy.gate.catalogue import Catalogue
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.finding import Finding
from agentpolicy.gate.pairing import Fixture
from agentpolicy.runs.commitments import MARK, is_commitment
from agentpolicy.runs.evidence import Evidence, Truth, all_of, any_of
from agentpolicy.runs.json_text import json_text
from agentpolicy.runs.matching import pairs_up
from agentpolicy.runs.record import ToolCall

FIELD = "arguments"
Argument = tuple[str, str]
"""A tool and the name of one of its arguments."""
_NOTHING: frozenset[Argument] = frozenset()
_ByTool = Mapping[str, Sequence[ToolCall]]


@dataclass(frozen=True, slots=True)
class Passed:
    """One argument an attempt or a reference passed, as a waiver may name it."""

    argument: Argument
    field: str
    limit: str
    value: str
    """Digest of all the values the attempt passed, in whatever order."""


def judge(fields: BandFields, fixture: Fixture, catalogue: Catalogue) -> Iterator[Finding]:
    """Judge the arguments of every attempt, with a finding for each argument that crosses."""
    rules = rules_of(fields, catalogue)
    limit = "by argument" if fields.arguments else "exact"
    for attempt in fixture.attempts:
        inside = _inside(fixture, attempt, rules, _NOTHING)
        if inside is False:
            yield from _crossings(fixture, attempt, rules)
            continue
        why = "the arguments are inside those of a reference"
        yield Finding(
            field=FIELD,
            fixture_id=fixture.id,
            attempt=attempt.attempt,
            result=Decision.of(inside),
            measured=None,
            limit=limit,
            why=why if inside else "some arguments were not recorded",
        )


def without(
    fields: BandFields,
    fixture: Fixture,
    attempt: Evidence,
    catalogue: Catalogue,
    waived: frozenset[Argument],
) -> Truth:
    """Say whether an attempt would be inside if some arguments were not looked at."""
    return _inside(fixture, attempt, rules_of(fields, catalogue), waived)


def passed(
    fields: BandFields, fixture: Fixture, attempt: Evidence, catalogue: Catalogue
) -> Iterator[Passed]:
    """List every argument of the tools that an attempt called, in a fixed order."""
    rules = rules_of(fields, catalogue)
    runs = (attempt, *fixture.references)
    called = {call.name for call in attempt.calls or ()}
    shown = {
        (call.name, name)
        for run in runs
        for call in run.calls or ()
        if call.name in called and isinstance(call.args, dict)
        for name in call.args
    }
    for argument in sorted(shown):
        yield _passed(argument, attempt, rules)


def _passed(argument: Argument, attempt: Evidence, rules: Rules) -> Passed:
    """Name what an attempt passed for one argument, over all calls of the tool."""
    tool, name = argument
    values = sorted(_value_text(call, name) for call in attempt.calls or () if call.name == tool)
    content = {"argument": name, "tool": tool, "values": values}
    return Passed(
        argument, f"{FIELD}.{tool}.{name}", rules.of(tool, name).text,
        digest(canonical_bytes(content)),
    )  # fmt: skip


def _value_text(call: ToolCall, name: str) -> str:
    """Write one value; an argument that was not passed, or not recorded, has no JSON text."""
    if not isinstance(call.args, dict):
        return "unknown"
    return json_text(call.args[name]) if name in call.args else "absent"


def _inside(
    fixture: Fixture, attempt: Evidence, rules: Rules, waived: frozenset[Argument]
) -> Truth:
    """Say whether some single reference attempt takes in all calls of an attempt."""
    called = _by_tool(attempt)
    return any_of(
        _within(called, _by_tool(reference), rules, waived) for reference in fixture.references
    )


def _by_tool(run: Evidence) -> _ByTool | None:
    """Group the calls of a run by tool."""
    if run.calls is None:
        return None
    grouped: dict[str, list[ToolCall]] = defaultdict(list)
    for call in run.calls:
        grouped[call.name].append(call)
    return grouped


def _within(
    called: _ByTool | None, route: _ByTool | None, rules: Rules, waived: frozenset[Argument]
) -> Truth:
    """Say whether every tool's calls match those of one reference attempt."""
    if called is None or route is None:
        return None
    return all_of(
        _tool_matches(called[tool], route[tool], rules, waived)
        for tool in sorted(called.keys() & route.keys())
    )


def _tool_matches(
    called: Sequence[ToolCall],
    route: Sequence[ToolCall],
    rules: Rules,
    waived: frozenset[Argument],
) -> Truth:
    """Pair the calls of one tool off; calls whose arguments are all equal need no search."""
    shorter, longer = sorted((called, route), key=len)
    texts = Counter(_text(call) for call in longer)
    if None not in texts and not Counter(_text(call) for call in shorter) - texts:
        return True
    return pairs_up([[_fits(one, other, rules, waived) for other in route] for one in called])


def _text(call: ToolCall) -> str | None:
    return None if call.args is None else json_text(call.args)


def _fits(call: ToolCall, reference: ToolCall, rules: Rules, waived: frozenset[Argument]) -> Truth:
    """Say whether every argument of a call is inside its rule against one reference call.

    Arguments that are no JSON object are equal or not; as commitments they may still be inside
    wherever an argument of the tool may differ.
    """
    ours, theirs, tool = call.args, reference.args, call.name
    if ours is None or theirs is None:
        return None
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return all_of(
            _argument_fits((tool, name), ours, theirs, rules)
            for name in sorted(ours.keys() | theirs.keys())
            if (tool, name) not in waived
        )
    if ours == theirs:
        return True
    if is_commitment(ours) and is_commitment(theirs):
        strict = rules.all_exact(tool) and all(tool != other for other, _ in waived)
        return False if strict else None
    return None if is_commitment(ours) or is_commitment(theirs) else False


def _argument_fits(
    argument: Argument, ours: Mapping[str, object], theirs: Mapping[str, object], rules: Rules
) -> Truth:
    """Judge one argument; one that only a single side passed crosses unless it is ignored."""
    tool, name = argument
    rule = rules.of(tool, name)
    if name in ours and name in theirs:
        return rule.inside(ours[name], theirs[name])
    return rule.level == "ignored"


def _crossings(fixture: Fixture, attempt: Evidence, rules: Rules) -> Iterator[Finding]:
    """Name a least set of arguments that keeps an attempt from some reference, one finding each.

    Together they are all that crosses: without them the attempt would not be outside.
    """
    called = _by_tool(attempt)
    assert called is not None
    blames = [
        _blame(called, route, rules)
        for route in map(_by_tool, fixture.references)
        if route is not None and _within(called, route, rules, _NOTHING) is False
    ]
    least = min(blames, key=lambda blame: (len(blame), sorted(blame)))
    settled = _settled(called, fixture)
    for tool, name in sorted(least):
        shown = _passed((tool, name), attempt, rules)
        named = name != ""
        yield Finding(
            field=shown.field if named else FIELD,
            fixture_id=fixture.id,
            attempt=attempt.attempt,
            result=Decision.FAIL,
            measured=_shown(tool, name, attempt),
            limit=shown.limit if named else "exact",
            why=_why(tool, name, attempt, fixture),
            value=shown.value if named else None,
            settled=settled,
        )


def _settled(called: _ByTool, fixture: Fixture) -> bool:
    """Say whether no rule, however soft, would leave open how the calls compare."""
    return all(
        _comparable(_text(call), _text(other))
        for route in map(_by_tool, fixture.references)
        if route is not None
        for tool in called.keys() & route.keys()
        for call in called[tool]
        for other in route[tool]
    )


def _comparable(ours: str | None, theirs: str | None) -> bool:
    """Say whether two calls' arguments are recorded, and differ in no commitment."""
    if ours is None or theirs is None:
        return False
    return ours == theirs or (MARK not in ours and MARK not in theirs)


def _blame(called: _ByTool, route: _ByTool, rules: Rules) -> set[Argument]:
    """Find arguments that, left out of sight, let every tool match, and none of them too many.

    The name is empty where even that would not do.
    """
    blamed: set[Argument] = set()
    for tool in called.keys() & route.keys():
        ours, theirs = called[tool], route[tool]
        if _tool_matches(ours, theirs, rules, _NOTHING) is not False:
            continue
        names = {
            name for call in (*ours, *theirs) if isinstance(call.args, dict) for name in call.args
        }
        waived = frozenset((tool, name) for name in names)
        if _tool_matches(ours, theirs, rules, waived) is False:
            blamed.add((tool, ""))
            continue
        for argument in sorted(waived):
            if _tool_matches(ours, theirs, rules, waived - {argument}) is not False:
                waived -= {argument}
        blamed |= waived
    return blamed


def _shown(tool: str, name: str, attempt: Evidence) -> str:
    """Write the values an attempt passed, for people."""
    calls = [call for call in attempt.calls or () if call.name == tool]
    texts = [_value_text(call, name) if name else _text(call) or "unknown" for call in calls]
    return ", ".join(texts)[:200]


def _why(tool: str, name: str, attempt: Evidence, fixture: Fixture) -> str:
    """Say what was passed that no reference passed, or that it does not go together."""
    shown = {
        _value_text(call, name) if name else _text(call)
        for reference in fixture.references
        for call in reference.calls or ()
        if call.name == tool
    }
    what = f"{name} = " if name else ""
    for call in attempt.calls or ():
        text = _value_text(call, name) if name else _text(call) or "unknown"
        if call.name == tool and text not in shown:
            return f"no reference called {tool} with {what}{text[:200]}"
    return f"no single reference attempt called {tool} with all these {name or 'arguments'}"
