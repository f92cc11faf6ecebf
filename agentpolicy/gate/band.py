"""Does a candidate stay inside its agent's tolerance band? All dimensions, nothing masked."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from agentpolicy.base.instant import Instant
from agentpolicy.documents.models.band import Band
from agentpolicy.documents.models.baseline import Baseline
from agentpolicy.documents.models.tools import Tools
from agentpolicy.documents.models.waiver import Waiver
from agentpolicy.gate import comparability, drift
from agentpolicy.gate.argument_waivers import ArgumentWaivers
from agentpolicy.gate.catalogue import catalogue_of
from agentpolicy.gate.comparability import comparability_of
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions import every, latency, sample
from agentpolicy.gate.finding import Finding, Note
from agentpolicy.gate.grades import graded
from agentpolicy.gate.noise import Measured, beside
from agentpolicy.gate.pairing import Fixture, pair_up
from agentpolicy.gate.routing import Risk, risk_of, route
from agentpolicy.gate.verdict import Route, decide
from agentpolicy.gate.waivers import WaiverReport, apply_waivers
from agentpolicy.runs.run_set import RunSet, own_subject

UNPINNED = "unpinned"


@dataclass(frozen=True, slots=True)
class BandResult:
    """The answer of one band about one candidate, and everything that led to it."""

    agent: str
    runs: int
    """Candidate attempts."""
    fixtures: int
    """Fixtures of the baseline, all of which must be judged."""
    decision: Decision
    findings: tuple[Finding, ...]
    """Every measured value, ordered by fixture, then attempt; waived ones are marked."""
    missing_fixtures: tuple[str, ...]
    notes: tuple[Note, ...]
    waivers: tuple[WaiverReport, ...]
    route: Route | None
    risk: Risk
    """What the route was added up from; an answer that is open has no use for it."""
    baseline: str
    """Which baseline document the references are from; `unpinned` never admits a release."""
    comparability: str
    """The class of the worst pair of runs."""
    hand_set: tuple[str, ...]
    noise: Mapping[Measured, str]
    """The noise floor of what crossed, where the baseline's own repeats show one."""

    @property
    def pinned(self) -> bool:
        """Whether a baseline document says what the candidate is held against."""
        return self.baseline != UNPINNED

    @property
    def crossings(self) -> tuple[Finding, ...]:
        """The findings proved to be outside the band, waived or not."""
        return tuple(finding for finding in self.findings if finding.crosses)

    @property
    def by_field(self) -> Mapping[str, tuple[Finding, ...]]:
        """The findings of each judged side of a field, in the order of their names."""
        names = sorted({finding.field for finding in self.findings})
        return {
            name: tuple(finding for finding in self.findings if finding.field == name)
            for name in names
        }


def judge_band(
    band: Band,
    tools: Tools | None,
    baseline: RunSet,
    candidate: RunSet,
    agent: str,
    waivers: Sequence[Waiver],
    confirmed: Collection[str],
    at: Instant,
    baseline_document: Baseline | None = None,
) -> BandResult:
    """Judge every candidate attempt against all baseline attempts of its fixture.

    Args:
        band: the band in force.
        tools: the catalogue in force; without one every tool is destructive.
        baseline: the references; they say which fixtures there are.
        candidate: the runs on trial.
        agent: whose band it is; waivers of other agents are not looked at.
        waivers: the open waivers.
        confirmed: digests of recorded verdicts signed by the gate.
        at: the one instant every date is read at.
        baseline_document: the baseline in force; without one the answer is `unpinned`.

    Raises:
        InputError: runs of another agent, evidence shared with the baseline, an unknown fixture,
            or baseline runs that are not those the document names.
    """
    fixtures = pair_up(agent, baseline, candidate, baseline_document)
    catalogue = catalogue_of(tools)
    found = graded(
        band.grades,
        (
            *sample.unreadable(baseline, candidate),
            *_enough(band, fixtures),
            *every.findings(band.fields, fixtures, catalogue),
        ),
    )
    own = [waiver for waiver in waivers if waiver.agent == agent]
    again = ArgumentWaivers(band.fields, {one.id: one for one in fixtures}, catalogue)
    subject = own_subject(candidate.subjects, candidate.hand_set)
    findings, reports = apply_waivers(found, own, band, confirmed, at, subject, again)
    missing = tuple(fixture.id for fixture in fixtures if not fixture.attempts)
    decision = decide(findings, missing)
    risk = risk_of(band.routing, fixtures, findings)
    return BandResult(
        agent=agent,
        runs=len(candidate.records),
        fixtures=len(fixtures),
        decision=decision,
        findings=findings,
        missing_fixtures=missing,
        notes=(
            *latency.notes(band.fields, fixtures),
            *drift.notes(band.drift, baseline.records, candidate.records),
        ),
        waivers=reports,
        route=route(band.routing, decision, findings, risk),
        risk=risk,
        baseline=UNPINNED if baseline_document is None else _version(baseline_document),
        comparability=str(comparability_of(band.comparability, fixtures)),
        hand_set=tuple(sorted(baseline.hand_set | candidate.hand_set)),
        noise=beside(band.fields, fixtures, [one for one in findings if one.crosses], catalogue),
    )


def _version(document: Baseline) -> str:
    """Name the baseline document in the words of its author."""
    return f"version {document.baseline_version}"


def _enough(band: Band, fixtures: Sequence[Fixture]) -> Iterator[Finding]:
    """Ask whether there is enough evidence, and whether it can be compared at all."""
    yield from comparability.judge(band.comparability, fixtures)
    yield from sample.judge(band, fixtures)
