"""Releases that tell two states of a band apart, built from the two values of one finding."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal

from agentpolicy.base.numbers import plain
from agentpolicy.order.change import Finding
from agentpolicy.order.values import json_text
from agentpolicy.order.witness_answers import alike
from agentpolicy.order.witness_evidence import (
    Evidence,
    Question,
    Record,
    Sides,
    just_above,
    number,
)
from agentpolicy.order.witness_scene import (
    CALL,
    OTHER_CALL,
    PROVENANCE_FIELDS,
    Scene,
    call,
    calls_up_to,
    release,
    tokens,
)

Make = Callable[[Finding, Sides], Iterator[Evidence]]
_THOUSAND = 1000


def _tool_order(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """The reference's calls the other way round."""
    del finding
    pairs = [(CALL, OTHER_CALL)]
    safe = safe_tools(sides)
    pairs += [(one, other) for one in safe for other in safe if one < other]
    for one, other in pairs:
        yield exchanged(sides, one, other)


def exchanged(sides: Sides, one: str, other: str) -> Evidence:
    """Make a release that calls two tools the other way round than its reference."""
    there, back = [call(one), call(other)], [call(other), call(one)]
    about = f"a run that calls {other} and then {one}, where its reference does the reverse,"
    return release(sides, about, Scene(({"tool_calls": back},), ({"tool_calls": there},)))


def safe_tools(sides: Sides) -> list[str]:
    """List the tools whose calls may change places under the new catalogue."""
    return sorted(
        name
        for name, tool in sides.new_tools.items()
        if isinstance(tool, Mapping)
        and tool.get("idempotent") is True
        and tool.get("effect") != "destructive"
        and not tool.get("requires")
    )


