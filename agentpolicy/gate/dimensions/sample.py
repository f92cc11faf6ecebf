"""Is there enough evidence? Attempts of each fixture, and fixtures of the set; never a failure."""

from collections.abc import Iterator, Sequence

from agentpolicy.documents.models.band import Band
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.finding import Finding
from agentpolicy.gate.pairing import Fixture
from agentpolicy.runs.run_set import RunSet

REPEATS, SAMPLE, UNREADABLE = "repeats", "sample_min", "unreadable_records"


def judge(band: Band, fixtures: Sequence[Fixture]) -> Iterator[Finding]:
    """Count finished attempts and judged fixtures; too few of either is inconclusive.

    A count is only ever a minimum: every attempt that is there is judged, however many are asked
    for. What needs no more than one attempt, and has it, is not worth a line.
    """
    for fixture in fixtures:
        finished = sum(attempt.finished for attempt in fixture.attempts)
        needed = max(band.repeats or 1, fixture.expected)
        if needed > 1 or finished < needed:
            yield _finding(REPEATS, fixture.id, finished, needed, "finished attempts")
    judged = sum(any(attempt.finished for attempt in fixture.attempts) for fixture in fixtures)
    least = band.sample_min or 1
    if least > 1 or judged < least:
        yield _finding(SAMPLE, None, judged, least, "fixtures with a finished attempt")


def unreadable(baseline: RunSet, candidate: RunSet) -> Iterator[Finding]:
    """Keep the answer open while there is a record, of either side, that nobody could read."""
    found = len(baseline.unreadable) + len(candidate.unreadable)
    if found:
        yield Finding(
            field=UNREADABLE,
            fixture_id=None,
            attempt=None,
            result=Decision.INCONCLUSIVE,
            measured=str(found),
            limit="0",
            why=f"{found} records could not be read" if found > 1 else "a record cannot be read",
        )


def _finding(field: str, fixture: str | None, found: int, needed: int, what: str) -> Finding:
    """Hold one count against its minimum."""
    return Finding(
        field=field,
        fixture_id=fixture,
        attempt=None,
        result=Decision.PASS if found >= needed else Decision.INCONCLUSIVE,
        measured=str(found),
        limit=str(needed),
        why=f"{found} of at least {needed} {what}",
    )
