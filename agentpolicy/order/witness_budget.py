"""Runs that tell two states of a budget apart, built from the two values of one finding."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType

from agentpolicy.base.numbers import plain
from agentpolicy.order.change import Finding
from agentpolicy.order.values import json_text
from agentpolicy.order.witness_evidence import (
    LARGER_SETS,
    Evidence,
    Question,
    Record,
    Sides,
    just_above,
    number,
    shares,
)

_AS_IT_IS: Record = MappingProxyType({})
Make = Callable[[Finding, Sides], Iterator[Evidence]]
EVALUATOR = "witness@1"
EFFECT = "witness.undeclared"
"""A tool no catalogue lists, so that calling it is an effect nobody allowed."""


@dataclass(frozen=True, slots=True)
class _Measure:
    """One thing a run is limited in."""

    unit: Decimal
    write: Callable[[Decimal], Record]
    say: Callable[[str], str]
    places: int = 0
    """Decimals that a record can hold."""


def _milliseconds(seconds: Decimal) -> Record:
    whole = int(seconds * 1000)
    return {"latency_ms": whole, "time_to_useful_ms": whole}


_MEASURES: Mapping[str, _Measure] = {
    "steps": _Measure(
        Decimal(1), lambda value: {"steps": int(value)}, lambda text: f"a run of {text} steps"
    ),
    "cost_usd": _Measure(
        Decimal("0.01"),
        lambda value: {"cost_usd": plain(value)},
        lambda text: f"a run that costs {text} USD",
        30,
    ),
    "latency_s": _Measure(
        Decimal(1), _milliseconds, lambda text: f"a run of {text} seconds", 3
    ),
    "tokens": _Measure(
        Decimal(1),
        lambda value: {"tokens": _tokens(int(value))},
        lambda text: f"a run of {text} tokens",
    ),
}  # fmt: skip


def _tokens(count: int) -> Record:
    return {"input": count, "output": 0, "cached": 0, "basis": "inclusive"}


def plain_run(sides: Sides, changed: Record = _AS_IT_IS, place: int = 1) -> Record:
    """Make a correct run that uses nothing, with just the values that either side reads."""
    known: dict[str, object] = {
        "run_id": f"w-{place}",
        "fixture_id": f"w-{place}",
        "task_type": sides.new["task_type"],
        "variant": sides.new["variant"],
        "outcome": {"correct": True, "evaluator": _evaluator(sides)},
        "tool_calls": [],
    }
    for name, measure in _MEASURES.items():
        if _reads(sides, name):
            known.update(measure.write(Decimal(0)))
    return known | dict(changed)


def _reads(sides: Sides, measure: str) -> bool:
    limits = sides.limits(f"/budget/{measure}/soft", f"/budget/{measure}/hard")
    return bool(limits) or (
        measure == "cost_usd" and bool(sides.limits("/gate/aggregate/p95_cost_usd"))
    )


def _evaluator(sides: Sides) -> str:
    """Choose one whose word counts on both sides, if there is one."""
    known = [set(value) for value in sides.written("/evaluators") if isinstance(value, tuple)]
    both = sorted(str(name) for name in set.intersection(*known)) if known else []
    return both[0] if both else EVALUATOR


def _least(sides: Sides) -> int:
    """Give the least number of fixtures that either side takes for enough."""
    return int(max([Decimal(1), *sides.limits("/gate/sample_min")]))


def _hard(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """A run above the old limit and within the new one."""
    found = _beyond(finding, sides)
    if found:
        measure, value = found
        about = measure.say(plain(value))
        yield Evidence(about, Question.OUTCOME, (plain_run(sides, measure.write(value)),))


def _soft(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """As few runs as count, all above the old limit and within the new one."""
    found = _beyond(finding, sides)
    if not found:
        return
    measure, value = found
    least = _least(sides)
    for size in (least, *(n for n in LARGER_SETS if n > least)):
        about = measure.say(plain(value))
        runs = (plain_run(sides, measure.write(value), place) for place in range(1, size + 1))
        about = about if size == 1 else f"a set of {size} runs, each {about},"
        yield Evidence(about, Question.DECISION, tuple(runs))


def _beyond(finding: Finding, sides: Sides) -> tuple[_Measure, Decimal] | None:
    old, new = (number(value) for value in sides.at(finding.pointer))
    measure = _MEASURES[finding.pointer.split("/")[2]]
    value = None if old is None else just_above(old, new, measure.unit)
    return None if value is None or not _writable(measure, value) else (measure, value)


def _writable(measure: _Measure, value: Decimal) -> bool:
    return len(plain(value).partition(".")[2]) <= measure.places


def _set(sides: Sides, about: str, bad: int, size: int, changed: Record = _AS_IT_IS) -> Evidence:
    """Make a set of plain runs, the first of which are changed."""
    runs = (
        plain_run(sides, changed if place <= bad else _AS_IT_IS, place)
        for place in range(1, size + 1)
    )  # fmt: skip
    return Evidence(about, Question.DECISION, tuple(runs))


def _amber_rate(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """A share of runs past some soft limit, none of them past a hard one."""
    low, high = (number(value) for value in sides.at(finding.pointer))
    if low is None:
        return
    for changed in past_soft(sides):
        for count, size in shares(low, high, _least(sides)):
            about = _of(count, size, "past a soft limit")
            yield _set(sides, about, count, size, changed)


def past_soft(sides: Sides) -> Iterator[Record]:
    """Give what puts a run past some soft limit of both sides, and past no hard one."""
    for name, measure in _MEASURES.items():
        soft = sides.limits(f"/budget/{name}/soft")
        hard = min(sides.limits(f"/budget/{name}/hard"), default=None)
        value = just_above(max(soft), hard, measure.unit) if soft else None
        if value is not None and _writable(measure, value):
            yield measure.write(value)


def _pass_rate(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """A share of runs with the wrong outcome."""
    least, most = (number(value) for value in sides.at(finding.pointer))
    if least is None:
        return
    wrong = {"correct": False, "evaluator": _evaluator(sides)}
    high = None if most is None else 1 - most
    for count, size in shares(1 - least, high, _least(sides)):
        yield _set(
            sides, _of(count, size, "with the wrong outcome"), count, size, {"outcome": wrong}
        )


def _unsafe_rate(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """A share of runs with an effect that nobody allowed."""
    low, high = (number(value) for value in sides.at(finding.pointer))
    calls = [{"name": EFFECT, "args": {}, "status": "ok"}]
    for count, size in shares(low or Decimal(0), high, _least(sides)):
        about = _of(count, size, "with an undeclared effect")
        yield _set(sides, about, count, size, {"tool_calls": calls})


def _of(count: int, size: int, what: str) -> str:
    return f"a run {what}" if size == 1 else f"a set of {size} runs, {count} {what},"


def _p95(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """Runs that all cost more than the old limit; else just enough of twenty for the percentile."""
    old, new = (number(value) for value in sides.at(finding.pointer))
    measure = _MEASURES["cost_usd"]
    value = None if old is None else just_above(old, new, measure.unit)
    if value is None:
        return
    least = _least(sides)
    cost = measure.write(value)
    for size in (least, *(n for n in LARGER_SETS if n > least)):
        above = size - -(-95 * size // 100) + 1
        for count in sorted({size, above}, reverse=size == least):
            about = f"a set of {size} runs whose 95th percentile costs {plain(value)} USD"
            yield _set(sides, about if size > 1 else measure.say(plain(value)), count, size, cost)


def _enough(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """Just as many plain runs as the new side asks for."""
    size = int(number(sides.at(finding.pointer)[1]) or 1)
    yield _set(sides, "a single run" if size == 1 else f"a set of {size} runs", 0, size)


def _by_point(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """Too few runs for any bound, all of them fine."""
    least = _least(sides)
    del finding
    yield _set(sides, "a single run" if least == 1 else f"a set of {least} runs", 0, least)


def _evaluators(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """A run on whose outcome only an evaluator speaks whose word did not count."""
    old, new = sides.at(finding.pointer)
    before = set(old) if isinstance(old, tuple) else set()
    gained = sorted(str(name) for name in (new if isinstance(new, tuple) else ()))
    for name in [name for name in gained if name not in before] or [EVALUATOR]:
        outcome = {"correct": True, "evaluator": name}
        run = plain_run(sides, {"outcome": outcome})
        yield Evidence(f"a run that {name} calls correct", Question.OUTCOME, (run,))


def _measures(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """A run that is too long as a whole but useful at once; or one of which only that is known."""
    hard = sides.limits("/budget/latency_s/hard")
    if not hard:
        return
    if sides.at(finding.pointer)[1] == "time_to_useful":
        long = int(max(hard) * 1000) + 1
        run = plain_run(sides, {"latency_ms": long, "time_to_useful_ms": 0})
        yield Evidence("a run that is too long, but useful at once,", Question.OUTCOME, (run,))
    run = plain_run(sides, {"time_to_useful_ms": None})
    yield Evidence("a run that does not say when it was useful", Question.OUTCOME, (run,))


def _allowed(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """A run that calls a tool which only the new side allows."""
    old, new = sides.at(finding.pointer)
    before = set(map(json_text, old)) if isinstance(old, tuple) else set()
    for tool in new if isinstance(new, tuple) else ():
        if json_text(tool) not in before:
            calls = [{"name": tool, "args": {}, "status": "ok"}]
            run = plain_run(sides, {"tool_calls": calls})
            yield Evidence(f"a run that calls {tool}", Question.OUTCOME, (run,))


BUDGET: Mapping[str, Make] = {
    **{f"budget/{name}-hard": _hard for name in ("steps", "cost", "latency", "tokens")},
    **{f"budget/{name}-soft": _soft for name in ("steps", "cost", "latency", "tokens")},
    "budget/latency-measures": _measures,
    "budget/allowed-effects": _allowed,
    "budget/evaluators": _evaluators,
    "budget/amber-rate-max": _amber_rate,
    "budget/p95-cost": _p95,
    "budget/pass-rate-min": _pass_rate,
    "budget/unsafe-rate-max": _unsafe_rate,
    "budget/sample-min": _enough,
    "budget/decision": _by_point,
}
"""How a witness is built, by rule."""
