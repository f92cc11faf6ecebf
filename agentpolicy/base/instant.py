"""Instants and dates. An instant is whole seconds since 1970 UTC; the clock is passed in."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import NewType

Instant = NewType("Instant", int)
"""Whole seconds since 1970-01-01T00:00:00Z."""

Clock = Callable[[], Instant]
"""Asks for the present instant. Only the command line holds the real one."""

DAY = 86_400
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


def parse_date(text: str) -> date:
    """Read a plain `YYYY-MM-DD` of the real calendar.

    Raises:
        ValueError: another spelling, or a day that does not exist.
    """
    if not _DATE.fullmatch(text):
        raise ValueError(f"{text!r} is not a date such as 2026-03-31")
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is no day of the calendar: {error}") from error


def parse_instant(text: str) -> Instant:
    """Read `YYYY-MM-DDTHH:MM:SSZ`, or a date as its first second.

    Raises:
        ValueError: another spelling, or an instant that does not exist.
    """
    if _DATE.fullmatch(text):
        return start_of(parse_date(text))
    if not _INSTANT.fullmatch(text):
        raise ValueError(f"{text!r} is not an instant such as 2026-03-31T12:00:00Z")
    try:
        return Instant(int(datetime.fromisoformat(text).timestamp()))
    except ValueError as error:
        raise ValueError(f"{text!r} is no instant that exists: {error}") from error


def format_instant(at: Instant) -> str:
    """Write an instant as `YYYY-MM-DDTHH:MM:SSZ`."""
    return datetime.fromtimestamp(at, UTC).isoformat()[:19] + "Z"


def start_of(day: date) -> Instant:
    """Give the first second of a day, in UTC."""
    return Instant(int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()))


def end_of(day: date) -> Instant:
    """Give the first second after a day, in UTC: what holds `through` the day ends here."""
    return Instant(start_of(day) + DAY)  # not a day later: the last day of all has none


def day_of(at: Instant) -> date:
    """Give the UTC calendar day an instant falls on."""
    return datetime.fromtimestamp(at, UTC).date()
