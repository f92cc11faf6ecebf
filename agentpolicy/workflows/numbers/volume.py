"""Multiplies one run out to several daily volumes: measured on run files, or as figures say."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.gate.volume import AtVolume, Figures, Traffic, at_volume, figures_of
from agentpolicy.runs.record import RunRecord
from agentpolicy.workflows.numbers.sources import BudgetFile, one_task
from agentpolicy.workflows.run_files import RunFiles


@dataclass(frozen=True, slots=True)
class Typed:
    """What a person says of the run; it stands in place of what runs show."""

    cost_usd: Decimal | None = None
    input_tokens: int | None = None
    latency_s: Decimal | None = None
    tools: tuple[str, ...] = ()
    """Tools that the run calls."""


def measure(
    files: RunFiles | None, run_id: str | None, budget: BudgetFile | None, typed: Typed
) -> Figures:
    """Say what one run uses: of one named run, of all runs on average, or as it was typed.

    Raises:
        InputError: there is no such run, or neither runs nor figures.
    """
    if files is None and typed == Typed():
        words = "there is no run to multiply out"
        hint = "give run files, or --cost-usd, --input-tokens and --latency-s"
        raise InputError(Problem("usage", words, hint))
    records = _picked(files.read()[0].records, run_id, budget) if files else ()
    rules = budget.rules if budget else None
    figures = figures_of(records, rules) if records else Figures(0)
    if rules is not None and typed.tools:
        named = {tool: 0 for tool in typed.tools if rules.undeclared(tool)}
        figures = replace(figures, undeclared={**named, **(figures.undeclared or {})})
    return replace(
        figures,
        cost_usd=_either(typed.cost_usd, figures.cost_usd),
        input_tokens=_either(typed.input_tokens, figures.input_tokens),
        latency_s=_either(typed.latency_s, figures.latency_s),
    )


def volumes(figures: Figures, traffic: Traffic, per_day: Sequence[int]) -> tuple[AtVolume, ...]:
    """Multiply it out, smallest volume first."""
    return tuple(at_volume(figures, traffic, count) for count in sorted(set(per_day)))


def _picked(
    records: tuple[RunRecord, ...], run_id: str | None, budget: BudgetFile | None
) -> tuple[RunRecord, ...]:
    if run_id is not None:
        named = tuple(record for record in records if record.run_id == run_id)
        if not named:
            words = f"no run is called {run_id!r}"
            raise InputError(Problem("no-such-run", words, "agentpolicy runs import FILE"))
        return named
    return budget.own(records) if budget else one_task(records)


def _either(typed: Decimal | int | None, measured: Fraction | None) -> Fraction | None:
    return measured if typed is None else Fraction(typed)
