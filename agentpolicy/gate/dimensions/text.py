"""How alike each answer is to its best reference answer, by the score that the band names."""

from collections.abc import Iterator
from decimal import Decimal

from agentpolicy.base.numbers import plain
from agentpolicy.documents.models.band_fields import DEFAULT_SCORER, BandFields, TextSimilarity
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.finding import Finding
from agentpolicy.gate.pairing import Fixture
from agentpolicy.runs.deltas import ALIKE, LEXICAL, likeness, recorded_score
from agentpolicy.runs.evidence import Evidence

FIELD = "text_similarity.threshold"


def judge(fields: BandFields, fixture: Fixture) -> Iterator[Finding]:
    """Judge each attempt's best score over all reference texts; equal to the limit passes.

    The score stands beside what the answer must hold, never behind it.
    """
    rule = fields.text_similarity
    if rule is None:
        return
    scorer = rule.scorer or DEFAULT_SCORER
    threshold = threshold_of(rule, fixture.fixture_class)
    for attempt in fixture.attempts:
        best, certain = _score(attempt, fixture, scorer)
        if best is not None and best >= threshold:
            result = Decision.PASS
        else:
            result = Decision.FAIL if best is not None and certain else Decision.INCONCLUSIVE
        yield Finding(
            field=FIELD,
            fixture_id=fixture.id,
            attempt=attempt.attempt,
            result=result,
            measured=None if best is None else plain(best),
            limit=plain(threshold),
            why=_why(result, best, scorer),
            value=best,
        )


def threshold_of(rule: TextSimilarity, fixture_class: str | None) -> Decimal:
    """Give the threshold of a class; one without its own has the general one."""
    return (rule.classes or {}).get(fixture_class or "", rule.threshold)


def _score(attempt: Evidence, fixture: Fixture, scorer: str) -> tuple[Decimal | None, bool]:
    """Give the best known score, and whether no reference text could score better."""
    answer = attempt.answer
    if answer is not None and fixture.accepts(answer):
        return ALIKE, True
    if scorer != LEXICAL:
        return recorded_score(attempt.scores.get(scorer)), True
    if answer is None:
        return None, False
    scores = [None if text is None else likeness(answer, text) for text in fixture.texts]
    return max((score for score in scores if score is not None), default=None), None not in scores


def _why(result: Decision, best: Decimal | None, scorer: str) -> str:
    """Say how alike the answer is."""
    if result is Decision.INCONCLUSIVE or best is None:
        what = "an answer was not recorded" if scorer == LEXICAL else "no score was recorded"
        return what if scorer == LEXICAL else f"{what} for {scorer}"
    return f"the answer scores {plain(best)} against its best reference ({scorer})"
