"""The facts of each answer against those of the references: all kept, or the very same.

It stands for itself: how alike the texts are plays no part, and no waiver of the text covers it.
"""

from collections import Counter
from collections.abc import Iterator

from agentpolicy.base.canonical import canonical_bytes, digest
from agentpolicy.documents.models.band import BandFields
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.finding import Finding
from agentpolicy.gate.pairing import Fixture
from agentpolicy.runs.commitments import is_commitment, text_digest
from agentpolicy.runs.evidence import Evidence, Truth, any_of
from agentpolicy.runs.facts import facts_of

FIELD = "facts"
LEVELS = ("equal", "kept", "off")
"""Strict first."""


def judge(fields: BandFields, fixture: Fixture) -> Iterator[Finding]:
    """Ask of every attempt that it keeps the facts of some reference; absent is `off`."""
    level = fields.facts or "off"
    if level == "off":
        return
    for attempt in fixture.attempts:
        inside = any_of(_holds(attempt, text, level) for text in fixture.texts)
        yield Finding(
            field=FIELD,
            fixture_id=fixture.id,
            attempt=attempt.attempt,
            result=Decision.of(inside),
            measured=_shown(attempt),
            limit=level,
            why=_why(inside, attempt, fixture, level),
            value=_value(attempt),
        )


def _holds(attempt: Evidence, reference: str | None, level: str) -> Truth:
    """Compare one answer with one reference text; a commitment shows only equality."""
    answer = attempt.answer
    if answer is None or reference is None:
        return None
    if is_commitment(answer) or is_commitment(reference):
        return True if text_digest(answer) == text_digest(reference) else None
    stated, asked = facts_of(answer), facts_of(reference)
    return stated == asked if level == "equal" else asked <= stated


def _known(attempt: Evidence) -> Counter[str] | None:
    if attempt.answer is None or is_commitment(attempt.answer):
        return None
    return facts_of(attempt.answer)


def _shown(attempt: Evidence) -> str | None:
    facts = _known(attempt)
    return None if facts is None else ", ".join(sorted(facts.elements())) or "none"


def _value(attempt: Evidence) -> str | None:
    """Name the facts of an answer by content: what a waiver of `facts` cites."""
    facts = _known(attempt)
    return None if facts is None else digest(canonical_bytes(sorted(facts.elements())))


def _why(inside: Truth, attempt: Evidence, fixture: Fixture, level: str) -> str:
    """Say which facts were lost, or came from nowhere."""
    if inside:
        return "the facts are those of a reference"
    stated = _known(attempt)
    if inside is None or stated is None:
        return "an answer was not recorded"
    lost, new = min(
        (
            (asked - stated, stated - asked if level == "equal" else Counter[str]())
            for asked in (facts_of(text) for text in fixture.texts if text is not None)
        ),
        key=lambda change: (change[0].total() + change[1].total(), sorted(change[0])),
    )
    parts = [
        f"{word} {', '.join(sorted(change.elements()))}"
        for word, change in (("lacks", lost), ("adds", new))
        if change
    ]
    return f"against the nearest reference the answer {' and '.join(parts)}"
