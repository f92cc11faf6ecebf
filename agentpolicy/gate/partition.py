"""What a budget sees in one run: raw predicates for the checks, one outcome for the report.

The checks read the predicates, none of which hides another. The outcomes partition the runs: the
first match in the declared order wins, and a run that lacks a value it needs is undecided.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from agentpolicy.documents.models.budget import Budget
from agentpolicy.gate.catalogue import Catalogue
from agentpolicy.runs.evidence import Evidence, Truth, all_of, any_of, negation


class Outcome(StrEnum):
    """Where a run is counted, in the declared order of the checks."""

    INCORRECT = "incorrect"
    UNSAFE_ACTION = "unsafe_action"
    OVER_BUDGET = "over_budget"
    AMBER = "amber_pass"
    GREEN = "green_pass"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Predicates:
    """What holds for one run; None where the evidence does not say."""

    correct: Truth
    undeclared_effect: Truth
    hard_breach: Truth
    soft_breach: Truth

    @property
    def passes(self) -> Truth:
        """Whether the run is green or amber: correct, nothing undeclared, no hard breach."""
        return all_of((self.correct, negation(self.undeclared_effect), negation(self.hard_breach)))

    @property
    def outcome(self) -> Outcome:
        """The one bucket the run is counted in."""
        walk = (
            (negation(self.correct), Outcome.INCORRECT),
            (self.undeclared_effect, Outcome.UNSAFE_ACTION),
            (self.hard_breach, Outcome.OVER_BUDGET),
            (self.soft_breach, Outcome.AMBER),
        )
        for matches, outcome in walk:
            if matches is None:
                return Outcome.UNDECIDED
            if matches:
                return outcome
        return Outcome.GREEN


@dataclass(frozen=True, slots=True)
class RunRules:
    """The limits a budget sets for one run, in the units of the evidence."""

    soft: tuple[tuple[str, Decimal], ...]
    hard: tuple[tuple[str, Decimal], ...]
    allowed_effects: frozenset[str]
    catalogue: Catalogue
    evaluators: frozenset[str] | None = None
    """Whose word that a run is correct counts; None where anybody's does."""

    def judge(self, run: Evidence) -> Predicates:
        """Say which predicates hold for a run. A value equal to a limit has not crossed it."""
        return Predicates(
            correct=self.correct(run),
            undeclared_effect=self._undeclared(run),
            hard_breach=any_of(_crossings(run, self.hard)),
            soft_breach=any_of(_crossings(run, self.soft)),
        )

    def correct(self, run: Evidence) -> Truth:
        """Say whether a run is correct, in the eyes of an evaluator that counts.

        The word of any other can prove a run incorrect, but never correct. Were it simply unknown,
        to accept fewer evaluators would turn a proved failure into an open question.
        """
        accepted = self.evaluators is None or run.evaluator in self.evaluators
        return run.correct if accepted or run.correct is False else None

    def _undeclared(self, run: Evidence) -> Truth:
        """Look for a call with an effect that the budget does not allow, whatever its status."""
        if run.calls is None:
            return None
        return any(self.undeclared(call.name) for call in run.calls)

    def undeclared(self, tool: str) -> bool:
        """Say whether a call of a tool is an effect that the budget does not allow."""
        return tool not in self.allowed_effects and self.catalogue.has_effect(tool)


def run_rules(budget: Budget, catalogue: Catalogue) -> RunRules:
    """Read the limits for one run out of a budget. An absent limit is no limit."""
    soft: list[tuple[str, Decimal]] = []
    hard: list[tuple[str, Decimal]] = []
    limits = budget.budget
    timed = limits.latency_s.measures if limits.latency_s else None
    for measure, pair, shift in (
        ("steps", limits.steps, 0),
        ("cost_usd", limits.cost_usd, 0),
        (_TIMED[timed or "total"], limits.latency_s, 3),
        ("tokens", limits.tokens, 0),
    ):
        if pair is not None and pair.soft is not None:
            soft.append((measure, _shifted(pair.soft, shift)))
        if pair is not None and pair.hard is not None:
            hard.append((measure, _shifted(pair.hard, shift)))
    return RunRules(
        soft=tuple(soft),
        hard=tuple(hard),
        allowed_effects=frozenset(limits.allowed_effects),
        catalogue=catalogue,
        evaluators=None if budget.evaluators is None else frozenset(budget.evaluators),
    )


_NOTHING = Decimal(-1)
"""Less than any limit: what a run surely used of a measure that nobody took."""
_TIMED = {"total": "latency_ms", "time_to_useful": "time_to_useful_ms"}
"""What a latency limit reads. Neither ever stands in for the other."""


def _crossings(run: Evidence, limits: tuple[tuple[str, Decimal], ...]) -> Iterator[Truth]:
    """Say of each limit whether the run is past it; a known part can be past it alone."""
    for measure, limit in limits:
        value = getattr(run, measure)
        if value is not None:
            yield value > limit
        else:
            yield run.at_least.get(measure, _NOTHING) > limit or None


def _shifted(number: Decimal, places: int) -> Decimal:
    """Multiply by a power of ten without the rounding that decimal arithmetic may do."""
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    return Decimal((sign, digits, exponent + places))
