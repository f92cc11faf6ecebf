"""What a call of a tool does to the world, as the catalogue says; never as a run record says."""

from collections.abc import Collection
from dataclasses import dataclass

from agentpolicy.documents.models.tools import Tool, Tools


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The tools by name. One that is not listed is destructive and not idempotent."""

    tools: dict[str, Tool]

    def has_effect(self, name: str) -> bool:
        """Say whether a call of a tool is an effect: whatever is not plainly `read`."""
        tool = self.tools.get(name)
        return tool is None or tool.effect != "read"

    def safe_to_repeat(self, name: str) -> bool:
        """Say whether calls of a tool may change places: idempotent and not destructive."""
        tool = self.tools.get(name)
        return tool is not None and bool(tool.idempotent) and tool.effect != "destructive"

    def requires(self, name: str) -> Collection[str]:
        """Give the tools of which a successful call must come before each call of a tool."""
        tool = self.tools.get(name)
        return (tool.requires or ()) if tool is not None else ()

    def identity_args(self, name: str) -> Collection[str]:
        """Give the arguments that say what a call of a tool is about."""
        tool = self.tools.get(name)
        return (tool.identity_args or ()) if tool is not None else ()

    @property
    def requires_anything(self) -> bool:
        """Whether any tool has a prerequisite."""
        return any(tool.requires for tool in self.tools.values())


def catalogue_of(tools: Tools | None) -> Catalogue:
    """Build the catalogue; without a document every tool is destructive."""
    return Catalogue(dict(tools.tools) if tools is not None else {})
