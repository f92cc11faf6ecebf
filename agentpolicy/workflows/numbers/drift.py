"""Holds sessions against a window of usual ones."""

from typing import NamedTuple

from agentpolicy.documents.models.band import Drift
from agentpolicy.gate.drift import TOO_FEW, Alert, alerts
from agentpolicy.workflows.numbers.sources import BandFile
from agentpolicy.workflows.run_files import RunFiles

METRICS = 4
"""Input tokens, output tokens, duration and tool calls."""


class Watched(NamedTuple):
    """What was flagged, and among how many sessions."""

    usual: int
    tried: int
    alerts: tuple[Alert, ...]

    @property
    def can_tell(self) -> bool:
        """Whether the usual sessions are enough for any metric of any class of session."""
        classes = {alert.session_class for alert in self.alerts if alert.field == TOO_FEW}
        too_few = sum(alert.field == TOO_FEW for alert in self.alerts)
        return not classes or too_few < METRICS * len(classes)


def watch(baseline: RunFiles, candidate: RunFiles, band: BandFile | None, typed: Drift) -> Watched:
    """Flag sessions by the band's drift rules; what was typed stands in their place.

    Raises:
        InputError: a file is not there or cannot be read.
        UndecidedError: there is no session.
    """
    written = band.band.drift if band and band.band.drift else Drift()
    rules = written.model_copy(update=typed.model_dump(exclude_none=True))
    usual, tried = baseline.read()[0].records, candidate.read()[0].records
    return Watched(
        sum(run.finished for run in usual),
        sum(run.finished for run in tried),
        tuple(alerts(rules, usual, tried)),
    )
