"""The limits of a runtime guard: as JSON that `agentpolicy.RuntimeGuard` reads, and as a page."""

from collections.abc import Iterator, Mapping
from typing import Any

from agentpolicy.base.numbers import plain
from agentpolicy.gate.guard_limits import WHOLE, GuardLimits
from agentpolicy.report.words import table

FORMAT_VERSION = 1


def guard_json(found: GuardLimits, policy: Mapping[str, Any]) -> dict[str, Any]:
    """Write the limits for the guard: counts as integers, money as text."""
    return {
        "format_version": FORMAT_VERSION,
        "policy": dict(policy),
        "limits": {
            one.name: int(one.limit) if one.name in WHOLE else one.text for one in found.ceilings
        },
        "derived": [one.name for one in found.ceilings if not one.declared],
        "unguarded": list(found.unguarded),
    }


def guard_text(found: GuardLimits, name: str) -> str:
    """Write the limits as a page, ending in a newline."""
    return "\n".join(_lines(found, name)) + "\n"


def _lines(found: GuardLimits, name: str) -> Iterator[str]:
    yield f"runtime guard of {name}"
    yield ""
    rows = [
        (
            one.name,
            one.text,
            "-" if one.hard is None else plain(one.hard),
            "the budget" if one.declared else "the headroom",
        )
        for one in found.ceilings
    ]
    yield from table(("stops a run above", "limit", "the gate refuses above", "said by"), rows)
    for gap in found.unguarded:
        yield f"nothing stops a run by its {gap}: write runtime_guard.{gap} into the budget"
