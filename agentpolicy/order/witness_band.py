"""Releases that tell two states of a band apart, built from the two values of one finding."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal

from agentpolicy.base.numbers import plain
from agentpolicy.documents.document import Value
from agentpolicy.order.change import Finding
from agentpolicy.order.values import json_text
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
    SCORED,
    Scene,
    answer,
    call,
    calls_up_to,
    output_with,
    release,
    tokens,
)

Make = Callable[[Finding, Sides], Iterator[Evidence]]
_THOUSAND = 1000
_PADDING = (0, 100, 1000)
"""Letters to put after an answer, so that a small change leaves it similar enough."""
_PLACES = 10_000


def _text(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """An answer whose similarity to its reference is below the old threshold, not the new."""
    general = sides.at(SCORED)
    values = [own if own is not None else other for own, other in _paired(sides, finding, general)]
    old, new = (number(value) or Decimal(0) for value in values)
    of_class = finding.pointer.rsplit("/", 1)[1] if "/classes/" in finding.pointer else ""
    for alike in _alike(answer(sides), new, old):
        scene = Scene(
            ({"final_answer": alike[1]},), ({"final_answer": alike[0]},), fixture_class=of_class
        )
        yield release(sides, f"an answer that is {alike[2]} like its reference", scene)


def _paired(
    sides: Sides, finding: Finding, general: tuple[Value | None, Value | None]
) -> Iterator[tuple[Value | None, Value | None]]:
    return zip(sides.at(finding.pointer), general, strict=True)


def _alike(text: str, low: Decimal, high: Decimal) -> Iterator[tuple[str, str, str]]:
    """Give two texts whose share of equal letters is at least `low` and below `high`, and it.

    The shortest that do; the second ends in letters that the first has not.
    """
    for length in range(len(text) + 1, 2 * _PLACES):
        same = max(len(text), -(-int(low * _PLACES) * length // _PLACES))
        score = Decimal(same * _PLACES // length) / _PLACES
        if low <= score < high:
            padded = text.ljust(length, "x")
            yield padded, padded[:same] + "y" * (length - same), plain(score)
            return


def _facts(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """An answer that adds a number to the reference's, or lacks one, or has another."""
    del finding
    for padding in _PADDING:
        text, end = answer(sides), "x" * padding
        for about, before, after in (
            ("an answer that adds a number", f"{text} {end}", f"{text} 7 {end}"),
            ("an answer that lacks a number", f"{text} 7 {end}", f"{text} {end}"),
        ):
            yield release(
                sides, about, Scene(({"final_answer": after},), ({"final_answer": before},))
            )


