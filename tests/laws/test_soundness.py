"""The theorem: what an owner may change alone never makes the gate more willing.

The oracle is the real gate, called on both policies of a pair. No change that is classed tighter
or neutral moves a decision up fail < inconclusive < pass_with_waivers < pass, nor the route of an
accepted release toward `no_op`. Bad readings that break this are put in place of the real ones,
and the same search must find each of them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

import pytest
from agentpolicy.base.instant import parse_instant
from agentpolicy.documents.models.band import Band, BandFields
from agentpolicy.documents.models.budget import Budget
from agentpolicy.documents.models.tools import Tools
from agentpolicy.gate import band as band_gate
from agentpolicy.gate import budget as budget_gate
from agentpolicy.gate import waivers as waivers_gate
from agentpolicy.gate.band import BandResult, judge_band
from agentpolicy.gate.budget import BudgetResult, judge_budget
from agentpolicy.gate.catalogue import Catalogue, catalogue_of
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions import arguments, keys, requires, tool_order
from agentpolicy.gate.finding import Finding
from agentpolicy.gate.pairing import Fixture
from agentpolicy.gate.partition import Predicates, run_rules
from agentpolicy.gate.verdict import Route
from agentpolicy.runs.evidence import Tally, evidence_of
from agentpolicy.runs.record import RunRecord
from tests.evidence import VERDICT
from tests.laws.policy_pairs import AGENT, Pair, Policy, band_pairs, budget_pairs

AT = parse_instant("2026-03-10T12:00:00Z")
PAIRS = 2_000
SEED = 20_260_302
Result = BudgetResult | BandResult
Make = Callable[[int, int], Iterator[Pair]]


def judged(pair: Pair, policy: Policy) -> Result:
    tools = Tools.model_validate(policy.tools)
    if pair.baseline is None:
        return judge_budget(Budget.model_validate(policy.tree), tools, pair.runs)
    return judge_band(
        Band.model_validate(policy.tree), tools, pair.baseline, pair.runs, AGENT,
        pair.waivers, {VERDICT}, AT,
    )  # fmt: skip


def climbs(old: Result, new: Result) -> bool:
    """Say whether the new policy is more willing than the old one was."""
    if new.decision.rank > old.decision.rank:
        return True
    if isinstance(old, BudgetResult) or isinstance(new, BudgetResult):
        return False
    accepted = old.decision.accepted and new.decision.accepted
    return accepted and new.route is Route.NO_OP and old.route is not Route.NO_OP


def near(result: Result) -> bool:
    """Say whether some measured value sits on a limit or within one unit of it."""
    if isinstance(result, BudgetResult):
        return any(
            abs(check.measured.count - check.limit * result.runs) <= 1
            for check in result.checks
            if isinstance(check.measured, Tally)
        )
    return any(
        abs(Decimal(finding.measured) - Decimal(finding.limit)) <= Decimal("0.0001")
        for finding in result.findings
        if finding.measured is not None and finding.limit.replace(".", "").isdigit()
    )


def hold(make: Make, seed: int) -> None:
    """Hold the theorem on a seed's pairs, and refuse a search that could not have found much."""
    accepted = [0, 0]
    close = 0
    for pair in make(seed, PAIRS):
        old, new = judged(pair, pair.old), judged(pair, pair.new)
        assert not climbs(old, new), pair
        accepted[0] += old.decision.accepted
        accepted[1] += new.decision.accepted
        close += near(old) or near(new)
    assert min(accepted) >= PAIRS / 5, f"the search refuses too much to find anything: {accepted}"
    assert max(accepted) <= PAIRS * 4 / 5, f"the search accepts too much: {accepted}"
    assert close >= PAIRS / 20, f"only {close} pairs sit on a limit"


@pytest.mark.parametrize("make", [budget_pairs, band_pairs])
def test_no_tightening_makes_the_gate_more_willing(make: Make) -> None:
    hold(make, SEED)


@pytest.mark.long
@pytest.mark.parametrize("make", [budget_pairs, band_pairs])
@pytest.mark.parametrize("seed", range(25))
def test_no_tightening_makes_the_gate_more_willing_for_many_seeds(make: Make, seed: int) -> None:
    hold(make, seed)


# The bad readings. Each replaces a part of the real gate by what a first engine would do.


