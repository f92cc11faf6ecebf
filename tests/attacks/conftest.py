"""Collects the `attack` markers, and prints after a run what became of each row."""

from collections import defaultdict

import pytest
from tests.attacks.table import NOT_YET, ROADS, ROWS

PROPERTY = "attack"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Hang each test's rows and roads onto its report, which also crosses processes."""
    for item in items:
        for mark in item.iter_markers("attack"):
            row, *roads = mark.args
            if mark.kwargs or row not in ROWS or not roads or not set(roads) <= set(ROADS):
                raise pytest.UsageError(f"{item.nodeid}: no such attack or road: {mark}")
            item.user_properties.append((PROPERTY, (row, *roads)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print id, roads and result of the rows that were tried, and name those that were not."""
    roads: dict[str, set[str]] = defaultdict(set)
    failed: set[str] = set()
    for outcome in ("passed", "failed", "error"):
        for report in terminalreporter.stats.get(outcome, []):
            for name, value in getattr(report, "user_properties", ()):
                if name == PROPERTY:
                    row, *tried = value
                    roads[row].update(tried)
                    failed.update({row} if outcome != "passed" else ())
    if roads:
        terminalreporter.section("attacks")
        for row in ROWS:
            result = _result(row, tried=row in roads, broken=row in failed)
            by = " ".join(road for road in ROADS if road in roads[row])
            terminalreporter.write_line(f"{row:<4}{ROWS[row]:<63}{by:<42} {result}".rstrip())


def _result(row: str, *, tried: bool, broken: bool) -> str:
    if tried:
        return "DID NOT HOLD" if broken else "held"
    return f"not yet: {NOT_YET[row]}" if row in NOT_YET else "not tried"
