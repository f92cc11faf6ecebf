"""May this release ship? The band and every budget its fixtures fall under, in one answer."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from agentpolicy.base.instant import Instant
from agentpolicy.documents.models.band import Band
from agentpolicy.documents.models.baseline import Baseline, Fixture
from agentpolicy.documents.models.budget import Budget
from agentpolicy.documents.models.tools import Tools
from agentpolicy.documents.models.waiver import Waiver
from agentpolicy.gate.band import BandResult, judge_band
from agentpolicy.gate.budget import BudgetResult, judge_trial
from agentpolicy.gate.catalogue import catalogue_of
from agentpolicy.gate.decision import Decision, worst
from agentpolicy.gate.routing import Route
from agentpolicy.gate.trial import Case, Trial, costs_of
from agentpolicy.gate.waivers import WaiverReport
from agentpolicy.runs.evidence import SHOWS_NOTHING, Evidence, evidence_of
from agentpolicy.runs.record import RunRecord
from agentpolicy.runs.run_set import RunSet, own_subject

UNREAD = frozenset({"task_type", "variant"})
"""Labels that no check of a release reads off the runs: the baseline document says them."""


@dataclass(frozen=True, slots=True)
class ReleasePolicy:
    """The documents that one agent's releases are judged by."""

    band: Band
    baseline: Baseline | None
    """Without one nothing says what there is to judge, and no release is accepted."""
    budgets: Mapping[str, Budget]
    """By name. Those that no fixture falls under are not asked."""
    tools: Tools | None


@dataclass(frozen=True, slots=True)
class Doubt:
    """A reason why a release cannot be decided that no limit of a document measures."""

    id: str
    why: str
    """One sentence for people."""


@dataclass(frozen=True, slots=True)
class ReleaseResult:
    """The answer about one release, and the answers it is the worst of."""

    agent: str
    subject: str | None
    """What would ship; None where the runs do not all say the same."""
    runs: int
    """Candidate runs."""
    decision: Decision
    route: Route | None
    """The band's; None while the answer is open."""
    band: BandResult
    budgets: Mapping[str, BudgetResult]
    doubts: tuple[Doubt, ...]
    hand_set: tuple[str, ...]

    @property
    def waivers(self) -> tuple[WaiverReport, ...]:
        """What became of every waiver of the band and of the budgets."""
        budgets = (report for result in self.budgets.values() for report in result.waivers)
        return (*self.band.waivers, *budgets)


def judge_release(
    policy: ReleasePolicy,
    baseline: RunSet,
    candidate: RunSet,
    agent: str,
    waivers: Sequence[Waiver],
    confirmed: Collection[str],
    at: Instant,
) -> ReleaseResult:
    """Judge a candidate by its band and all its budgets; the worst answer is the answer.

    Which budget a run falls under, and how many runs were planned, is read from the baseline
    document alone: a candidate can neither pick its budget nor shrink its denominator.

    Raises:
        InputError: runs that do not belong together; see `judge_band`.
    """
    band = judge_band(
        policy.band, policy.tools, baseline, candidate, agent, waivers, confirmed, at,
        policy.baseline,
    )  # fmt: skip
    fixtures = policy.baseline.fixtures if policy.baseline else ()
    subject = own_subject(candidate.subjects, candidate.hand_set)
    budgets = {
        name: judge_trial(
            budget, catalogue_of(policy.tools), _trial(under, candidate, subject),
            waivers, confirmed, at,
        )
        for name, budget in sorted(policy.budgets.items())
        if (under := [fixture for fixture in fixtures if _falls_under(fixture, budget)])
    }  # fmt: skip
    doubts = tuple(_doubts(policy, baseline, candidate))
    open_questions = [Decision.INCONCLUSIVE for _ in doubts]
    answers = [band.decision, *(one.decision for one in budgets.values()), *open_questions]
    decision = worst(answers)
    return ReleaseResult(
        agent=agent,
        subject=subject,
        runs=len(candidate.records),
        decision=decision,
        route=None if decision is Decision.INCONCLUSIVE else band.route,
        band=band,
        budgets=budgets,
        doubts=doubts,
        hand_set=tuple(sorted(baseline.hand_set | candidate.hand_set)),
    )


def _falls_under(fixture: Fixture, budget: Budget) -> bool:
    return (fixture.task_type, fixture.variant) == (budget.task_type, budget.variant)


def _trial(under: Sequence[Fixture], candidate: RunSet, subject: str | None) -> Trial:
    """Gather the planned runs of some fixtures: those expected, or those present if more."""
    attempts: dict[str, list[RunRecord]] = {fixture.id: [] for fixture in under}
    for record in candidate.records:
        if record.fixture_id in attempts:
            attempts[record.fixture_id].append(record)
    planned: list[Evidence] = []
    for fixture in under:
        present = [evidence_of(record) for record in attempts[fixture.id]]
        absent = (fixture.attempts or 1) - len(present)
        planned += [*present, *[SHOWS_NOTHING] * absent]
    finished = sum(any(run.finished for run in runs) for runs in attempts.values())
    return Trial(
        cases=tuple(Case(run) for run in planned),
        costs=costs_of(planned),
        fixtures=finished,
        subject=subject,
        hand_set=tuple(sorted(candidate.hand_set)),
    )


def _doubts(policy: ReleasePolicy, baseline: RunSet, candidate: RunSet) -> Iterator[Doubt]:
    """Find what keeps a release from being decided, whatever the limits say."""
    for label in ("agent", "subject"):
        named = {getattr(record, label) for record in candidate.records}
        silent = sum(getattr(record, label) is None for record in candidate.records)
        if silent:
            yield Doubt(
                label, f"{silent} of {len(candidate.records)} runs do not name their {label}"
            )
        elif len(named) > 1:
            yield Doubt(label, f"the runs are of {len(named)} {label}s: {', '.join(sorted(named))}")
    by_hand = sorted((candidate.hand_set | baseline.hand_set) - UNREAD)
    if by_hand:
        yield Doubt(
            "hand_set", f"filled in by hand, where the runs must say it: {', '.join(by_hand)}"
        )
    if policy.baseline is None:
        yield Doubt("baseline", "no baseline document says which fixtures there are")
        return
    pairs = {(budget.task_type, budget.variant) for budget in policy.budgets.values()}
    free = [one.id for one in policy.baseline.fixtures if (one.task_type, one.variant) not in pairs]
    if free:
        more = f" and {len(free) - 1} more" if free[1:] else ""
        yield Doubt("budget", f"no budget governs fixture {free[0]}{more}")
