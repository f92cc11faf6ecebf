"""Who is touched when a tool is called more harmless than before: every document that names it."""

from collections.abc import Iterator, Mapping

from agentpolicy.base.errors import Problem
from agentpolicy.documents.document import DocumentKind, Snapshot, Value
from agentpolicy.order.change import DocumentChange, Effect


def users_of_loosened_tools(change: DocumentChange, new: Snapshot) -> Iterator[Problem]:
    """Name, for each tool with a loosened entry, the documents that speak of it."""
    if change.new is None:
        return
    loosened = (
        finding.pointer
        for finding in change.findings
        if finding.effect in {Effect.LOOSER, Effect.INCOMPARABLE}
    )
    for tool in sorted({_tool(pointer) for pointer in loosened} - {""}):
        users = sorted(
            document.path
            for document in new.documents.values()
            if document.kind is not DocumentKind.TOOLS and _names(document.tree, tool)
        )
        yield Problem(
            "tool-users",
            f"{tool} counts for every agent; it is named in: {', '.join(users) or 'no document'}",
            "ask their owners as well",
            change.path,
            change.new.positions.get(f"/tools/{_escaped(tool)}"),
        )


def _tool(pointer: str) -> str:
    """Give the tool that a finding in the catalogue is about; nothing where it is about none."""
    parts = pointer.split("/")
    return parts[2].replace("~1", "/").replace("~0", "~") if parts[1:2] == ["tools"] else ""


def _escaped(tool: str) -> str:
    return tool.replace("~", "~0").replace("/", "~1")


def _names(value: Value, tool: str) -> bool:
    """Say whether a document names a tool, as a key or as an item of a list."""
    if isinstance(value, Mapping):
        return tool in value or any(_names(below, tool) for below in value.values())
    if isinstance(value, tuple):
        return any(item == tool or _names(item, tool) for item in value)
    return False
