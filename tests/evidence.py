"""Runs and typed policies built in one line, for tests of what judges them."""

import hashlib
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from agentpolicy.documents.models.band import Band, BandFields
from agentpolicy.documents.models.baseline import Baseline
from agentpolicy.documents.models.budget import Budget
from agentpolicy.documents.models.tools import Tools
from agentpolicy.documents.models.waiver import Waiver
from agentpolicy.gate.pairing import Fixture
from agentpolicy.runs.evidence import evidence_of
from agentpolicy.runs.record import Duration, Money, Outcome, RunRecord, Tokens, ToolCall
from agentpolicy.runs.run_set import RunSet, missing_of

TASK = "meeting"
VARIANT = "default"
VERDICT = "sha256:" + "a" * 64
"""The digest of the recorded verdict that waivers in tests cite."""


def calls(*named: str | ToolCall) -> tuple[ToolCall, ...]:
    """List calls that succeeded, without arguments where only a name is given."""
    return tuple(ToolCall(one, {}, status="ok") if isinstance(one, str) else one for one in named)


def run(fixture: str = "f", attempt: int = 1, side: str = "c", **known: object) -> RunRecord:
    """Make a run record; plain numbers become exact ones, `tokens` a count with nothing cached."""
    if "correct" in known:
        correct = known.pop("correct")
        assert correct is None or isinstance(correct, bool)
        known["outcome"] = Outcome(correct, "end-state@1")
    for name, value in known.items():
        if name == "cost_usd" and isinstance(value, str):
            known[name] = Money(value)
        elif name == "latency_ms" and isinstance(value, int):
            known[name] = Duration(value)
        elif name == "tokens" and isinstance(value, int):
            known[name] = Tokens(value, 0, 0)
    labels: dict[str, Any] = {"task_type": TASK, "variant": VARIANT} | known
    return RunRecord(f"{side}-{fixture}-{attempt}", fixture, attempt, **labels)


def run_set(*records: RunRecord) -> RunSet:
    """Make a run set as if read from one file."""
    digest = "sha256:" + hashlib.sha256(repr(records).encode()).hexdigest()
    return RunSet(records, {"runs.jsonl": digest}, {"runs.jsonl": "jsonl"}, missing_of(records))


def budget(
    limits: Mapping[str, Any] | None = None,
    allowed: Sequence[str] = (),
    unsafe: str | None = None,
    **aggregate: str,
) -> Budget:
    """Make a budget; limits and rates are written as text, as exact as they read."""
    gate: dict[str, Any] = {"per_run": "hard breach fails the run"}
    if aggregate:
        gate["aggregate"] = {name: Decimal(text) for name, text in aggregate.items()}
    if unsafe is not None:
        gate["unsafe_action_rate_max"] = Decimal(unsafe)
    written = {
        name: {side: Decimal(str(number)) for side, number in pair.items()}
        for name, pair in (limits or {}).items()
    }
    return Budget.model_validate(
        {
            "task_type": TASK,
            "variant": VARIANT,
            "budget": {**written, "allowed_effects": tuple(allowed)},
            "gate": gate,
        }
    )


def band(waivers: Mapping[str, Any] | None = None, **fields: object) -> Band:
    """Make a band of some fields."""
    tree: dict[str, Any] = {"band_version": 1, "fields": fields}
    return Band.model_validate(tree | ({"waivers": waivers} if waivers else {}))


def whole_band(parts: Mapping[str, Any], **fields: object) -> Band:
    """Make a band that has more than fields: grades, routing, comparability, repeats and so on."""
    return Band.model_validate({"band_version": 1, "fields": fields} | dict(parts))


def fields(**written: object) -> BandFields:
    """Make the fields of a band."""
    return band(None, **written).fields


def fixture(references: Sequence[RunRecord], *attempts: RunRecord, **known: Any) -> Fixture:  # noqa: ANN401 - any part of a fixture
    """Make the fixture `f` out of run records."""
    shown = tuple(evidence_of(reference) for reference in references)
    return Fixture("f", shown, tuple(evidence_of(attempt) for attempt in attempts), **known)


def baseline(
    runs: RunSet, *fixtures: Mapping[str, Any], accepted: Sequence[Mapping[str, str]] = ()
) -> Baseline:
    """Make the baseline document of some runs; a fixture needs no more than its id."""
    return Baseline.model_validate(
        {
            "baseline_version": 1,
            "runs": runs.digest,
            "fixtures": fixtures,
            "accepted": tuple({"reason": "as good", **entry} for entry in accepted) or None,
        }
    )


def tools(**listed: Mapping[str, Any]) -> Tools:
    """Make a catalogue; a tool's name may hold a dot written as two underscores."""
    named = {name.replace("__", "."): entry for name, entry in listed.items()}
    return Tools.model_validate({"tools_version": 1, "tools": named})


def waiver(**changed: object) -> Waiver:
    """Make a waiver of the least text similarity of fixture `f`, active through March 2026."""
    return Waiver.model_validate(
        {
            "id": "w-1",
            "agent": "refund-agent",
            "field": "text_similarity.threshold",
            "cases": ({"fixture_id": "f", "measured": Decimal("0.80")},),
            "band": Decimal("0.92"),
            "verdict": VERDICT,
            "reason": "the new wording is intended",
            "change_link": "https://git.example.com/acme/agents/pull/7",
            "owner": "alice",
            "granted_on": "2026-03-02",
            "expires_on": "2026-03-31",
        }
        | changed
    )
