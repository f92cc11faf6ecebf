"""Flagged sessions, as a page and as JSON: a sentence for each."""

from collections.abc import Iterator, Sequence
from typing import Any

from agentpolicy.gate.drift import Alert
from agentpolicy.report.words import counted

FORMAT_VERSION = 1


def drift_text(usual: int, tried: int, alerts: Sequence[Alert]) -> str:
    """Write what was flagged as a page, ending in a newline."""
    return "\n".join(_lines(usual, tried, alerts)) + "\n"


def _lines(usual: int, tried: int, alerts: Sequence[Alert]) -> Iterator[str]:
    flagged = {alert.session.run_id for alert in alerts if alert.session is not None}
    yield (
        f"{len(flagged)} of {counted(tried, 'session')} flagged, "
        f"against {counted(usual, 'usual one', 'usual ones')}"
    )
    for alert in alerts:
        if alert.session is not None:
            yield f"  {alert.why}"
    about = [alert.why for alert in alerts if alert.session is None]
    if about:
        yield ""
    yield from (f"note: {why}" for why in about)


def drift_json(usual: int, tried: int, alerts: Sequence[Alert]) -> dict[str, Any]:
    """Write what was flagged for programs."""
    flagged = {alert.session.run_id for alert in alerts if alert.session is not None}
    return {
        "format_version": FORMAT_VERSION,
        "usual_sessions": usual,
        "sessions": tried,
        "flagged": len(flagged),
        "alerts": [_alert(alert) for alert in alerts if alert.session is not None],
        "notes": [_about(alert) for alert in alerts if alert.session is None],
    }


def _alert(alert: Alert) -> dict[str, Any]:
    assert alert.session is not None
    return {
        "run_id": alert.session.run_id,
        "fixture_id": alert.session.fixture_id,
        "attempt": alert.session.attempt,
        **_about(alert),
    }


def _about(alert: Alert) -> dict[str, Any]:
    return {
        "field": alert.field,
        "metric": alert.metric,
        "session_class": alert.session_class or None,
        "measured": alert.measured,
        "limit": alert.limit,
        "why": alert.why,
    }
