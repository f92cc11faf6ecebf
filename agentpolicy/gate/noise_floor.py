"""Measures the noise floor of one version's runs, under every level that a band may name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from agentpolicy.documents.models.arguments import ArgumentRule
from agentpolicy.documents.models.band_fields import (
    BandFields,
    Latency,
    TextSimilarity,
    TokenRatio,
)
from agentpolicy.gate.catalogue import Catalogue
from agentpolicy.gate.noise import Floor, floors
from agentpolicy.gate.pairing import Fixture
from agentpolicy.runs.evidence import Evidence

ADVISED = 10
"""So many runs of the same instructions show their spread (behaviour diff source)."""
_ONE = Decimal(1)


@dataclass(frozen=True, slots=True)
class NoiseFloor:
    """What the runs of one version show when they are set against each other."""

    runs: int
    unfinished: int
    """Runs that came to no end of their own, and show nothing."""
    fixtures: int
    """Fixtures with two attempts or more."""
    alone: int
    """Fixtures with a single finished attempt, which cannot be set against anything."""
    fewest: int
    """The least attempts at a fixture that has several."""
    numbers: tuple[Floor, ...]
    """Fields that are measured as a number."""
    levels: tuple[Floor, ...]
    """Fields that have levels: each level that was tried."""
    arguments: tuple[Floor, ...]
    """Arguments that some self-run passed otherwise, with the rule under which it did."""


def noise_floor_of(
    runs: Mapping[str, Sequence[Evidence]], catalogue: Catalogue, scorer: str | None
) -> NoiseFloor:
    """Measure the finished attempts, by fixture, under each level of each field."""
    finished = {name: [run for run in attempts if run.finished] for name, attempts in runs.items()}
    fixtures = [Fixture(name, tuple(shown), ()) for name, shown in sorted(finished.items())]
    repeated = [len(shown) for shown in finished.values() if len(shown) > 1]
    found: dict[tuple[str, str], Floor] = {}
    for fields in _measuring(finished, scorer):
        found |= floors(fields, fixtures, catalogue)
    total = sum(map(len, runs.values()))
    every = tuple(found.values())
    return NoiseFloor(
        runs=total,
        unfinished=total - sum(map(len, finished.values())),
        fixtures=len(repeated),
        alone=sum(len(shown) == 1 for shown in finished.values()),
        fewest=min(repeated, default=0),
        numbers=tuple(one for one in every if one.field in _NUMBERS),
        levels=tuple(one for one in every if one.field in {"tool_order", "facts", "required_keys"}),
        arguments=tuple(one for one in every if one.field.startswith("arguments.") and one.crossed),
    )


_NUMBERS = (
    "text_similarity.threshold", "token_ratio.min", "token_ratio.max", "tool_calls_ratio",
    "latency_ms_p50.fail", "latency_ms_p95",
)  # fmt: skip


def _measuring(
    runs: Mapping[str, Sequence[Evidence]], scorer: str | None
) -> tuple[BandFields, ...]:
    """Write fields that measure everything, the strictest levels first, then each looser one."""
    strict = BandFields.model_construct(
        text_similarity=TextSimilarity(threshold=_ONE, scorer=scorer),
        facts="equal",
        required_keys="exact",
        tool_order="exact",
        latency_ms_p50=Latency.model_construct(fail=_ONE),
        latency_ms_p95=_ONE,
        token_ratio=TokenRatio(min=_ONE, max=_ONE),
        tool_calls_ratio=_ONE,
    )
    middle = BandFields.model_construct(
        facts="kept", tool_order="same_unless_idempotent", arguments=_normalised(runs)
    )
    return strict, middle, BandFields.model_construct(tool_order="any")


def _normalised(runs: Mapping[str, Sequence[Evidence]]) -> dict[str, dict[str, ArgumentRule]]:
    """Write the rule for every argument that the runs pass, by tool."""
    shown = {
        (call.name, name)
        for attempts in runs.values()
        for run in attempts
        for call in run.calls or ()
        if isinstance(call.args, dict)
        for name in call.args
    }
    rules: dict[str, dict[str, ArgumentRule]] = {}
    for tool, name in sorted(shown):
        rules.setdefault(tool, {})[name] = ArgumentRule(rule="normalised")
    return rules