def _argument(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """A call whose argument differs from the reference's, a little or altogether."""
    tool, name = _tool_and_argument(finding.pointer)
    levels = [_share(text) for text in (finding.new, finding.old)]
    yield from arguments_that_differ(sides, tool, name, levels)


def arguments_that_differ(
    sides: Sides, tool: str, name: str, levels: list[Decimal]
) -> Iterator[Evidence]:
    """Make releases in which one argument differs, by less first."""
    low, high = levels
    pairs = [("text", " text"), ("text", "TEXT")]
    pairs += [(one, other) for one, other, _ in alike("text", low, high)]
    for passed, reference in [*((other, one) for one, other in pairs), ("one", "two")]:
        yield argument_release(sides, tool, name, (passed, reference))


def argument_release(sides: Sides, tool: str, name: str, values: tuple[object, object]) -> Evidence:
    """Make a release in which one argument of one call differs from its reference's."""
    passed, reference = (
        {"tool_calls": calls_up_to(sides, call(tool, **{name: value}))} for value in values
    )
    shown = [json_text(value) for value in values if isinstance(value, (str, int, Decimal))]
    about = f"a call of {tool} with {name} {shown[0]}, where its reference has {shown[1]},"
    return release(sides, about, Scene((passed,), (reference,)))


def _share(text: str | None) -> Decimal:
    """Read the share of a level; any other level is taken for one that only the same text has."""
    inner = (text or "").partition("(")[2].removesuffix(")")
    return Decimal(inner) if inner else Decimal(1)


def _tolerance(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """A number that differs by more than the old tolerance and not by more than the new."""
    tool, name = _tool_and_argument(finding.pointer)
    old, new = (number(value) or Decimal(0) for value in sides.at(finding.pointer))
    value = just_above(old, new, Decimal(1))
    if value is not None:
        shown = int(value) if value == int(value) else value
        yield argument_release(sides, tool, name, (shown, 0))


def _tool_and_argument(pointer: str) -> tuple[str, str]:
    tool, name = (
        token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[3:5]
    )  # fmt: skip
    return tool, name


def _ratio(finding: Finding, sides: Sides) -> Decimal | None:
    old, new = (number(value) for value in sides.at(finding.pointer))
    return None if old is None else just_above(old, new, Decimal("0.1"))


def _latency(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """A candidate slower than the old multiple of its reference, and not than the new."""
    ratio = _ratio(finding, sides)
    if ratio is None:
        return
    slow = int(ratio * _THOUSAND)
    flag = finding.pointer.endswith("/warn")
    about = f"a candidate {plain(ratio)} times as slow as its reference"
    question = Question.NOTE if flag else Question.DECISION
    yield release(sides, about, Scene(({"latency_ms": slow},)), question)
    if finding.rule == "band/latency-p95":
        # Few enough slow ones leave the median where it was.
        attempts: tuple[Record, ...] = ({"latency_ms": slow}, {"latency_ms": slow}, *({},) * 18)
        yield release(sides, f"a candidate whose slowest runs are {plain(ratio)} times as slow",
                      Scene(attempts, attempts=20))  # fmt: skip


def _token_ratio(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """A candidate whose tokens, over its reference's, are outside the old side only."""
    old, new = (number(value) for value in sides.at(finding.pointer))
    if old is None:
        return
    for base in range(1, _THOUSAND + 1):
        if finding.pointer.endswith("/max"):
            count = int(old * base) + 1
            inside = new is None or count <= new * base
        else:
            count = -int(-old * base // 1) - 1
            inside = count > 0 and (new is None or count >= new * base)
        if inside:
            changed, reference = {"tokens": tokens(count)}, {"tokens": tokens(base)}
            about = f"a candidate of {count} tokens, where its reference has {base},"
            yield release(sides, about, Scene((changed,), (reference,)))
            return


def _tool_calls_ratio(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """A candidate that takes the longest way some reference shows, where most take a short one."""
    old, new = (number(value) for value in sides.at(finding.pointer))
    if old is None:
        return
    for base in range(1, 101):
        count = int(old * base) + 1
        if new is None or count <= new * base:
            short, long = ({"tool_calls": [call(CALL)] * size} for size in (base, count))
            about = f"a candidate of {count} calls, where the median reference has {base},"
            yield release(sides, about, Scene((long,), (short, short, long)))
            return


def _comparability(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """A candidate of which less is known: one thing, then ever more."""
    del finding
    for field in PROVENANCE_FIELDS:
        yield release(
            sides, f"a candidate without {field}", Scene(({field: None},), ({field: None},))
        )
    for kept in (("cohort_id", "test_case_id"), ()):
        lacking = {field: None for field in PROVENANCE_FIELDS if field not in kept}
        about = "a candidate of which only the cohort and test case are known" if kept else (
            "a candidate of which nothing is known")  # fmt: skip
        yield release(sides, about, Scene((lacking,), (lacking,)))


def _varies(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """A candidate that differs from its reference in what is newly under test."""
    old, new = (set(map(str, side)) if isinstance(side, tuple) else set()
                for side in sides.at(finding.pointer))  # fmt: skip
    for field in sorted(new - old):
        other: object = {"temperature": 1} if field == "sampling" else "other"
        yield release(sides, f"a candidate that differs in {field}", Scene(({field: other},)))


def _repeats(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """Just as many attempts as the new side asks for."""
    count = int(number(sides.at(finding.pointer)[1]) or 1)
    about = f"a candidate with {count} attempt{'s' * (count != 1)} at its fixture"
    yield release(sides, about, Scene(attempts=count))


def _sample(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """Just as many fixtures as the new side asks for."""
    count = int(number(sides.at(finding.pointer)[1]) or 1)
    about = f"a candidate with {count} fixture{'s' * (count != 1)}"
    yield release(sides, about, Scene(fixtures=count))


BAND: Mapping[str, Make] = {
    "band/tool-order": _tool_order,
    "band/argument-rule": _argument,
    "band/argument-tolerance": _tolerance,
    "band/latency-p50-warn": _latency,
    "band/latency-p50-fail": _latency,
    "band/latency-p95": _latency,
    "band/token-ratio-min": _token_ratio,
    "band/token-ratio-max": _token_ratio,
    "band/tool-calls-ratio": _tool_calls_ratio,
    "band/comparability-minimum": _comparability,
    "band/comparability-varies": _varies,
    "band/repeats": _repeats,
    "band/sample-min": _sample,
}
"""How a witness is built, by rule."""
