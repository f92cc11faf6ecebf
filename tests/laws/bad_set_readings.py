"""Readings of whole sets, of waivers and of routes that a first engine falls into.

Each is put in place of the real one. A name in brackets is that of the counterexample it was
found by.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from agentpolicy.documents.models.band import Band
from agentpolicy.gate import band as band_gate
from agentpolicy.gate import pairing as pairing_module
from agentpolicy.gate import routing as routing_gate
from agentpolicy.gate import waivers as waivers_gate
from agentpolicy.gate.band import BandResult
from agentpolicy.gate.comparability import Comparable, class_of
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.finding import Finding
from agentpolicy.gate.pairing import Fixture
from agentpolicy.gate.routing import Risk
from agentpolicy.gate.waivers import apply_waivers
from agentpolicy.runs.evidence import Evidence
from tests.laws import held

Pairing = Callable[..., tuple[Fixture, ...]]


def _with_band(patch: pytest.MonkeyPatch, bad: Callable[[Band, Fixture], Fixture]) -> None:
    """Let the band in force pick which runs of a fixture are judged."""
    honest, pairing = band_gate.judge_band, pairing_module.pair_up
    state: dict[str, Band] = {}

    def judge_band(band: Band, *given: Any) -> BandResult:  # noqa: ANN401 - passed through
        state["now"] = band
        return honest(band, *given)

    def pair_up(*given: Any) -> tuple[Fixture, ...]:  # noqa: ANN401 - passed through
        return tuple(bad(state["now"], fixture) for fixture in pairing(*given))

    patch.setattr(held, "judge_band", judge_band)
    patch.setattr(band_gate, "pair_up", pair_up)


def the_first_attempts_only(patch: pytest.MonkeyPatch) -> None:
    """[C17] No more attempts are looked at than the band asks for."""
    _with_band(
        patch,
        lambda band, fixture: replace(fixture, attempts=fixture.attempts[: band.repeats or 1]),
    )


def pairs_below_the_minimum_are_dropped(patch: pytest.MonkeyPatch) -> None:
    """[C18] An attempt that cannot be compared with the references is not judged."""

    def bad(band: Band, fixture: Fixture) -> Fixture:
        rule = band.comparability
        minimum = Comparable((rule.minimum if rule else None) or "unknown")

        def comparable(attempt: Evidence) -> bool:
            classes = [
                class_of(attempt.provenance, one.provenance, (rule.varies if rule else None) or ())
                for one in fixture.references
            ]
            return max(found.rank for found, _ in classes) <= minimum.rank

        kept = tuple(one for one in fixture.attempts if comparable(one))
        return replace(fixture, attempts=kept or fixture.attempts)

    _with_band(patch, bad)


def _replace_findings(
    patch: pytest.MonkeyPatch, bad: Callable[[Band, tuple[Finding, ...]], Sequence[Finding]]
) -> None:
    """Change what was found before waivers are asked about it."""

    def waive(findings: tuple[Finding, ...], own: Any, band: Band, *given: Any) -> Any:  # noqa: ANN401 - passed through
        return apply_waivers(bad(band, findings), own, band, *given)

    patch.setattr(band_gate, "apply_waivers", waive)


def most_of_the_repeats(patch: pytest.MonkeyPatch) -> None:
    """[C16] Where a band asks for repeats, a fixture is inside when most of its attempts are."""

    def bad(band: Band, findings: tuple[Finding, ...]) -> Sequence[Finding]:
        if (band.repeats or 1) == 1:
            return findings
        votes: dict[tuple[str, str | None], list[Decision]] = {}
        for one in findings:
            votes.setdefault((one.field, one.fixture_id), []).append(one.result)
        won = {key for key, cast in votes.items() if 2 * cast.count(Decision.PASS) > len(cast)}
        return [
            replace(one, result=Decision.PASS) if (one.field, one.fixture_id) in won else one
            for one in findings
        ]

    _replace_findings(patch, bad)


def max_open_at_the_gate(patch: pytest.MonkeyPatch) -> None:
    """[C15] More live waivers than may be open cover nothing, whatever each of them is."""

    def waive(findings: Any, own: Any, band: Band, *given: Any) -> Any:  # noqa: ANN401 - passed through
        marked, reports = apply_waivers(findings, own, band, *given)
        most = band.waivers.max_open if band.waivers else None
        live = sum(report.state in {"used", "unused"} for report in reports)
        return (findings, reports) if most is not None and live > most else (marked, reports)

    patch.setattr(band_gate, "apply_waivers", waive)


def a_waiver_needs_the_very_limit(patch: pytest.MonkeyPatch) -> None:
    """[C6] A waiver is live only under exactly the limit it was granted against."""
    patch.setattr(waivers_gate, "_no_stricter", lambda one, granted: one.limit == str(granted))


def a_covered_failure_hides_the_missing(patch: pytest.MonkeyPatch) -> None:
    """[C22] Where a waiver covers one attempt, the field's other attempts are not looked at."""

    def waive(*given: Any) -> Any:  # noqa: ANN401 - passed through
        findings, reports = apply_waivers(*given)
        covered = {(one.field, one.fixture_id) for one in findings if one.waived_by}
        hidden = tuple(
            replace(one, result=Decision.PASS_WITH_WAIVERS)
            if (one.field, one.fixture_id) in covered
            else one
            for one in findings
        )
        return hidden, reports

    patch.setattr(band_gate, "apply_waivers", waive)


def unsteady_where_answers_differ_in_result(patch: pytest.MonkeyPatch) -> None:
    """[R1] The penalty is for fixtures of which some attempts cross and others do not."""
    honest = routing_gate.risk_of

    def bad(routing: Any, fixtures: Sequence[Fixture], findings: Sequence[Finding]) -> Risk:  # noqa: ANN401 - passed through
        results: dict[tuple[str, str | None], set[bool]] = {}
        for one in findings:
            results.setdefault((one.field, one.fixture_id), set()).add(one.crosses)
        patch.setattr(
            routing_gate, "unsteady", lambda _: any(len(seen) > 1 for seen in results.values())
        )
        return honest(routing, fixtures, findings)

    patch.setattr(band_gate, "risk_of", bad)


def the_mean_shortfall(patch: pytest.MonkeyPatch) -> None:
    """[R2] The shortfall of a release is the mean over the fixtures that cross."""
    honest = routing_gate._shortfalls

    def bad(crossed: set[str], findings: Sequence[Finding]) -> Mapping[str, Decimal]:
        short = honest(crossed, findings)
        count = Counter(one.fixture_id for one in findings if one.crosses)
        return {name: amount / max(1, len(count)) for name, amount in short.items()}

    patch.setattr(routing_gate, "_shortfalls", bad)
