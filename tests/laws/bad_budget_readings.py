"""Readings of a budget that a first engine falls into, each put in place of the real one.

A name in brackets is that of the counterexample it was found by.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from agentpolicy.documents.document import DocumentKind
from agentpolicy.documents.models.budget import Budget
from agentpolicy.gate import budget as budget_gate
from agentpolicy.gate import check as check_module
from agentpolicy.gate import verdict as verdict_module
from agentpolicy.gate.bound import surely_at_most
from agentpolicy.gate.budget_checks import checks_of
from agentpolicy.gate.catalogue import catalogue_of
from agentpolicy.gate.check import Check
from agentpolicy.gate.decision import Decision, worst
from agentpolicy.gate.partition import Outcome, Predicates, RunRules, run_rules
from agentpolicy.order.classify import ChangeClass
from agentpolicy.runs.evidence import Evidence, Tally, evidence_of
from agentpolicy.runs.record import RunRecord
from tests.laws import policy_pairs
from tests.laws.policy_pairs import Policy, Schemas


def ceilings_on_bucket_shares(patch: pytest.MonkeyPatch) -> None:
    """The amber ceiling counts the amber bucket instead of every run past soft."""
    honest = budget_gate._rates

    def bad(*given: Any) -> Mapping[str, Tally]:  # noqa: ANN401 - passed through
        rates = honest(*given)
        return {**rates, "soft_breach": rates["amber"]}

    patch.setattr(budget_gate, "_rates", bad)


def unsafe_actions_by_bucket(patch: pytest.MonkeyPatch) -> None:
    """A run counts as unsafe only where nothing before that question is wrong or open."""
    honest = budget_gate._rates

    def bad(judged: Sequence[tuple[Predicates, int]]) -> Mapping[str, Tally]:
        unsafe = Tally.of_many(
            (None if one.outcome is Outcome.UNDECIDED else one.outcome is Outcome.UNSAFE_ACTION, n)
            for one, n in judged
        )
        return {**honest(judged), "undeclared_effect": unsafe}

    patch.setattr(budget_gate, "_rates", bad)


def missing_leaves_the_denominator(patch: pytest.MonkeyPatch) -> None:
    """[C19] A run that lacks a value some limit reads is not counted at all."""
    honest = budget_gate._records_under

    def bad(budget: Budget, records: tuple[RunRecord, ...]) -> list[RunRecord]:
        own = honest(budget, records)
        rules = run_rules(budget, catalogue_of(None))
        read = {measure for measure, _ in rules.soft + rules.hard}
        shown = ((record, evidence_of(record)) for record in own)
        kept = [
            record
            for record, seen in shown
            if all(getattr(seen, measure) is not None for measure in read)
        ]
        return kept or own

    patch.setattr(budget_gate, "_records_under", bad)


def inconclusive_beats_fail(patch: pytest.MonkeyPatch) -> None:
    """Whatever is not known makes the whole answer open, a proved failure too."""

    def bad(decisions: Iterable[Decision]) -> Decision:
        answers = list(decisions)
        return Decision.INCONCLUSIVE if Decision.INCONCLUSIVE in answers else worst(answers)

    for module in (budget_gate, check_module, verdict_module):
        patch.setattr(module, "worst", bad)


def a_foreign_word_is_no_word(patch: pytest.MonkeyPatch) -> None:
    """What an evaluator that does not count calls incorrect is merely unknown."""

    def bad(self: RunRules, run: Evidence) -> bool | None:
        listed = self.evaluators is None or run.evaluator in self.evaluators
        return run.correct if listed else None

    patch.setattr(RunRules, "correct", bad)


def _checked(patch: pytest.MonkeyPatch, bad: Any) -> None:  # noqa: ANN401 - a change of a check
    """Change each check of a budget that is decided by its bound."""
    honest = checks_of

    def checks(budget: Budget, *given: Any) -> Iterator[Check]:  # noqa: ANN401 - passed through
        bound = budget.gate.decision == "bound"
        for check in honest(budget, *given):
            yield bad(check) if bound else check

    patch.setattr(budget_gate, "checks_of", checks)


def unsafe_actions_by_bound_but_for_0(patch: pytest.MonkeyPatch) -> None:
    """[C20] The ceiling on unsafe actions is judged by its bound, unless it is 0."""

    def bad(check: Check) -> Check:
        if check.id != "unsafe_action_rate_max" or check.limit == 0:
            return check
        assert isinstance(check.measured, Tally)
        surely = surely_at_most(check.measured.count, check.measured.runs, Fraction(check.limit))
        return replace(check, bound=Decision.PASS if surely else Decision.INCONCLUSIVE)

    _checked(patch, bad)


def no_bound_where_it_cannot_hold(patch: pytest.MonkeyPatch) -> None:
    """[C21] A rate that must be 1, or 0, is judged by count, for no bound could prove it."""
    ends = {"pass_rate_min": Decimal(1), "amber_rate_max": Decimal(0)}
    _checked(
        patch,
        lambda check: replace(check, bound=None) if ends.get(check.id) == check.limit else check,
    )


def the_bound_in_place_of_the_value(patch: pytest.MonkeyPatch) -> None:
    """Where the gate decides by the bound, the value as measured has no say."""
    _checked(patch, lambda check: replace(check, point=check.bound or check.point, bound=None))


def a_tool_is_classed_where_it_is_named(patch: pytest.MonkeyPatch) -> None:
    """[C5] A change of the catalogue counts only for tools that a band or budget names."""
    honest = policy_pairs.class_of
    tools = DocumentKind.TOOLS

    def bad(old: Policy, new: Policy, schemas: Schemas) -> ChangeClass:
        named = {*old.budget.budget.allowed_effects, *new.budget.budget.allowed_effects}
        before, after = (side.trees[tools]["tools"] for side in (old, new))
        shown = {name: (after if name in named else before).get(name) for name in before | after}
        seen = {name: entry for name, entry in shown.items() if entry is not None}
        hidden = {**new.trees, tools: {**new.trees[tools], "tools": seen}}
        if hidden == old.trees:
            return ChangeClass.NEUTRAL
        return honest(old, Policy(hidden), schemas)

    patch.setattr(policy_pairs, "class_of", bad)
