"""Settles a cap study: from a table somebody made, or from the runs made at each cap."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.documents.document import Value
from agentpolicy.gate.knee import CapRow, Knee, knee_of, row_of
from agentpolicy.loading.cap_study import CapStudy, read_cap_study
from agentpolicy.report.numbers.exact import shown
from agentpolicy.runs.evidence import SHOWS_NOTHING, evidence_of
from agentpolicy.workflows.numbers.proposed import Proposal, propose
from agentpolicy.workflows.numbers.sources import BudgetFile
from agentpolicy.workflows.run_files import RunFiles

_LEAST = 2


class Settled(NamedTuple):
    """A settled study, and the change that follows, if any."""

    knee: Knee
    proposal: Proposal | None


def settle(
    study: Path | None,
    runs: Mapping[int, RunFiles],
    budget: BudgetFile | None,
    value_usd: Decimal | None,
) -> Settled:
    """Settle what was measured; of several values of a success the one that was typed counts.

    Raises:
        InputError: fewer than two caps, a cap twice, or nobody says what a success is worth.
    """
    table = _read(study) if study else CapStudy((), None)
    rows = (*table.rows, *(_measured(cap, files, budget) for cap, files in runs.items()))
    caps = [row.cap for row in rows]
    if len(set(caps)) < len(caps):
        twice = next(cap for cap in caps if caps.count(cap) > 1)
        words = f"cap {twice} stands in the table and is measured on runs too"
        raise InputError(Problem("cap-study", words, "give each cap once"))
    if len(rows) < _LEAST:
        words = f"{len(rows)} of at least two caps"
        raise InputError(Problem("cap-study", words, "measure the same tasks at another cap"))
    knee = knee_of(rows, _worth(value_usd, table, budget))
    return Settled(knee, _proposed(knee, budget))


def _proposed(knee: Knee, budget: BudgetFile | None) -> Proposal | None:
    """Propose the knee as the soft limit on steps, where it is known and below the hard one."""
    steps = budget.budget.budget.steps if budget else None
    if knee.cap is None or knee.cap == knee.rows[-1].cap:
        return None
    if steps is not None and steps.hard is not None and steps.hard <= knee.cap:
        return None
    edits: dict[tuple[str, ...], Value | None] = {("budget", "steps", "soft"): knee.cap}
    value = Decimal(shown(knee.value_usd))
    if budget is None or budget.budget.value_per_success_usd != value:
        edits["value_per_success_usd",] = value
    return propose(edits, budget.document if budget else None)


def _worth(value_usd: Decimal | None, table: CapStudy, budget: BudgetFile | None) -> Fraction:
    """Find what a success is worth; to refuse to estimate it does not avoid the decision."""
    declared = budget.budget.value_per_success_usd if budget else None
    for value in (value_usd, table.value_usd, declared):
        if value is not None:
            return Fraction(value)
    words = "nobody says what a successful task is worth"
    hint = "estimate it to the nearest factor of two: --value USD"
    raise InputError(Problem("value-unknown", words, hint))


def _read(path: Path) -> CapStudy:
    try:
        data = path.read_bytes()
    except OSError as error:
        words = f"it cannot be read: {error.strerror}"
        raise InputError(Problem("no-such-file", words, f"ls {path.parent}", str(path))) from error
    return read_cap_study(path.as_posix(), data)


def _measured(cap: int, files: RunFiles, budget: BudgetFile | None) -> CapRow:
    """Measure one cap; a record that cannot be read still counts as a run."""
    found = files.read()[0]
    records = budget.own(found.records) if budget else found.records
    shown = [evidence_of(record) for record in records]
    shown += [SHOWS_NOTHING] * len(found.unreadable)
    return row_of(cap, shown, budget.rules if budget else None)
