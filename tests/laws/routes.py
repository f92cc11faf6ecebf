"""Sequences of tool calls, written in words: what is called, and what came of it."""

from collections.abc import Callable
from typing import Any

from agentpolicy.runs.record import ToolCall

TOOLS_WITH_EFFECT = ("fetch", "write", "write!", "unlisted")
ROUTES = (
    "search fetch", "search fetch", "fetch search", "search fetch>", "fetch search>",
    "search fetch write", "write search fetch", "search search fetch", "fetch search search",
    "search! search~ fetch", "fetch search! search~", "fetch", "search! fetch", "write",
)  # fmt: skip
"""Marks behind a tool: `!` it failed, `~` it retries the call before, `>` it depends on that."""


def called(route: str, arguments: Callable[[], Any] = dict) -> tuple[ToolCall, ...]:
    """Read a route; only marked routes have ids for calls to name."""
    words = route.split()
    named = any(word[-1] in "~>" for word in words)
    return tuple(
        ToolCall(
            word.rstrip("!~>"),
            arguments(),
            "error" if "!" in word else "ok",
            call_id=f"id-{index}" if named else None,
            depends_on=(f"id-{index - 1}",) if ">" in word else (),
            retry_of=f"id-{index - 1}" if "~" in word else None,
        )
        for index, word in enumerate(words)
    )
