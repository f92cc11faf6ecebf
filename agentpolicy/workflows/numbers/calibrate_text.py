"""Proposes a band's text threshold from pairs that people judged, or says that none parts them."""

from pathlib import Path
from typing import NamedTuple

from agentpolicy.base.canonical import digest
from agentpolicy.base.errors import InputError, Problem, UndecidedError
from agentpolicy.documents.document import Value
from agentpolicy.documents.models.band_fields import DEFAULT_SCORER
from agentpolicy.gate.text_cuts import Cuts, cuts_of
from agentpolicy.loading.judged_pairs import read_judged_pairs
from agentpolicy.workflows.numbers.proposed import Proposal, propose
from agentpolicy.workflows.numbers.sources import BandFile


class Calibrated(NamedTuple):
    """What the pairs say, and the change that follows, if any."""

    cuts: Cuts
    scorer: str
    evidence: str
    """What a band records under `calibrated_on`."""
    proposal: Proposal | None


def calibrate_text(
    path: Path, scorer: str | None, fixture_class: str | None, band: BandFile | None
) -> Calibrated:
    """Look for the threshold of a band, or of one fixture class of it.

    Raises:
        InputError: the file cannot be read, or its scores are not those of the band's scorer.
        UndecidedError: one of the two classes has no pair.
    """
    data = _read(path)
    rule = band.band.fields.text_similarity if band else None
    named = scorer or (rule.scorer if rule else None)
    pairs = read_judged_pairs(path.as_posix(), data, named)
    cuts = cuts_of(pairs)
    if cuts is None:
        words = (
            f"all {len(pairs)} pairs are judged alike, so nothing bounds a threshold"
            if pairs
            else "there is no judged pair"
        )
        hint = "judge some pairs of each kind: equivalent ones, and ones that must not pass"
        raise UndecidedError(Problem("one-class", words, hint, str(path)))
    equivalent = sum(pair.equivalent for pair in pairs)
    evidence = (
        f"{len(pairs)} judged pairs ({equivalent} equivalent, {len(pairs) - equivalent} not), "
        f"{digest(data)}"
    )
    used = named or DEFAULT_SCORER
    if cuts.proposed is None:
        return Calibrated(cuts, used, evidence, None)
    way = ("fields", "text_similarity")
    threshold: Value = cuts.proposed.threshold
    target = (*way, "classes", fixture_class) if fixture_class else (*way, "threshold")
    edits: dict[tuple[str, ...], Value | None] = {target: threshold}
    if used != (rule.scorer or DEFAULT_SCORER if rule else DEFAULT_SCORER):
        edits[*way, "scorer"] = used
    if not fixture_class:
        edits[*way, "calibrated_on"] = evidence
    return Calibrated(cuts, used, evidence, propose(edits, band.document if band else None))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        words = f"it cannot be read: {error.strerror}"
        raise InputError(Problem("no-such-file", words, f"ls {path.parent}", str(path))) from error
