"""Measures the noise floor from self-runs, and proposes to record it in the band."""

from decimal import Decimal
from typing import NamedTuple

from agentpolicy.base.errors import Problem, UndecidedError
from agentpolicy.base.numbers import exact
from agentpolicy.documents.document import Value
from agentpolicy.documents.models.band_fields import DEFAULT_SCORER
from agentpolicy.gate.catalogue import catalogue_of
from agentpolicy.gate.noise import Floor
from agentpolicy.gate.noise_floor import NoiseFloor, noise_floor_of
from agentpolicy.loading.document import read_document
from agentpolicy.runs.evidence import Evidence, evidence_of
from agentpolicy.workflows.advice_noise import tighter_than_noise
from agentpolicy.workflows.numbers.proposed import Proposal, propose
from agentpolicy.workflows.numbers.sources import BandFile
from agentpolicy.workflows.run_files import RunFiles

_PLACES = 10_000


class Calibrated(NamedTuple):
    """The floor, the change that records it, and which limits are tighter than it."""

    floor: NoiseFloor
    scorer: str
    proposal: Proposal
    advice: tuple[Problem, ...]


def calibrate_noise(files: RunFiles, scorer: str | None, band: BandFile | None) -> Calibrated:
    """Set the attempts at each fixture against each other.

    Raises:
        UndecidedError: no fixture has two finished attempts.
    """
    found = files.read()[0]
    runs: dict[str, list[Evidence]] = {}
    for record in sorted(found.records, key=lambda record: record.attempt):
        runs.setdefault(record.fixture_id, []).append(evidence_of(record))
    rule = band.band.fields.text_similarity if band else None
    used = scorer or (rule.scorer if rule else None) or DEFAULT_SCORER
    floor = noise_floor_of(runs, catalogue_of(band.tools if band else None), used)
    if not floor.fixtures:
        words = f"none of {len(runs)} fixtures has two finished attempts to set against each other"
        hint = "run the same instructions again, ten times if you can, as further attempts"
        raise UndecidedError(Problem("no-repeats", words, hint))
    fields: dict[str, Value] = {}
    fields.update({one.field: exact(one.number) for one in floor.numbers if one.number})
    fields.update({f"{one.field}.{one.limit}": _share(one) for one in floor.levels if one.judged})
    proposal = propose(
        {
            ("noise_floor", "measured_on"): _measured_on(floor, found.digest),
            ("noise_floor", "scorer"): None if used == DEFAULT_SCORER else used,
            ("noise_floor", "fields"): fields,
        },
        band.document if band else None,
    )
    advice: tuple[Problem, ...] = ()
    if band is not None:
        after = read_document(band.document.path, proposal.yaml.encode("utf-8"))
        advice = tuple(tighter_than_noise(after))
    return Calibrated(floor, used, proposal, advice)


def _measured_on(floor: NoiseFloor, digest: str) -> str:
    runs = floor.runs - floor.unfinished - floor.alone
    return f"{runs} self-runs of {floor.fixtures} fixtures, {digest}"


def _share(floor: Floor) -> Value:
    """Write the share that crossed, rounded up: where any did, it is never 0."""
    scaled = -(-floor.crossed * _PLACES // floor.judged)
    return Decimal(scaled).scaleb(-4).normalize() if scaled else 0
