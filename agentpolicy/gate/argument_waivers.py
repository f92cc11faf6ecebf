"""Waivers of single arguments. They are judged together: a call is inside with all it passes.

What an attempt passed for a waived argument is left out of sight, and the attempt judged again.
Which arguments a finding blames plays no part in it, only what the waivers name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from agentpolicy.documents.models.band import BandFields
from agentpolicy.documents.models.waiver import Waiver
from agentpolicy.gate.catalogue import Catalogue
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions import arguments
from agentpolicy.gate.dimensions.arguments import Passed
from agentpolicy.gate.finding import Finding
from agentpolicy.gate.pairing import Fixture
from agentpolicy.gate.waiver_match import no_stricter
from agentpolicy.runs.evidence import Evidence, Truth


@dataclass(frozen=True, slots=True)
class ArgumentWaivers:
    """What is needed to judge the arguments of an attempt again."""

    fields: BandFields
    fixtures: Mapping[str, Fixture]
    catalogue: Catalogue

    def apply(self, findings: list[Finding], waivers: Sequence[Waiver]) -> dict[str, set[str]]:
        """Mark in place what waivers of arguments cover; give the fixtures each one helped on."""
        used: dict[str, set[str]] = {}
        for fixture_id, number in _failing(findings):
            fixture = self.fixtures[fixture_id]
            attempt = next(one for one in fixture.attempts if one.attempt == number)
            waived = self._waived(fixture, attempt, waivers)
            unseen = frozenset(passed.argument for passed in waived)
            inside = arguments.without(self.fields, fixture, attempt, self.catalogue, unseen)
            marked = _mark(findings, (fixture_id, number), waived, inside)
            for waiver_id in marked:
                used.setdefault(waiver_id, set()).add(fixture_id)
        return used

    def _waived(
        self, fixture: Fixture, attempt: Evidence, waivers: Sequence[Waiver]
    ) -> dict[Passed, str]:
        """Find the arguments of an attempt that waivers cover, each with the waiver's id."""
        shown = tuple(arguments.passed(self.fields, fixture, attempt, self.catalogue))
        return {
            passed: waiver.id
            for waiver in reversed(waivers)
            for passed in shown
            if _covers(waiver, fixture.id, passed)
        }


def _mark(
    findings: list[Finding],
    attempt: tuple[str, int],
    waived: Mapping[Passed, str],
    inside: Truth,
) -> set[str]:
    """Replace the failing findings of one attempt; give the waivers that did it.

    Where the rest is inside, all are waived; where it is unknown, or would be under a softer rule,
    all are open; else those that a waiver names are waived and the others still fail.
    """
    named: dict[object, str] = {passed.value: one for passed, one in waived.items()}
    others = "" if inside is False else ", ".join(sorted(set(waived.values())))
    marked: set[str] = set()
    for index, finding in enumerate(findings):
        by = named.get(finding.value, others)
        if by and (finding.fixture_id, finding.attempt) == attempt and _fails(finding):
            open_still = inside is None or not finding.settled
            result = Decision.INCONCLUSIVE if open_still else Decision.PASS_WITH_WAIVERS
            findings[index] = replace(finding, result=result, waived_by=by)
            marked |= set(by.split(", "))
    return marked


def _failing(findings: Sequence[Finding]) -> list[tuple[str, int]]:
    """List the attempts whose arguments cross, in the order of the findings."""
    found: dict[tuple[str, int], None] = {}
    for finding in findings:
        if _fails(finding) and finding.fixture_id is not None and finding.attempt is not None:
            found[finding.fixture_id, finding.attempt] = None
    return list(found)


def _fails(finding: Finding) -> bool:
    return finding.dimension == arguments.FIELD and finding.result is Decision.FAIL


def _covers(waiver: Waiver, fixture_id: str, passed: Passed) -> bool:
    """Say whether a waiver names an argument, its limit is no stricter now, and its values."""
    return (
        waiver.field == passed.field
        and no_stricter(passed.field, passed.limit, waiver.band)
        and any(
            case.fixture_id == fixture_id and case.measured == passed.value for case in waiver.cases
        )
    )
