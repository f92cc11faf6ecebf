"""What other decisions may rely on from the log: the gate's verdicts, and how late it is.

Only what the gate signed counts here. Anybody else with a listed key can record what they judged,
and must move neither a waiver nor the clock with it.
"""

from collections.abc import Iterable

from agentpolicy.base.instant import Instant
from agentpolicy.provenance.log import LoggedRecord
from agentpolicy.provenance.query import verdicts_in

TOLERANCE = 300
"""Seconds by which the clocks of two writers may differ."""


def gate_signed_verdicts(records: Iterable[LoggedRecord]) -> frozenset[str]:
    """Give the digests of the verdicts that the gate signed under the policy in force.

    The caller decides what an incomplete log is worth: a digest that is not here may be in a
    record that could not be read.
    """
    return frozenset(
        found.verdict
        for found in verdicts_in(records)
        if found.logged.by_gate and found.statement.policy.state == "in_force"
    )


def misdated(records: Iterable[LoggedRecord]) -> frozenset[str]:
    """Give the digests of the verdicts dated well after something the gate recorded later.

    They are from a wrong clock, and admit no release.
    """
    found: set[str] = set()
    earliest_later: Instant | None = None
    for logged in reversed(tuple(records)):
        if logged.verdict is None or not logged.by_gate:
            continue
        at = logged.verdict.evaluated_at
        if earliest_later is not None and at > earliest_later + TOLERANCE:
            found.add(logged.verdict.digest)
        earliest_later = at if earliest_later is None else min(earliest_later, at)
    return frozenset(found)


def newest_instant(records: Iterable[LoggedRecord]) -> Instant | None:
    """Give the newest instant the gate recorded; None where it recorded none.

    A record dated more than `TOLERANCE` after a later one is from a wrong clock, and is passed
    over: it must not set the clock of everybody else.
    """
    instants = [
        logged.verdict.evaluated_at for logged in records if logged.verdict and logged.by_gate
    ]
    newest, earliest_later = None, None
    for instant in reversed(instants):
        if earliest_later is None or instant <= earliest_later + TOLERANCE:
            newest = instant if newest is None else max(newest, instant)
        earliest_later = instant if earliest_later is None else min(earliest_later, instant)
    return newest
