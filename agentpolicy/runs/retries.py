"""Retries, as the record states them; equal names of two calls never make one."""

from collections.abc import Sequence

from agentpolicy.runs.record import ToolCall


def without_retried(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """Leave out each failed call that a later call of the same tool says it is a retry of.

    A call without a status, or that another call depends on, is never left out.
    """
    if not any(call.retry_of is not None for call in calls):
        return tuple(calls)
    needed = {name for call in calls for name in call.depends_on}
    latest: dict[str, int] = {}
    retried: set[int] = set()
    for index, call in enumerate(calls):
        before = None if call.retry_of is None else latest.get(call.retry_of)
        if before is not None and _failed(calls[before], call.name, needed):
            retried.add(before)
        for name in (call.call_id, call.attempt_id):
            if name is not None:
                latest[name] = index
    return tuple(call for index, call in enumerate(calls) if index not in retried)


def _failed(call: ToolCall, name: str, needed: set[str]) -> bool:
    """Say whether a call of this tool is known to have failed and nothing builds on it."""
    done = call.status is None or call.status == "ok"
    return call.name == name and not done and call.call_id not in needed
