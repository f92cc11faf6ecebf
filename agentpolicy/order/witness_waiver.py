"""Waivers, and releases with waived crossings, that tell two states of a band apart."""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal

from agentpolicy.base.canonical import canonical_bytes, digest
from agentpolicy.documents.document import Value
from agentpolicy.order.change import Finding
from agentpolicy.order.witness_budget import past_soft, plain_run
from agentpolicy.order.witness_evidence import (
    Evidence,
    Question,
    Record,
    Sides,
    Tree,
    just_above,
    number,
)
from agentpolicy.order.witness_scene import (
    CALL,
    OTHER_CALL,
    SCORED,
    Scene,
    answer,
    call,
    release,
    waived,
)

Make = Callable[[Finding, Sides], Iterator[Evidence]]
GRANTED_ON = date(2026, 1, 1)
"""The first day of every waiver here, and the day it is judged on."""
VERDICT = "sha256:" + "0" * 64
"""The recorded verdict every waiver here cites."""
_MOST_CROSSINGS = 60
_DEFAULT_DAYS = Decimal(30)
_LETTERS = 100
SUBJECT = "witness"
_OTHER: Record = {"tool_calls": [call(OTHER_CALL)]}
_USUAL: Record = {"tool_calls": [call(CALL)]}


def _max_days(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """A waiver that lasts longer than the old side allows, and not than the new."""
    old, new = (number(value) or _DEFAULT_DAYS for value in sides.at(finding.pointer))
    days = just_above(old, new, Decimal(1))
    if days is not None:
        yield from _crossing(sides, f"a crossing waived for {int(days)} days", days=int(days))


def _evidence(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """A waiver that lacks just what the new side no longer asks for."""
    old, new = (_asked(finding, side) for side in sides.at(finding.pointer))
    for name in sorted(old - new):
        about = f"a crossing waived without {name}"
        yield from _crossing(sides, about, given=sorted(new))


def _asked(finding: Finding, side: Value | None) -> set[str]:
    """Read which evidence a side asks for, or what is asked for where it does not say."""
    if isinstance(side, tuple):
        return set(map(str, side))
    return set(json.loads(finding.row.absent or "[]")) if finding.row else set()


def _approver(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    del finding
    yield Evidence("a new waiver", Question.APPROVER, waivers=(_waiver(sides, 1),))


def _max_open(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """One waiver more than the old side allows at a time."""
    old = number(sides.at(finding.pointer)[0])
    if old is not None:
        count = int(old) + 1
        waivers = tuple(_waiver(sides, 1, name=f"w-{place}") for place in range(1, count + 1))
        about = f"a new waiver that makes {count} open ones"
        yield Evidence(about, Question.OPEN, waivers=waivers)


def _crossing(
    sides: Sides, about: str, *, days: int = 1, given: list[str] | None = None
) -> Iterator[Evidence]:
    """Give a crossing that a waiver can cover, with the waiver, for a band or for a budget."""
    asked = sides.listed("/waivers/required_evidence") if given is None else given
    if _of_budget(sides):
        for changed in past_soft(sides):
            run = plain_run(sides, {**changed, "subject": SUBJECT})
            found = Evidence(about, Question.DECISION, (run,))
            yield waived(found, _waiver(sides, 1, days=days, given=asked))
        return
    found = release(sides, about, Scene((_OTHER,), (_USUAL,)))
    yield waived(found, _waiver(sides, len(found.fixtures), days=days, given=asked))


def _of_budget(sides: Sides) -> bool:
    return "task_type" in sides.new


def _waiver(
    sides: Sides,
    fixtures: int,
    *,
    name: str = "w-1",
    days: int = 1,
    given: list[str] | None = None,
) -> Tree:
    """Write a waiver of a crossing that can always be had.

    Of a band that is another tool than the reference's, of a budget all runs past a soft limit.
    """
    known = {"id": name, "expires_on": (GRANTED_ON + timedelta(days=days)).isoformat()}
    if _of_budget(sides):
        limit = min(sides.limits("/gate/aggregate/amber_rate_max"), default=Decimal(1))
        return _written(given, known, {
            "task_type": sides.new["task_type"], "variant": sides.new["variant"],
            "scope": "aggregate", "metric": "amber_rate_max", "measured": Decimal(1),
            "subject": SUBJECT, "band": limit,
        })  # fmt: skip
    measured = digest(canonical_bytes([OTHER_CALL]))
    covered: Tree = {"field": "tool_order", "band": "exact"}
    return _written(given, known, {"agent": sides.name, **covered, **_cases(measured, fixtures)})


def _cases(measured: Value, fixtures: int) -> Tree:
    places = range(1, fixtures + 1)
    return {"cases": tuple({"fixture_id": f"w-{place}", "measured": measured} for place in places)}


def _written(given: list[str] | None, *parts: Tree) -> Tree:
    known: dict[str, Value] = {
        "verdict": VERDICT,
        "reason": "a witness",
        "change_link": "https://example.com/change",
        "owner": "witness",
        "granted_on": GRANTED_ON.isoformat(),
    }
    for part in parts:
        known.update(part)
    if given:
        known["evidence"] = dict.fromkeys(given, "given")
    return known


def _route(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """Ever more waived crossings, until only the new side is content with less review."""
    level = finding.pointer.rsplit("/", 1)[1] if "/criticality/" in finding.pointer else ""
    differing = finding.rule == "band/routing-nondeterminism"
    candidate = (_OTHER, _USUAL) if differing else (_OTHER,)
    for count in range(1, _MOST_CROSSINGS + 1):
        about = f"a release with {count} waived crossing{'s' * (count != 1)}"
        scene = Scene(
            candidate, (_USUAL,), fixtures=count, attempts=len(candidate), criticality=level
        )
        found = release(sides, about, scene, Question.ROUTE)
        yield waived(found, _waiver(sides, count, given=sides.listed("/waivers/required_evidence")))


def _shortfall(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """A waived answer that is ever less like its reference."""
    del finding
    threshold = min(sides.limits(SCORED), default=Decimal(0))
    for unlike in range(1, _LETTERS + 1):
        score = Decimal(_LETTERS - unlike) / _LETTERS
        if score >= threshold:
            continue
        text = "x" * (_LETTERS - unlike) + "y" * unlike
        scene = Scene(({"final_answer": text},), ({"final_answer": "x" * _LETTERS},))
        about = f"a release with a waived answer that scores {score} against its reference"
        found = release(sides, about, scene, Question.ROUTE)
        waiver = _written(
            sides.listed("/waivers/required_evidence"),
            {"id": "w-1", "expires_on": GRANTED_ON.isoformat(), "agent": sides.name},
            {"field": "text_similarity.threshold", "band": threshold},
            _cases(score, len(found.fixtures)),
        )
        yield waived(found, waiver)


def _unsteady(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """Answers that differ from each other, and cross nothing."""
    del finding
    text = answer(sides)
    candidate = ({"final_answer": text}, {"final_answer": f"{text} x"})
    about = "a release whose repeats differ, with no crossing,"
    yield release(sides, about, Scene(candidate, candidate[:1], attempts=2), Question.ROUTE)


_WEIGHTS = ("base", "crossing-weight", "criticality", "nondeterminism", "full-gate-from")
WAIVER: Mapping[str, Make] = {
    **{f"{document}/waiver-max-days": _max_days for document in ("band", "budget")},
    **{f"{document}/waiver-evidence": _evidence for document in ("band", "budget")},
    **{f"{document}/waiver-max-open": _max_open for document in ("band", "budget")},
    "band/waiver-approver": _approver,
    **{f"band/routing-{weight}": _route for weight in _WEIGHTS},
    "band/routing-shortfall-weight": _shortfall,
    "band/routing-fast-review-from": _unsteady,
}
"""How a witness is built, by rule."""
