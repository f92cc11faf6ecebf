"""Proposes the soft and hard limits of a budget from the runs that passed."""

from decimal import Decimal
from typing import NamedTuple

from agentpolicy.base.errors import Problem, UndecidedError
from agentpolicy.base.numbers import plain
from agentpolicy.documents.document import Value
from agentpolicy.gate.run_quantiles import Measured, RunQuantiles, quantiles_of
from agentpolicy.runs.evidence import Evidence, evidence_of
from agentpolicy.workflows.numbers.proposed import Proposal, propose
from agentpolicy.workflows.numbers.sources import BudgetFile, one_task
from agentpolicy.workflows.run_files import RunFiles


class Calibrated(NamedTuple):
    """What the passing runs used, and the change that follows."""

    quantiles: RunQuantiles
    timed: str
    """Which of the two durations the limit on latency is on."""
    proposal: Proposal


def calibrate_budget(files: RunFiles, budget: BudgetFile | None) -> Calibrated:
    """Propose limits for all that the passing runs show.

    Raises:
        UndecidedError: no run is known to have passed, or none that did shows any quantity.
    """
    records = files.read()[0].records
    own = budget.own(records) if budget else one_task(records)
    runs: dict[str, list[Evidence]] = {}
    for record in own:
        runs.setdefault(record.fixture_id, []).append(evidence_of(record))
    quantiles = quantiles_of(runs, budget.rules if budget else None)
    limits = budget.budget.budget.latency_s if budget else None
    useful = limits is not None and limits.measures == "time_to_useful"
    timed = "time_to_useful_s" if useful else "latency_s"
    other = "latency_s" if useful else "time_to_useful_s"
    edits: dict[tuple[str, ...], Value | None] = {}
    for measured in quantiles.measures:
        if measured.name != other:
            name = "latency_s" if measured.name == timed else measured.name
            edits.update(_limits(name, measured))
    if not edits:
        words = f"{quantiles.passed} of {quantiles.runs} runs passed, and none shows what it used"
        hint = "agentpolicy runs summary FILE"
        raise UndecidedError(Problem("nothing-measured", words, hint))
    return Calibrated(quantiles, timed, propose(edits, budget.document if budget else None))


def _limits(name: str, measured: Measured) -> dict[tuple[str, ...], Value | None]:
    """Write both limits; where they fall together only the hard one, as soft must be below it."""
    if measured.soft is None or measured.hard is None:
        return {}
    soft = _whole(measured.soft) if measured.parted else None
    return {("budget", name, "soft"): soft, ("budget", name, "hard"): _whole(measured.hard)}


def _whole(value: Decimal) -> Value:
    """Write a number without needless places, and a whole one as one."""
    text = plain(value)
    return Decimal(text) if "." in text else int(text)
