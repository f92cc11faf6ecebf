"""Answers and outputs that tell two states of a band apart, built from the values of a finding."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal

from agentpolicy.base.numbers import plain
from agentpolicy.documents.document import Value
from agentpolicy.order.change import Finding
from agentpolicy.order.values import json_text
from agentpolicy.order.witness_evidence import Evidence, Sides, number
from agentpolicy.order.witness_scene import CONTENT, SCORED, Scene, answer, output_with, release

Make = Callable[[Finding, Sides], Iterator[Evidence]]
_PADDING = (0, 100, 1000)
"""Letters to put after an answer, so that a small change leaves it similar enough."""
_PLACES = 10_000
"""A score is cut to four places."""


def _text(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """An answer whose similarity to its reference is below the old threshold, not the new."""
    general = sides.at(SCORED)
    values = [own if own is not None else other for own, other in _paired(sides, finding, general)]
    old, new = (number(value) or Decimal(0) for value in values)
    of_class = finding.pointer.rsplit("/", 1)[1] if "/classes/" in finding.pointer else ""
    needed = answer(sides).removeprefix(CONTENT)
    for found in alike(needed, new, old):
        scene = Scene(
            ({"final_answer": found[1]},), ({"final_answer": found[0]},), fixture_class=of_class
        )
        yield release(sides, f"an answer that scores {found[2]} against its reference", scene)


def _paired(
    sides: Sides, finding: Finding, general: tuple[Value | None, Value | None]
) -> Iterator[tuple[Value | None, Value | None]]:
    return zip(sides.at(finding.pointer), general, strict=True)


def alike(text: str, low: Decimal, high: Decimal) -> Iterator[tuple[str, str, str]]:
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


def facts(finding: Finding, sides: Sides) -> Iterator[Evidence]:
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
            changed: dict[str, object] = {"final_answer": text}
            if gate == "must_refuse":
                changed["refused"] = False
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


ANSWERS: Mapping[str, Make] = {
    "band/text-threshold": _text,
    "band/text-class-threshold": _text,
    "band/facts": facts,
    "band/required-content": _content,
    "band/required-keys": _required_keys,
    "band/optional-keys": _optional_keys,
}
"""How a witness is built, by rule."""
