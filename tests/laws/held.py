"""The theorem, asked of one pair of policies and one set of evidence, with the real gate."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from random import Random
from typing import Protocol

from agentpolicy.base.instant import parse_instant
from agentpolicy.documents.models.waiver import Waiver
from agentpolicy.gate.band import BandResult, judge_band
from agentpolicy.gate.budget import BudgetResult, judge_budget
from agentpolicy.gate.check import Check
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.finding import Finding
from agentpolicy.gate.release import ReleasePolicy, ReleaseResult, judge_release
from agentpolicy.gate.verdict import Route
from agentpolicy.runs.evidence import Tally
from tests.evidence import VERDICT
from tests.laws.band_runs import band_evidence, release_evidence
from tests.laws.budget_runs import Evidence, budget_evidence
from tests.laws.granted import Whose, is_number, waivers_for
from tests.laws.policy_pairs import (
    AGENT,
    BAND_THEMES,
    BUDGET_THEMES,
    RELEASE_THEMES,
    Pair,
    Policy,
    Schemas,
    pairs,
)
from tests.policies import SCHEMAS

AT = parse_instant("2026-03-10T12:00:00Z")
CONFIRMED = frozenset({VERDICT})
Result = BudgetResult | BandResult | ReleaseResult
_REVIEW = (Route.FULL_GATE, Route.FAST_REVIEW, Route.NO_OP)
"""Most review first."""


class Judge(Protocol):
    """Asks the real gate about evidence under a policy."""

    def __call__(self, policy: Policy, evidence: Evidence) -> Result: ...


def by_budget(policy: Policy, evidence: Evidence) -> BudgetResult:
    return judge_budget(
        policy.budget, policy.tools, evidence.candidate, evidence.waivers, CONFIRMED, AT
    )


def by_band(policy: Policy, evidence: Evidence) -> BandResult:
    assert evidence.baseline is not None
    return judge_band(
        policy.band, policy.tools, evidence.baseline, evidence.candidate, AGENT,
        evidence.waivers, CONFIRMED, AT, evidence.document,
    )  # fmt: skip


def by_release(policy: Policy, evidence: Evidence) -> ReleaseResult:
    assert evidence.baseline is not None
    budgets = {"meeting": policy.budget, "refund": policy.other_budget}
    documents = ReleasePolicy(policy.band, evidence.document, budgets, policy.tools)
    return judge_release(
        documents, evidence.baseline, evidence.candidate, AGENT, evidence.waivers, CONFIRMED, AT
    )


def route_of(result: Result) -> Route | None:
    return None if isinstance(result, BudgetResult) else result.route


def climbs(old: Result, new: Result) -> bool:
    """Say whether the new policy is more willing than the old one was, in answer or in route."""
    if new.decision.rank > old.decision.rank:
        return True
    before, after = route_of(old), route_of(new)
    if not (old.decision.accepted and new.decision.accepted) or before is None or after is None:
        return False
    return _REVIEW.index(after) > _REVIEW.index(before)


def checks_of(result: Result) -> Iterator[tuple[Whose, Check]]:
    """List every check of every budget, and whose it is."""
    budgets = [result] if isinstance(result, BudgetResult) else []
    if isinstance(result, ReleaseResult):
        budgets = list(result.budgets.values())
    for budget in budgets:
        whose = {"task_type": budget.task_type, "variant": budget.variant}
        yield from ((whose, check) for check in budget.checks)


def findings_of(result: Result) -> tuple[Finding, ...]:
    if isinstance(result, BudgetResult):
        return ()
    return result.findings if isinstance(result, BandResult) else result.band.findings


def near(result: Result) -> bool:
    """Say whether something measured sits on its limit, or less than one unit away.

    What is never measured above 0 is on a limit of 0 by itself, and does not count.
    """
    return any(_close(check) for _, check in checks_of(result)) or any(
        abs(Decimal(finding.measured) - Decimal(finding.limit)) <= Decimal("0.0001")
        for finding in findings_of(result)
        if finding.measured is not None and is_number(finding.limit) and is_number(finding.measured)
    )


def _close(check: Check) -> bool:
    measured = check.measured
    if isinstance(measured, Tally):
        away = abs(measured.count - check.limit * measured.runs)
        return measured.count > 0 and away < 1
    return measured.known is not None and abs(measured.known - check.limit) <= Decimal("0.01")


def waivers_from(random: Random, results: tuple[Result, Result]) -> list[Waiver]:
    """Write waivers of what fails under either policy; a handful at most is open at once."""
    one, other = random.sample(results, 2)
    found = waivers_for(random, findings_of(one), findings_of(other), list(checks_of(one)))
    random.shuffle(found)
    return found[:4]


@dataclass(slots=True)
class Search:
    """What a search has seen so far; it says itself whether it could have found anything."""

    pairs: int = 0
    old_accepts: int = 0
    new_accepts: int = 0
    moved: int = 0
    waived: int = 0
    close: int = 0

    def note(self, old: Result, new: Result) -> None:
        self.pairs += 1
        self.old_accepts += old.decision.accepted
        self.new_accepts += new.decision.accepted
        self.moved += old.decision is not new.decision
        self.waived += Decision.PASS_WITH_WAIVERS in (old.decision, new.decision)
        self.close += near(old) or near(new)

    @property
    def did(self) -> dict[str, int]:
        """Say in numbers what was done, for the summary of a session."""
        return {
            "pairs": self.pairs,
            "accepted before": self.old_accepts,
            "accepted after": self.new_accepts,
            "moved": self.moved,
            "with waivers": self.waived,
            "on a limit": self.close,
        }


Make = Callable[[Random, Sequence[str]], Evidence]


@dataclass(frozen=True, slots=True)
class Question:
    """One of the three gates, with the themes and the evidence it is asked about."""

    name: str
    judge: Judge
    evidence: Make
    themes: Mapping[str, Sequence[str]]

    def moving(self, *rules: str) -> "Question":
        """Ask about changes of some leaves alone."""
        return replace(self, moved=rules)

    def classed_by(self, schemas: Schemas) -> "Question":
        """Ask about what other rows call tighter or neutral."""
        return replace(self, schemas=schemas)

    def within(self, scene: Make) -> "Question":
        """Ask about the evidence of a small scene."""
        return replace(self, evidence=scene)

    edits: Sequence[int] = (2, 3, 4)
    """How many leaves are written in a policy."""
    moved: Sequence[str] = ()
    """The leaves that change; without any, those that are written."""
    schemas: Schemas = field(default_factory=lambda: SCHEMAS)
    """The rows that class the changes; a law puts wrong ones here, to see them found out."""

    def among(self, *names: str) -> "Question":
        """Ask only about some of the themes."""
        return replace(self, themes={name: self.themes[name] for name in names})

    def writing(self, *rules: str) -> "Question":
        """Ask about some leaves alone, of which then nearly all are written."""
        edits = (len(rules), 2 * len(rules))
        return replace(self, themes=dict.fromkeys(self.themes, rules), edits=edits)


BUDGET = Question("pairs of runs by the budget gate", by_budget, budget_evidence, BUDGET_THEMES)
BAND = Question("pairs of runs by the band gate", by_band, band_evidence, BAND_THEMES)
RELEASE = Question("pairs of releases", by_release, release_evidence, RELEASE_THEMES)


@dataclass(frozen=True, slots=True)
class Held:
    """One pair of policies, held against one piece of evidence."""

    pair: Pair
    evidence: Evidence
    old: Result
    new: Result

    @property
    def climbs(self) -> bool:
        return climbs(self.old, self.new)


PER_PAIR = 5
"""How much evidence each pair of policies is held against."""


def held(question: Question, seed: int) -> Iterator[Held]:
    """Hold pairs against evidence without end; waivers are written from what was found failing."""
    random = Random(seed)
    for pair in pairs(random, question.themes, question.edits, question.moved, question.schemas):
        for _ in range(PER_PAIR):
            evidence = question.evidence(random, pair.themes)
            old, new = (question.judge(side, evidence) for side in (pair.old, pair.new))
            waivers = waivers_from(random, (old, new)) if random.random() < 0.7 else []
            if waivers:
                evidence = evidence.with_waivers(waivers)
                old, new = (question.judge(side, evidence) for side in (pair.old, pair.new))
            yield Held(pair, evidence, old, new)
