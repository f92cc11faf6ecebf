"""Do these runs keep the budget? Checks over counts of all planned runs, combined by minimum."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from agentpolicy.base.errors import Problem, UndecidedError
from agentpolicy.base.instant import Instant
from agentpolicy.documents.models.budget import Budget
from agentpolicy.documents.models.tools import Tools
from agentpolicy.documents.models.waiver import Waiver
from agentpolicy.gate.budget_checks import checks_of
from agentpolicy.gate.budget_waivers import waive
from agentpolicy.gate.catalogue import Catalogue, catalogue_of
from agentpolicy.gate.check import Check
from agentpolicy.gate.decision import Decision, worst
from agentpolicy.gate.partition import Outcome, Predicates, RunRules, run_rules
from agentpolicy.gate.trial import Case, Trial, costs_of
from agentpolicy.gate.waivers import WaiverReport
from agentpolicy.runs.evidence import (
    SHOWS_NOTHING,
    Tally,
    Truth,
    evidence_of,
)
from agentpolicy.runs.record import RunRecord
from agentpolicy.runs.run_set import RunSet, own_subject

__all__ = ["BudgetResult", "Check", "judge_budget", "judge_trial", "pair_of", "require_own"]

_EPOCH = Instant(0)
"""Before every waiver begins."""


@dataclass(frozen=True, slots=True)
class BudgetResult:
    """The answer of one budget about one set of runs, and everything that led to it."""

    task_type: str
    variant: str
    runs: int
    """All planned runs: the one denominator."""
    fixtures: int
    """Distinct fixtures with a finished run."""
    other_runs: int
    """Runs in the files that belong to another task or variant, and were not judged here."""
    decision: Decision
    checks: tuple[Check, ...]
    partition: Mapping[Outcome, int]
    rates: Mapping[str, Tally]
    """`pass`, `soft_breach`, `amber`, `undeclared_effect`, each over all planned runs."""
    past_soft: Mapping[Outcome, int]
    """Where the runs past a soft limit went."""
    missing: Mapping[str, int]
    """How many runs lack a value that a rule of this budget reads."""
    hand_set: tuple[str, ...]
    waivers: tuple[WaiverReport, ...] = ()


def judge_budget(
    budget: Budget,
    tools: Tools | None,
    runs: RunSet,
    waivers: Sequence[Waiver] = (),
    confirmed: Collection[str] = (),
    at: Instant = _EPOCH,
) -> BudgetResult:
    """Judge every run of the budget's task and variant against it.

    Args:
        budget: the budget in force.
        tools: the catalogue in force; without one every tool is destructive.
        runs: the runs on trial.
        waivers: the open waivers; those of other budgets are not looked at.
        confirmed: digests of recorded verdicts signed by the gate.
        at: the one instant every date is read at.

    Raises:
        UndecidedError: a run does not say its task or variant, or none is of this one.
    """
    records = _records_under(budget, runs.records)
    planned = [evidence_of(record) for record in records]
    planned += [SHOWS_NOTHING] * len(runs.unreadable)
    trial = Trial(
        cases=tuple(Case(run) for run in planned),
        costs=costs_of(planned),
        fixtures=len({record.fixture_id for record in records if record.finished}),
        subject=own_subject({record.subject for record in records}, runs.hand_set),
        other_runs=len(runs.records) - len(records),
        hand_set=tuple(sorted(runs.hand_set)),
        unreadable=len(runs.unreadable),
    )
    return judge_trial(budget, catalogue_of(tools), trial, waivers, confirmed, at)


def judge_trial(
    budget: Budget,
    catalogue: Catalogue,
    trial: Trial,
    waivers: Sequence[Waiver],
    confirmed: Collection[str],
    at: Instant,
) -> BudgetResult:
    """Judge the planned runs of one budget, whose task and variant are already known."""
    rules = run_rules(budget, catalogue)
    judged = [(rules.judge(case.shown), case.runs) for case in trial.cases]
    rates = _rates(judged)
    checks, reports = waive(
        tuple(checks_of(budget, rules, rates, trial)),
        [one for one in waivers if (one.task_type, one.variant) == pair_of(budget)],
        budget.waivers,
        trial.subject,
        confirmed,
        at,
    )
    return BudgetResult(
        task_type=budget.task_type,
        variant=budget.variant,
        runs=trial.runs,
        fixtures=trial.fixtures,
        other_runs=trial.other_runs,
        decision=worst(check.result for check in checks),
        checks=checks,
        partition=dict.fromkeys(Outcome, 0) | _outcomes(judged),
        rates=rates,
        past_soft=_outcomes((one, runs) for one, runs in judged if one.soft_breach),
        missing=_missing(trial.cases, rules, costs=_reads_p95(budget)),
        hand_set=trial.hand_set,
        waivers=reports,
    )


def pair_of(budget: Budget) -> tuple[str, str]:
    """Give the task and variant whose runs a budget governs."""
    return budget.task_type, budget.variant


def _records_under(budget: Budget, records: Sequence[RunRecord]) -> list[RunRecord]:
    """Pick the runs of the budget's own task and variant; every run must say which it is of."""
    silent = {
        name: sum(getattr(record, name) is None for record in records)
        for name in ("task_type", "variant")
    }
    own = [record for record in records if (record.task_type, record.variant) == pair_of(budget)]
    require_own(budget, len(records), silent, len(own))
    return own


