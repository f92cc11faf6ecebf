"""Is a band tighter than the noise floor it records? Then it fires on runs of one version."""

from collections.abc import Iterator, Mapping
from decimal import Decimal

from agentpolicy.base.errors import Problem
from agentpolicy.base.numbers import plain
from agentpolicy.documents.document import Document, Value
from agentpolicy.documents.models.band_fields import DEFAULT_SCORER
from agentpolicy.order.walk import step, value_at
from agentpolicy.order.witness_evidence import number

_CEILINGS: Mapping[str, str] = {
    "token_ratio.max": "/fields/token_ratio/max",
    "tool_calls_ratio": "/fields/tool_calls_ratio",
    "latency_ms_p50.fail": "/fields/latency_ms_p50/fail",
    "latency_ms_p95": "/fields/latency_ms_p95",
}
_LEVELS: Mapping[str, str] = {"tool_order": "exact", "facts": "off", "required_keys": ""}
"""Fields with levels, and the level that an absent one has."""
_TEXT = "/fields/text_similarity"
_HINT = "no band should be tighter than its noise: loosen it, or measure anew: {}"
_MEASURE = "agentpolicy calibrate noise FILE --band {}"


def tighter_than_noise(band: Document) -> Iterator[Problem]:
    """Compare every limit of a band with the floor recorded for it."""
    recorded = value_at(band.tree, "/noise_floor/fields")
    if not isinstance(recorded, Mapping):
        return
    floor = {
        name: exact for name, value in recorded.items() if (exact := number(value)) is not None
    }
    yield from _texts(band, floor.get("text_similarity.threshold"))
    least = number(value_at(band.tree, "/fields/token_ratio/min"))
    if least is not None and least > floor.get("token_ratio.min", least):
        yield _tighter(band, "/fields/token_ratio/min", least, floor["token_ratio.min"])
    for name, pointer in _CEILINGS.items():
        limit = number(value_at(band.tree, pointer))
        if limit is not None and limit < floor.get(name, limit):
            yield _tighter(band, pointer, limit, floor[name])
    yield from _levels(band, floor)


def _texts(band: Document, floor: Decimal | None) -> Iterator[Problem]:
    """Compare the thresholds, where the floor was measured by the scorer they are meant for."""
    if floor is None or value_at(band.tree, _TEXT) is None:
        return
    scorer = value_at(band.tree, f"{_TEXT}/scorer") or DEFAULT_SCORER
    measured_by = value_at(band.tree, "/noise_floor/scorer") or DEFAULT_SCORER
    if scorer != measured_by:
        words = f"the noise floor was measured by {measured_by}, the band's scorer is {scorer}"
        yield _problem(band, "/noise_floor/scorer", words)
        return
    classes = value_at(band.tree, f"{_TEXT}/classes")
    names = sorted(classes) if isinstance(classes, Mapping) else []
    for pointer in (f"{_TEXT}/threshold", *(f"{_TEXT}/classes{step(name)}" for name in names)):
        threshold = number(value_at(band.tree, pointer))
        if threshold is not None and threshold > floor:
            yield _tighter(band, pointer, threshold, floor)


def _levels(band: Document, floor: Mapping[str, Decimal]) -> Iterator[Problem]:
    for field, absent in _LEVELS.items():
        pointer = f"/fields/{field}"
        level: Value = value_at(band.tree, pointer) or absent
        crossed = floor.get(f"{field}.{level}", Decimal(0))
        if crossed > 0:
            words = (
                f"{field} {level} is tighter than the noise floor: a share of {plain(crossed)} of "
                "the runs of one version cross it"
            )
            yield _problem(band, pointer, words)


def _tighter(band: Document, pointer: str, limit: Decimal, floor: Decimal) -> Problem:
    name = pointer.removeprefix("/fields/").replace("/", ".")
    words = f"{name} {plain(limit)} is tighter than the noise floor {plain(floor)}"
    return _problem(band, pointer, words)


def _problem(band: Document, pointer: str, words: str) -> Problem:
    place = band.positions.get(pointer) or band.positions.get("/noise_floor")
    return Problem(
        "tighter-than-noise", words, _HINT.format(_MEASURE.format(band.path)), band.path, place
    )