def ceilings_on_bucket_shares(patch: pytest.MonkeyPatch) -> None:
    """The amber ceiling counts the amber bucket instead of every run past soft."""
    honest = budget_gate._rates

    def bad(judged: Sequence[tuple[Predicates, int]]) -> dict[str, Tally]:
        rates = honest(judged)
        return rates | {"soft_breach": rates["amber"]}

    patch.setattr(budget_gate, "_rates", bad)


def missing_leaves_the_denominator(patch: pytest.MonkeyPatch) -> None:
    """A run that lacks a value some limit reads is not counted at all."""
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


def a_waiver_needs_the_very_limit(patch: pytest.MonkeyPatch) -> None:
    """A waiver is live only under exactly the limit it was granted against."""
    patch.setattr(waivers_gate, "_no_stricter", lambda one, granted: one.limit == str(granted))


def a_covered_failure_hides_the_missing(patch: pytest.MonkeyPatch) -> None:
    """Where a waiver covers one attempt, the field's other attempts are not looked at."""
    honest = waivers_gate.apply_waivers

    def bad(*given: object) -> tuple[tuple[Finding, ...], object]:
        findings, reports = honest(*given)  # type: ignore[arg-type]  # passed through
        covered = {(one.field, one.fixture_id) for one in findings if one.waived_by}
        hidden = tuple(
            replace(one, result=Decision.PASS_WITH_WAIVERS)
            if (one.field, one.fixture_id) in covered
            else one
            for one in findings
        )
        return hidden, reports

    patch.setattr(band_gate, "apply_waivers", bad)


def _replace_dimension(
    patch: pytest.MonkeyPatch,
    module: object,
    bad: Callable[[BandFields, Fixture, Catalogue], Iterator[Finding]],
) -> None:
    """Judge one dimension by a bad reading that also sees what is none of its business."""
    state: dict[str, tuple[BandFields, Catalogue]] = {}
    honest = band_gate._findings

    def findings(
        fields: BandFields, fixtures: tuple[Fixture, ...], catalogue: Catalogue
    ) -> Iterator[Finding]:
        state["now"] = (fields, catalogue)
        return honest(fields, fixtures, catalogue)

    def judge(*given: object) -> Iterator[Finding]:
        (fixture,) = [one for one in given if isinstance(one, Fixture)]
        fields, catalogue = state["now"]
        return bad(fields, fixture, catalogue)

    patch.setattr(band_gate, "_findings", findings)
    patch.setattr(module, "judge", judge)


def arguments_only_where_the_order_holds(patch: pytest.MonkeyPatch) -> None:
    """An attempt whose sequence crosses has its arguments passed over."""
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
    """Arguments are compared with the first reference whose route fits, not with all of them."""
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
    """Prerequisites are looked at only when the band leaves the order free."""
    honest = requires.judge

    def bad(fields: BandFields, fixture: Fixture, catalogue: Catalogue) -> Iterator[Finding]:
        return honest(fixture, catalogue) if fields.tool_order == "any" else iter(())

    _replace_dimension(patch, requires, bad)


def prerequisites_only_of_reads(patch: pytest.MonkeyPatch) -> None:
    """Only a prerequisite that is a read counts as one."""
    honest = Catalogue.requires

    def bad(self: Catalogue, name: str) -> list[str]:
        return [needed for needed in honest(self, name) if not self.has_effect(needed)]

    patch.setattr(Catalogue, "requires", bad)


def a_required_key_is_allowed(patch: pytest.MonkeyPatch) -> None:
    """`forbidden` lets through what `required_keys` names."""
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


BUDGET_READINGS = (ceilings_on_bucket_shares, missing_leaves_the_denominator)
BAND_READINGS = (
    a_waiver_needs_the_very_limit,
    a_covered_failure_hides_the_missing,
    arguments_only_where_the_order_holds,
    arguments_against_the_first_route_that_matches,
    prerequisites_only_where_order_matters,
    prerequisites_only_of_reads,
    a_required_key_is_allowed,
    an_absent_order_is_any,
)


@pytest.mark.parametrize("reading", [*BUDGET_READINGS, *BAND_READINGS])
def test_the_search_finds_each_bad_reading(
    reading: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    make = budget_pairs if reading in BUDGET_READINGS else band_pairs
    reading(monkeypatch)
    assert any(climbs(judged(pair, pair.old), judged(pair, pair.new)) for pair in make(SEED, PAIRS))
