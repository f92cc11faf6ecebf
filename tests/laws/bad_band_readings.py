"""Readings of a band that a first engine falls into, each put in place of the real one.

A name in brackets is that of the counterexample it was found by.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

import pytest
from agentpolicy.documents.models.band import BandFields
from agentpolicy.gate.argument_rules import Rule
from agentpolicy.gate.catalogue import Catalogue
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions import (
    arguments,
    content,
    every,
    keys,
    requires,
    text,
    tool_order,
)
from agentpolicy.gate.finding import Finding
from agentpolicy.gate.pairing import Fixture
from agentpolicy.order import compare as comparison
from agentpolicy.order.compare import Strictness
from agentpolicy.runs.commitments import is_commitment
from agentpolicy.runs.deltas import similarity
from agentpolicy.runs.evidence import Truth

Dimension = Callable[[BandFields, Fixture, Catalogue], Iterator[Finding]]


def _replace_dimension(patch: pytest.MonkeyPatch, module: object, bad: Dimension) -> None:
    """Judge one dimension by a bad reading that also sees what is none of its business."""
    state: dict[str, tuple[BandFields, Catalogue]] = {}
    honest = every.findings

    def findings(
        fields: BandFields,
        fixtures: tuple[Fixture, ...],
        catalogue: Catalogue,
        wanted: Collection[str] | None = None,
    ) -> Iterator[Finding]:
        state["now"] = (fields, catalogue)
        return honest(fields, fixtures, catalogue, wanted)

    def judge(*given: object) -> Iterator[Finding]:
        (fixture,) = [one for one in given if isinstance(one, Fixture)]
        fields, catalogue = state["now"]
        return bad(fields, fixture, catalogue)

    patch.setattr(every, "findings", findings)
    patch.setattr(module, "judge", judge)


def arguments_only_where_the_order_holds(patch: pytest.MonkeyPatch) -> None:
    """[C12] An attempt whose sequence crosses has its arguments passed over."""
    honest, order = arguments.judge, tool_order.judge

    def bad(fields: BandFields, fixture: Fixture, catalogue: Catalogue) -> Iterator[Finding]:
        crossed = {
            finding.attempt
            for finding in order(fields, fixture, catalogue)
            if finding.result is Decision.FAIL
        }
        found = honest(fields, fixture, catalogue)
        return (one for one in found if one.attempt not in crossed)

    _replace_dimension(patch, arguments, bad)


def arguments_against_the_first_route_that_matches(patch: pytest.MonkeyPatch) -> None:
    """[C11] Arguments are compared with the first reference whose route fits, not with all."""
    honest, follows = arguments.judge, tool_order._follows

    def bad(fields: BandFields, fixture: Fixture, catalogue: Catalogue) -> Iterator[Finding]:
        level = fields.tool_order or "exact"
        for attempt in fixture.attempts:
            fitting = [one for one in fixture.references if follows(attempt, one, level, catalogue)]
            chosen = tuple(fitting[:1]) or fixture.references
            one = replace(fixture, references=chosen, attempts=(attempt,))
            yield from honest(fields, one, catalogue)

    _replace_dimension(patch, arguments, bad)


def prerequisites_only_where_order_matters(patch: pytest.MonkeyPatch) -> None:
    """[C13] Prerequisites are looked at only when the band leaves the order free."""
    honest = requires.judge

    def bad(fields: BandFields, fixture: Fixture, catalogue: Catalogue) -> Iterator[Finding]:
        return honest(fixture, catalogue) if fields.tool_order == "any" else iter(())

    _replace_dimension(patch, requires, bad)


def prerequisites_only_of_reads(patch: pytest.MonkeyPatch) -> None:
    """[C14] Only a prerequisite that is a read counts as one."""
    honest = Catalogue.requires

    def bad(self: Catalogue, name: str) -> list[str]:
        return [needed for needed in honest(self, name) if not self.has_effect(needed)]

    patch.setattr(Catalogue, "requires", bad)


def a_required_key_is_allowed(patch: pytest.MonkeyPatch) -> None:
    """[C8] `forbidden` lets through what `required_keys` names."""
    honest = keys.judge

    def bad(fields: BandFields, fixture: Fixture, _: Catalogue) -> Iterator[Finding]:
        named = fields.required_keys if isinstance(fields.required_keys, tuple) else ()
        for finding in honest(fields, fixture):
            extra = set((finding.measured or "").split(", ")) - {f"/{name}" for name in named}
            excused = finding.field == "optional_keys" and finding.result is Decision.FAIL
            yield replace(finding, result=Decision.PASS) if excused and not extra else finding

    _replace_dimension(patch, keys, bad)


def an_absent_order_is_any(patch: pytest.MonkeyPatch) -> None:
    """What the band does not say about the order is taken as no rule at all."""
    honest = tool_order.judge

    def bad(fields: BandFields, fixture: Fixture, catalogue: Catalogue) -> Iterator[Finding]:
        level = fields.tool_order or "any"
        return honest(fields.model_copy(update={"tool_order": level}), fixture, catalogue)

    _replace_dimension(patch, tool_order, bad)


def no_score_where_a_gate_does_not_hold(patch: pytest.MonkeyPatch) -> None:
    """[C23, R3] An answer whose required content is missing or not known is given no score."""
    honest, gates = text.judge, content.judge

    def bad(fields: BandFields, fixture: Fixture, _: Catalogue) -> Iterator[Finding]:
        held = {one.attempt: one.result is Decision.PASS for one in gates(fields, fixture)}
        return (one for one in honest(fields, fixture) if held.get(one.attempt, True))

    _replace_dimension(patch, text, bad)


def exact_is_more_than_any_list(patch: pytest.MonkeyPatch) -> None:
    """[C7] To require what all references have is classed stricter than to require a list."""
    honest = comparison._by_word

    def bad(smaller: comparison._Members, larger: comparison._Members) -> Strictness:
        if larger == "exact":
            return Strictness.TIGHTER
        return Strictness.LOOSER if smaller == "exact" else honest(smaller, larger)

    patch.setattr(comparison, "_by_word", bad)


Inside = Callable[[Rule, object, object], Truth]


def _replace_rule(patch: pytest.MonkeyPatch, bad: Callable[[Inside], Inside]) -> None:
    patch.setattr(Rule, "inside", bad(Rule.inside))


def similar_looks_at_the_raw_text(patch: pytest.MonkeyPatch) -> None:
    """[C9] `similar` knows the score alone, so that it may refuse what `normalised` accepts."""

    def bad(honest: Inside) -> Inside:
        def inside(rule: Rule, value: object, reference: object) -> Truth:
            texts = isinstance(value, str) and isinstance(reference, str)
            if rule.level != "similar" or not texts or is_commitment(value):
                return honest(rule, value, reference)
            return similarity(str(value), str(reference)) >= rule.threshold

        return inside

    _replace_rule(patch, bad)


def similar_has_no_tolerance(patch: pytest.MonkeyPatch) -> None:
    """[C9] The tolerance of numbers stands under `normalised` alone."""

    def bad(honest: Inside) -> Inside:
        def inside(rule: Rule, value: object, reference: object) -> Truth:
            own = Rule(rule.level, rule.threshold) if rule.level == "similar" else rule
            return honest(own, value, reference)

        return inside

    _replace_rule(patch, bad)


def commitments_are_never_alike(patch: pytest.MonkeyPatch) -> None:
    """[C10] Equal commitments satisfy `exact`, and leave every softer rule open."""

    def bad(honest: Inside) -> Inside:
        def inside(rule: Rule, value: object, reference: object) -> Truth:
            if rule.level in {"normalised", "similar"} and is_commitment(value):
                return None
            return honest(rule, value, reference)

        return inside

    _replace_rule(patch, bad)