def require_own(budget: Budget, runs: int, silent: Mapping[str, int], own: int) -> None:
    """Refuse to judge runs of which some do not say whose they are, or none is the budget's.

    Args:
        budget: the budget that is asked.
        runs: how many runs there are.
        silent: how many of them lack a label, by its name.
        own: how many are of this budget's task and variant.

    Raises:
        UndecidedError: as it says.
    """
    for name, count in silent.items():
        if count:
            raise UndecidedError(
                Problem(
                    "task-unknown",
                    f"{count} of {runs} runs do not say their {name}",
                    f"add --set {name}={getattr(budget, name)} if they are all of this budget's",
                )
            )
    if not own:
        raise UndecidedError(
            Problem(
                "no-runs",
                f"none of the {runs} runs is of {budget.task_type} / {budget.variant}",
                "give the runs of this task, or name the budget they are of",
            )
        )


def _reads_p95(budget: Budget) -> bool:
    aggregate = budget.gate.aggregate
    return aggregate is not None and aggregate.p95_cost_usd is not None


def _outcomes(judged: Iterable[tuple[Predicates, int]]) -> dict[Outcome, int]:
    """Count runs by outcome."""
    counts: Counter[Outcome] = Counter()
    for one, runs in judged:
        counts[one.outcome] += runs
    return dict(counts)


def _rates(judged: Sequence[tuple[Predicates, int]]) -> dict[str, Tally]:
    """Count each predicate over all planned runs."""
    return {
        "pass": Tally.of_many((one.passes, runs) for one, runs in judged),
        "soft_breach": Tally.of_many((one.soft_breach, runs) for one, runs in judged),
        "amber": Tally.of_many((_is_amber(one.outcome), runs) for one, runs in judged),
        "undeclared_effect": Tally.of_many((one.undeclared_effect, runs) for one, runs in judged),
    }


def _is_amber(outcome: Outcome) -> Truth:
    return None if outcome is Outcome.UNDECIDED else outcome is Outcome.AMBER


def _missing(cases: Sequence[Case], rules: RunRules, *, costs: bool) -> dict[str, int]:
    """Count the runs that lack a value which some rule reads."""
    read = {"correct", "calls"} | {measure for measure, _ in rules.soft + rules.hard}
    if costs:
        read.add("cost_usd")
    names = {"correct": "outcome.correct", "calls": "tool_calls"}
    counts = {
        names.get(measure, measure): sum(
            case.runs for case in cases if getattr(case.shown, measure) is None
        )
        for measure in sorted(read)
    }
    return {name: count for name, count in counts.items() if count}
