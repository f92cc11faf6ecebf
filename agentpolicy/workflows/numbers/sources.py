"""What numbers are measured with: a budget or band file, the catalogue beside it, and run files."""

from dataclasses import dataclass
from pathlib import Path

from agentpolicy.base.errors import InputError, Problem, UndecidedError
from agentpolicy.documents.document import Document
from agentpolicy.documents.models.band import Band
from agentpolicy.documents.models.budget import Budget
from agentpolicy.documents.models.tools import Tools
from agentpolicy.gate.catalogue import catalogue_of
from agentpolicy.gate.partition import RunRules, run_rules
from agentpolicy.runs.record import RunRecord
from agentpolicy.workflows.policy_source import PolicySource, proposed_policy


@dataclass(frozen=True, slots=True)
class BudgetFile:
    """A budget as it is written, with what it lets a run do under the catalogue beside it."""

    document: Document
    budget: Budget
    rules: RunRules

    def own(self, runs: tuple[RunRecord, ...]) -> tuple[RunRecord, ...]:
        """Pick the runs of the budget's task and variant.

        Raises:
            UndecidedError: a run does not say what it is of, or none is of this budget.
        """
        pair = (self.budget.task_type, self.budget.variant)
        silent = sum(run.task_type is None or run.variant is None for run in runs)
        if silent:
            hint = f"--set task_type={pair[0]} --set variant={pair[1]}"
            words = f"{silent} of {len(runs)} runs do not say their task_type and variant"
            raise UndecidedError(Problem("task-unknown", words, hint))
        own = tuple(run for run in runs if (run.task_type, run.variant) == pair)
        if not own:
            words = f"none of the {len(runs)} runs is of {pair[0]} / {pair[1]}"
            raise UndecidedError(Problem("no-runs", words, "give the runs of this task"))
        return own


@dataclass(frozen=True, slots=True)
class BandFile:
    """A band as it is written, and the catalogue beside it."""

    document: Document
    band: Band
    tools: Tools | None


def budget_file(path: Path) -> BudgetFile:
    """Read a budget wherever it lies; in a `policies` folder the catalogue there counts."""
    source, document = _source(path, "budgets")
    tools = _tools(source)
    budget = Budget.model_validate(document.tree)
    return BudgetFile(document, budget, run_rules(budget, catalogue_of(tools)))


def band_file(path: Path) -> BandFile:
    """Read a band wherever it lies; in a `policies` folder the catalogue there counts."""
    source, document = _source(path, "bands")
    return BandFile(document, Band.model_validate(document.tree), _tools(source))


def one_task(runs: tuple[RunRecord, ...]) -> tuple[RunRecord, ...]:
    """Insist that runs are all of one task and variant.

    Raises:
        InputError: they are of several, which have nothing in common to measure.
    """
    pairs = sorted({f"{run.task_type} / {run.variant}" for run in runs})
    if len(pairs) > 1:
        words = f"these runs are of {len(pairs)} tasks: {', '.join(pairs[:3])}"
        hint = "say which one with --budget FILE, or give the runs of one task"
        raise InputError(Problem("several-tasks", words, hint))
    return runs


def _source(path: Path, folder: str) -> tuple[PolicySource, Document]:
    wanted = f"policies/{folder}/{path.name}"
    if path.is_dir():
        raise InputError(Problem("not-a-file", "it is a folder", f"ls {path}", str(path)))
    source = proposed_policy(path, wanted)
    return source, source.document(wanted)


def _tools(source: PolicySource) -> Tools | None:
    return Tools.model_validate(source.tools.tree) if source.tools else None
