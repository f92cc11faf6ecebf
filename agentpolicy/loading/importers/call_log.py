"""Calls in the order of a run, each with the result that answers it."""

import json
from typing import Any

import msgspec

from agentpolicy.runs.record import ToolCall, exact_number


class CallLog:
    """Gathers the calls of one run.

    Ids repeat within a run, often for another tool, so that a lookup by id alone mixes results
    up: a result answers the nearest earlier unanswered call of its id.
    """

    def __init__(self) -> None:
        """Begin without a call."""
        self._calls: list[ToolCall] = []
        self._unanswered: dict[str, list[int]] = {}

    def __len__(self) -> int:
        """Count the calls."""
        return len(self._calls)

    def asked(self, call: ToolCall) -> None:
        """Add a call, which a later result with its id may answer."""
        if call.call_id is not None:
            self._unanswered.setdefault(call.call_id, []).append(len(self._calls))
        self._calls.append(call)

    def answered(self, call_id: str | None, result: object, status: str) -> bool:
        """Give a result to its call; False where it answers none."""
        waiting = self._unanswered.get(call_id or "")
        if not waiting:
            return False
        place = waiting.pop()
        self._calls[place] = msgspec.structs.replace(
            self._calls[place], status=status, result=result
        )
        return True

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """All calls so far, in order."""
        return tuple(self._calls)


def arguments_of(text: str) -> dict[str, Any] | str:
    """Read the arguments' JSON text; text that is no object stays the text it is."""
    try:
        value = json.loads(text, parse_float=exact_number)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text
