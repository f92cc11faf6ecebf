"""What every session of tests begins and ends with.

No example has a deadline: how long one takes says more of the machine than of the code. At the
end stands how much the laws were held against, in numbers.
"""

from collections import Counter

import pytest
from hypothesis import settings

settings.register_profile("whatever the load", deadline=None)
settings.load_profile("whatever the load")
DID = "did"
"""The property under which a test says what it did: a name, and counts, the whole first."""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Add up what the tests did, whichever worker ran them."""
    done: dict[str, Counter[str]] = {}
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name == DID and isinstance(value, dict):
                done.setdefault(value["of"], Counter()).update(value["counts"])
    if done:
        terminalreporter.section("what the laws were held against")
    for of, counts in sorted(done.items()):
        terminalreporter.write_line(f"{of}: {told(counts)}")


def told(counts: Counter[str]) -> str:
    """Write an amount, and the shares of it that are worth knowing."""
    (what, whole), *shares = counts.items()
    parts = [f"{whole:,} {what}"]
    parts += [f"{name} {100 * count / whole:.1f} %" for name, count in shares]
    return ", ".join(parts)
