"""Are the runs alike enough for a difference between them to mean anything?

Every attempt is classed against every reference of its fixture, and the worst pair counts. What
is below the band's minimum makes the band inconclusive; no pair is ever left out for it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from agentpolicy.documents.models.band import Comparability
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.finding import Finding
from agentpolicy.gate.pairing import Fixture
from agentpolicy.runs.provenance import CASE, COHORT, MODEL, PROMPT, TOOLS

FIELD = "comparability.minimum"


class Comparable(StrEnum):
    """How far two runs can be compared, best first."""

    COMPARABLE = "comparable"
    PARTIALLY = "partially comparable"
    UNKNOWN = "unknown"
    NOT = "not comparable"

    @property
    def rank(self) -> int:
        """The place on the chain; larger is worse."""
        return _CHAIN.index(self)


_CHAIN = tuple(Comparable)


def worst_of(classes: Iterable[Comparable]) -> Comparable:
    """Give the worst class; of no pair at all nothing is known."""
    return max(classes, key=lambda one: one.rank, default=Comparable.UNKNOWN)


def class_of(
    one: Mapping[str, str], other: Mapping[str, str], varies: Collection[str] = ()
) -> tuple[Comparable, tuple[str, ...]]:
    """Class a pair by its provenance, and name the fields that conflict.

    A field that only one side carries is not shared and no conflict. What the band says varies is
    no conflict either, but must be known on both sides for the pair to be comparable.
    """
    both = one.keys() & other.keys()
    conflicts = tuple(
        sorted(name for name in both if one[name] != other[name] and name not in varies)
    )
    if conflicts:
        return Comparable.NOT, conflicts
    if CASE in both:
        known = both >= {PROMPT, TOOLS, MODEL}
        return (Comparable.COMPARABLE if known else Comparable.PARTIALLY), ()
    return (Comparable.NOT if COHORT in both else Comparable.UNKNOWN), ()


def judge(rule: Comparability | None, fixtures: Sequence[Fixture]) -> Iterator[Finding]:
    """Hold each attempt's worst pair against the minimum; absent it is `unknown`."""
    written = rule.minimum if rule else None
    minimum = Comparable(written or Comparable.UNKNOWN)
    varies = (rule.varies if rule else None) or ()
    for fixture in fixtures:
        for attempt in fixture.attempts:
            pairs = [
                class_of(attempt.provenance, reference.provenance, varies)
                for reference in fixture.references
            ]
            found, conflicts = max(pairs, key=lambda pair: pair[0].rank)
            enough = found.rank <= minimum.rank
            if written is None and enough:
                continue
            yield Finding(
                field=FIELD,
                fixture_id=fixture.id,
                attempt=attempt.attempt,
                result=Decision.PASS if enough else Decision.INCONCLUSIVE,
                measured=str(found),
                limit=str(minimum),
                why=_why(found, conflicts),
            )


def comparability_of(rule: Comparability | None, fixtures: Sequence[Fixture]) -> Comparable:
    """Class the whole set by its worst pair."""
    varies = (rule.varies if rule else None) or ()
    return worst_of(
        class_of(attempt.provenance, reference.provenance, varies)[0]
        for fixture in fixtures
        for attempt in fixture.attempts
        for reference in fixture.references
    )


def _why(found: Comparable, conflicts: Sequence[str]) -> str:
    """Say what makes a pair of its class."""
    if conflicts:
        return f"the runs are {found}: they differ in {', '.join(conflicts)}"
    reasons = {
        Comparable.COMPARABLE: "prompt, tools and model are known on both sides",
        Comparable.PARTIALLY: "prompt, tools or model is not known on both sides",
        Comparable.UNKNOWN: "nothing says which case they are runs of",
        Comparable.NOT: "a cohort label alone does not link them",
    }
    return f"the runs are {found}: {reasons[found]}"
