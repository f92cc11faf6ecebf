"""Evidence that tells two states of the tool catalogue apart, under a budget or under a band."""

from collections.abc import Iterator, Mapping
from decimal import Decimal

from agentpolicy.order.change import Finding
from agentpolicy.order.witness_band import arguments_that_differ, exchanged, safe_tools
from agentpolicy.order.witness_budget import plain_run
from agentpolicy.order.witness_evidence import Evidence, Question, Sides, Tree
from agentpolicy.order.witness_scene import Scene, call, calls_up_to, release


def under_budget(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """A run that calls a tool whose calls were an effect."""
    if finding.rule == "tools/effect":
        tool = _tool(finding)
        run = plain_run(sides, {"tool_calls": [call(tool)]})
        yield Evidence(f"a run that calls {tool}", Question.OUTCOME, (run,))


def under_band(finding: Finding, sides: Sides) -> Iterator[Evidence]:
    """A release that only the new catalogue lets a band accept."""
    tool = _tool(finding)
    if finding.rule == "tools/requires":
        yield from _without_a_prerequisite(finding, sides, tool)
    elif finding.rule == "tools/identity-args":
        for name in sorted(_names(sides.old_tools, finding) - _names(sides.new_tools, finding)):
            yield from arguments_that_differ(sides, tool, name, [Decimal(0), Decimal(1)])
    elif finding.rule in ("tools/effect", "tools/idempotent"):
        for other in safe_tools(sides):
            if other != tool:
                yield exchanged(sides, tool, other)


def _without_a_prerequisite(finding: Finding, sides: Sides, tool: str) -> Iterator[Evidence]:
    for name in sorted(_names(sides.old_tools, finding) - _names(sides.new_tools, finding)):
        run = {"tool_calls": calls_up_to(sides, call(tool), without=name)}
        yield release(
            sides, f"a run that calls {tool} without {name} before", Scene((run,), (run,))
        )


def stand_ins(finding: Finding) -> tuple[Tree, Tree]:
    """Give a budget and a band that forbid nothing else, for where no document reads a tool."""
    budget: Tree = {
        "task_type": "any",
        "variant": "any",
        "budget": {"allowed_effects": ()},
        "gate": {"per_run": "hard breach fails the run"},
    }
    fields: dict[str, Tree | str] = {"tool_order": "same_unless_idempotent"}
    if finding.rule == "tools/identity-args":
        names = [*_written(finding.old), *_written(finding.new)]
        fields["arguments"] = {_tool(finding): dict.fromkeys(names, "ignored")}
    return budget, {"band_version": 1, "fields": fields}


def _tool(finding: Finding) -> str:
    return finding.pointer.split("/")[2].replace("~1", "/").replace("~0", "~")


def _names(tools: Tree, finding: Finding) -> set[str]:
    entry = tools.get(_tool(finding))
    listed = entry.get(finding.pointer.rsplit("/", 1)[1]) if isinstance(entry, Mapping) else None
    return {str(name) for name in listed} if isinstance(listed, tuple) else set()


def _written(text: str | None) -> list[str]:
    """Read the names back out of a set as findings show it."""
    return [name.strip('" ') for name in (text or "").strip("[]").split(",") if name.strip('" ')]
