"""Do repeats of a fixture differ more than the baseline's own repeats do?

Evidence alone says so: what a band lets through plays no part, or a stricter band, under which
every attempt crosses, would make a candidate look steady.
"""

from collections.abc import Sequence
from decimal import Decimal
from itertools import combinations

from agentpolicy.gate.pairing import Fixture
from agentpolicy.runs.deltas import ALIKE, likeness
from agentpolicy.runs.evidence import Evidence


def unsteady(fixtures: Sequence[Fixture]) -> bool:
    """Say whether some fixture's attempts spread further than its references do.

    The noise floor is how much the references differ among themselves; of a single one it is
    none. What was not recorded shows no spread.
    """
    return any(
        _routes(fixture.attempts) > max(1, _routes(fixture.references))
        or _alike(fixture.attempts) < _alike(fixture.references)
        for fixture in fixtures
    )


def _routes(runs: Sequence[Evidence]) -> int:
    """Count the different sequences of tools."""
    return len({tuple(call.name for call in run.calls) for run in runs if run.calls is not None})


def _alike(runs: Sequence[Evidence]) -> Decimal:
    """Give the likeness of the two answers that are least alike; no two known ones are equal."""
    answers = sorted({run.answer for run in runs if run.answer is not None})
    scores = (likeness(one, other) for one, other in combinations(answers, 2))
    return min((score for score in scores if score is not None), default=ALIKE)
