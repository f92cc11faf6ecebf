"""Crossings of every dimension a band may grade, for a grade that no longer fails."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal

from agentpolicy.order.change import Finding
from agentpolicy.order.witness_answers import alike, facts
from agentpolicy.order.witness_band import argument_release
from agentpolicy.order.witness_evidence import Evidence, Record, Sides
from agentpolicy.order.witness_scene import CALL, SCORED, Scene, answer, call, release, tokens

Make = Callable[[Finding, Sides], Iterator[Evidence]]
_THOUSAND = 1000


def _graded(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """A release that crosses in the dimension whose crossings no longer fail."""
    field = finding.pointer.rsplit("/", 1)[1]
    if field == "arguments":
        yield argument_release(sides, CALL, "text", ("one", "two"))
    elif field == "facts":
        yield from facts(finding, sides)
    elif field == "text_similarity":
        below = min(sides.limits(SCORED), default=Decimal(0))
        for before, after, score in alike(answer(sides), Decimal(0), below):
            scene = Scene(({"final_answer": after},), ({"final_answer": before},))
            yield release(sides, f"an answer that scores {score} against its reference", scene)
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


_DIMENSIONS = ("text", "facts", "arguments", "latency-p50", "latency-p95", "token-ratio",
               "tool-calls-ratio")  # fmt: skip
GRADES: Mapping[str, Make] = {f"band/grade-{dimension}": _graded for dimension in _DIMENSIONS}
"""How a witness is built, by rule."""
