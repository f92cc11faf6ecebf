"""How alike each answer is to its best reference answer, by a named lexical score.

The score says how alike two texts look, not whether they mean the same.
"""

from collections.abc import Iterator
from decimal import Decimal

from rapidfuzz.distance import Indel

from agentpolicy.base.numbers import plain
from agentpolicy.documents.models.band import BandFields
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.finding import Finding
from agentpolicy.gate.pairing import Fixture
from agentpolicy.runs.evidence import Evidence

SCORER = "lexical-indel@1"
_PLACES = 10_000


def similarity(one: str, other: str) -> Decimal:
    """Score two texts from 0 to 1, cut (never rounded) to four decimals, in whole numbers.

    Two empty texts score 1, one empty text 0.
    """
    length = len(one) + len(other)
    alike = Indel.similarity(one, other)
    return Decimal(alike * _PLACES // length if length else _PLACES).scaleb(-4)


def judge(fields: BandFields, fixture: Fixture) -> Iterator[Finding]:
    """Judge each attempt's best score over all reference answers; equal to the limit passes."""
    rule = fields.text_similarity
    if rule is None:
        return
    answers = [reference.answer for reference in fixture.references]
    known = [answer for answer in answers if answer is not None]
    for attempt in fixture.attempts:
        best = _best(attempt, known)
        if best is not None and best >= rule.threshold:
            result = Decision.PASS
        elif best is None or len(known) < len(answers):
            result = Decision.INCONCLUSIVE
        else:
            result = Decision.FAIL
        yield Finding(
            field="text_similarity.threshold",
            fixture_id=fixture.id,
            attempt=attempt.attempt,
            result=result,
            measured=None if best is None else plain(best),
            limit=plain(rule.threshold),
            why=_why(result, best),
            value=best,
        )


def _best(attempt: Evidence, references: list[str]) -> Decimal | None:
    """Give the best score over the recorded reference answers; None if nothing can be scored."""
    answer = attempt.answer
    if answer is None or not references:
        return None
    return max(similarity(answer, reference) for reference in references)


def _why(result: Decision, best: Decimal | None) -> str:
    """Say how alike the answer is."""
    if result is Decision.INCONCLUSIVE or best is None:
        return "an answer was not recorded"
    return f"the answer is {plain(best)} alike its best reference ({SCORER})"
