"""Waivers, and releases with waived crossings, that tell two states of a band apart."""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal

from agentpolicy.base.canonical import canonical_bytes, digest
from agentpolicy.documents.document import Value
from agentpolicy.order.change import Finding
from agentpolicy.order.witness_evidence import (
    Evidence,
    Question,
    Sides,
    Tree,
    just_above,
    number,
)
from agentpolicy.order.witness_scene import CALL, OTHER_CALL, SCORED, Scene, call, release, waived

Make = Callable[[Finding, Sides], Iterator[Evidence]]
GRANTED_ON = date(2026, 1, 1)
"""The first day of every waiver here, and the day it is judged on."""
VERDICT = "sha256:" + "0" * 64
"""The recorded verdict every waiver here cites."""
_MOST_CROSSINGS = 60
_DEFAULT_DAYS = Decimal(30)
_LETTERS = 100


def _max_days(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """A waiver that lasts longer than the old side allows, and not than the new."""
    old, new = (number(value) or _DEFAULT_DAYS for value in sides.at(finding.pointer))
    days = just_above(old, new, Decimal(1))
    if days is not None:
        yield _crossing(sides, f"a crossing waived for {int(days)} days", days=int(days))


def _evidence(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """A waiver that lacks just what the new side no longer asks for."""
    old, new = (_asked(finding, side) for side in sides.at(finding.pointer))
    for name in sorted(old - new):
        about = f"a crossing waived without {name}"
        yield _crossing(sides, about, given=sorted(new))


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
) -> Evidence:
    found = release(sides, about, Scene(({"tool_calls": [call(OTHER_CALL)]},),
                                        ({"tool_calls": [call(CALL)]},)))  # fmt: skip
    asked = sides.listed("/waivers/required_evidence") if given is None else given
    return waived(found, _waiver(sides, len(found.fixtures), days=days, given=asked))


def _waiver(
    sides: Sides,
    fixtures: int,
    *,
    name: str = "w-1",
    days: int = 1,
    given: list[str] | None = None,
) -> Tree:
    """Write a waiver of the one crossing that every band has: another tool than the reference's."""
    measured = digest(canonical_bytes([OTHER_CALL]))
    covered = {"field": "tool_order", "band": "exact"}
    return _written(sides, name, covered, measured, fixtures, days, given or [])


def _written(
    sides: Sides,
    name: str,
    covered: Mapping[str, Value],
    measured: Value,
    fixtures: int,
    days: int,
    given: list[str],
) -> Tree:
    known: dict[str, Value] = {
        "id": name,
        "agent": sides.name,
        **covered,
        "cases": tuple(
            {"fixture_id": f"w-{place}", "measured": measured} for place in range(1, fixtures + 1)
        ),
        "verdict": VERDICT,
        "reason": "a witness",
        "change_link": "https://example.com/change",
        "owner": "witness",
        "granted_on": GRANTED_ON.isoformat(),
        "expires_on": (GRANTED_ON + timedelta(days=days)).isoformat(),
    }
    if given:
        known["evidence"] = dict.fromkeys(given, "given")
    return known


def _route(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """Ever more waived crossings, until only the new side is content with less review."""
    level = finding.pointer.rsplit("/", 1)[1] if "/criticality/" in finding.pointer else ""
    differing = finding.rule == "band/routing-nondeterminism"
    other, usual = {"tool_calls": [call(OTHER_CALL)]}, {"tool_calls": [call(CALL)]}
    candidate = (other, usual) if differing else (other,)
    for count in range(1, _MOST_CROSSINGS + 1):
        about = f"a release with {count} waived crossing{'s' * (count != 1)}"
        scene = Scene(
            candidate, (usual,), fixtures=count, attempts=len(candidate), criticality=level
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
        about = f"a release with a waived answer that is {score} like its reference"
        found = release(sides, about, scene, Question.ROUTE)
        covered: Tree = {"field": "text_similarity.threshold", "band": threshold}
        asked = sides.listed("/waivers/required_evidence")
        yield waived(found, _written(sides, "w-1", covered, score, len(found.fixtures), 1, asked))


_WEIGHTS = ("base", "crossing-weight", "criticality", "nondeterminism", "full-gate-from",
            "fast-review-from")  # fmt: skip
WAIVER: Mapping[str, Make] = {
    "band/waiver-max-days": _max_days,
    "band/waiver-evidence": _evidence,
    "band/waiver-approver": _approver,
    "band/waiver-max-open": _max_open,
    "budget/waiver-max-open": _max_open,
    **{f"band/routing-{weight}": _route for weight in _WEIGHTS},
    "band/routing-shortfall-weight": _shortfall,
}
"""How a witness is built, by rule."""