def _content(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """An answer that fails a content gate which only the old side has."""
    classes = finding.pointer.rsplit("/", 1)[1]
    old, new = (_gates(side, classes) for side in sides.at("/fields/required_content"))
    for gate in old:
        if gate not in new:
            text = answer(sides, without=json_text(gate))
            if isinstance(gate, Mapping) and "absent" in gate:
                text = f"{text} {gate['absent']}"
            changed: Record = {
                "final_answer": text,
                "refused": False if gate == "must_refuse" else None,
            }
            if gate != "must_refuse":
                changed = {"final_answer": text}
            scene = Scene((changed,), (changed,), fixture_class="" if classes == "all" else classes)
            yield release(sides, f"an answer that fails the gate {_gate(gate)}", scene)


def _gate(gate: Value) -> str:
    if isinstance(gate, Mapping):
        ((key, text),) = gate.items()
        return f"{key}: {text}"
    return str(gate)


def _gates(content: Value | None, of_class: str) -> list[Value]:
    classes = content if isinstance(content, Mapping) else {}
    lists = [classes.get(name) for name in dict.fromkeys(("all", of_class))]
    return [gate for listed in lists if isinstance(listed, tuple) for gate in listed]


def _required_keys(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """An output without a key that only the old side wants."""
    old, new = sides.at(finding.pointer)
    named = sides.listed(finding.pointer)
    if old == "exact":
        reference = output_with([*named, "shared"])
        scene = Scene(({"output": output_with(named)},), ({"output": reference},))
        yield release(sides, "an output without a key that all references share", scene)
        return
    kept = new if isinstance(new, tuple) else ()
    for name in named:
        if name not in kept:
            output = {"output": output_with(one for one in named if one != name)}
            yield release(sides, f"an output without the key {name}", Scene((output,), (output,)))


def _optional_keys(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """An output with a key that no reference has."""
    del finding
    named = sides.listed("/fields/required_keys")
    scene = Scene(({"output": output_with([*named, "more"])},), ({"output": output_with(named)},))
    yield release(sides, "an output with a key that no reference has", scene)


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
    pairs += [(one, other) for one, other, _ in _alike("text", low, high)]
    for passed, reference in [*((other, one) for one, other in pairs), ("one", "two")]:
        yield _argument_release(sides, tool, name, (passed, reference))


def _argument_release(
    sides: Sides, tool: str, name: str, values: tuple[object, object]
) -> Evidence:
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
        yield _argument_release(sides, tool, name, (shown, 0))


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


def _graded(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """A release that crosses in the dimension whose crossings no longer fail."""
    field = finding.pointer.rsplit("/", 1)[1]
    if field == "arguments":
        yield _argument_release(sides, CALL, "text", ("one", "two"))
    elif field == "facts":
        yield from _facts(finding, sides)
    elif field == "text_similarity":
        below = min(sides.limits(SCORED), default=Decimal(0))
        for before, after, score in _alike(answer(sides), Decimal(0), below):
            scene = Scene(({"final_answer": after},), ({"final_answer": before},))
            yield release(sides, f"an answer that is {score} like its reference", scene)
    else:
        yield from _beyond_ratio(field, sides)


def _beyond_ratio(field: str, sides: Sides) -> Iterator[Evidence]:
    """A candidate that is far beyond every ratio, upwards or downwards."""
    many = int(max(sides.limits(f"/fields/{field}/max", f"/fields/{field}"), default=1)) + 1
    slow = int(max(sides.limits(f"/fields/{field}/fail", f"/fields/{field}"), default=1)) + 1
    long: Record = {"tool_calls": [call(CALL)] * many}
    for about, candidate, reference in (
        (f"a candidate {slow} times as slow", {"latency_ms": slow * _THOUSAND}, ({},)),
        (f"a candidate with {many} times the tokens", {"tokens": tokens(many * _THOUSAND)}, ({},)),
        ("a candidate with a thousandth of the tokens", {"tokens": tokens(1)}, ({},)),
        (f"a candidate of {many} calls, where the median is one,", long,
         ({"tool_calls": [call(CALL)]}, {"tool_calls": [call(CALL)]}, long)),
    ):  # fmt: skip
        wanted = {"latency_ms": "latency", "tokens": "token", "tool_calls": "tool_calls"}
        if field.startswith(wanted[next(iter(candidate))]):
            yield release(sides, about, Scene((candidate,), reference))


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


GRADED = ("text", "facts", "arguments", "latency-p50", "latency-p95", "token-ratio",
          "tool-calls-ratio")  # fmt: skip
BAND: Mapping[str, Make] = {
    "band/text-threshold": _text,
    "band/text-class-threshold": _text,
    "band/facts": _facts,
    "band/required-content": _content,
    "band/required-keys": _required_keys,
    "band/optional-keys": _optional_keys,
    "band/tool-order": _tool_order,
    "band/argument-rule": _argument,
    "band/argument-tolerance": _tolerance,
    "band/latency-p50-warn": _latency,
    "band/latency-p50-fail": _latency,
    "band/latency-p95": _latency,
    "band/token-ratio-min": _token_ratio,
    "band/token-ratio-max": _token_ratio,
    "band/tool-calls-ratio": _tool_calls_ratio,
    **{f"band/grade-{dimension}": _graded for dimension in GRADED},
    "band/comparability-minimum": _comparability,
    "band/comparability-varies": _varies,
    "band/repeats": _repeats,
    "band/sample-min": _sample,
}
"""How a witness is built, by rule."""
