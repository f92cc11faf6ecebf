"""Do very many runs keep a budget? The same rules, asked once for all runs that look alike."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from decimal import Decimal

import numpy as np

from agentpolicy.base.instant import Instant
from agentpolicy.documents.models.budget import Budget
from agentpolicy.documents.models.tools import Tools
from agentpolicy.documents.models.waiver import Waiver
from agentpolicy.gate.budget import BudgetResult, judge_trial, pair_of, require_own
from agentpolicy.gate.catalogue import catalogue_of
from agentpolicy.gate.partition import run_rules
from agentpolicy.gate.trial import Case, Trial
from agentpolicy.runs.evidence import SHOWS_NOTHING
from agentpolicy.runs.run_set import own_subject
from agentpolicy.runs.table import RunTable


def judge_table(
    budget: Budget,
    tools: Tools | None,
    table: RunTable,
    waivers: Sequence[Waiver],
    confirmed: Collection[str],
    at: Instant,
) -> BudgetResult:
    """Judge every run of the budget's task and variant; see `judge_budget`.

    The answer is the one that `judge_budget` gives about the same runs as records. Time and memory
    do not depend on how many runs are alike.

    Raises:
        UndecidedError: a run does not say its task or variant, or none is of this one.
    """
    own = _own(budget, table)
    catalogue = catalogue_of(tools)
    rules = run_rules(budget, catalogue)
    limits: dict[str, set[Decimal]] = defaultdict(set)
    for measure, limit in rules.soft + rules.hard:
        limits[measure].add(limit)
    limits.setdefault("cost_usd", set())  # whether it is missing is asked without a limit too
    cases = [Case(shown, runs) for shown, runs in own.cases(limits)]
    unreadable = len(table.unreadable)
    if unreadable:
        cases.append(Case(SHOWS_NOTHING, unreadable))
    trial = Trial(
        cases=tuple(cases),
        costs=own.amounts["cost_usd"].padded(unreadable),
        fixtures=int(np.count_nonzero(np.bincount(own.labels["fixture"].codes[own.finished]))),
        subject=own_subject(own.subjects, own.hand_set),
        other_runs=table.runs - own.runs,
        hand_set=tuple(sorted(table.hand_set)),
        unreadable=unreadable,
    )
    return judge_trial(budget, catalogue, trial, waivers, confirmed, at)


def _own(budget: Budget, table: RunTable) -> RunTable:
    """Pick the runs of the budget's own task and variant."""
    task, variant = pair_of(budget)
    silent = {
        name: int(np.count_nonzero(table.labels[name].where(None)))
        for name in ("task_type", "variant")
    }
    rows = table.labels["task_type"].where(task) & table.labels["variant"].where(variant)
    require_own(budget, table.runs, silent, int(np.count_nonzero(rows)))
    return table.picked(rows)
