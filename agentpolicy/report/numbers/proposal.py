"""How a proposed change is told beside its evidence."""

from collections.abc import Sequence
from typing import Any, Protocol

from agentpolicy.order.change import ChangeClass


class Proposed(Protocol):
    """A change that somebody may sign."""

    @property
    def yaml(self) -> str:
        """The whole file, or the lines to write."""

    @property
    def change_class(self) -> ChangeClass | None:
        """How the change is classed against the file as it is."""

    @property
    def path(self) -> str:
        """The file it changes, if one was given."""

    @property
    def changes(self) -> Sequence[str]:
        """The lines of the file that change."""


def proposal_lines(proposal: Proposed) -> tuple[str, ...]:
    """Write the change as lines to copy; of a file only what would change in it."""
    if proposal.change_class is None:
        return ("proposed, for a person to sign:", "", *proposal.yaml.splitlines())
    if not proposal.changes:
        return (f"{proposal.path} says so already",)
    head = f"proposed for {proposal.path}, {proposal.change_class}, for a person to sign:"
    return (head, "", *proposal.changes)


def proposal_json(proposal: Proposed | None) -> dict[str, Any] | None:
    """Write the change for programs."""
    if proposal is None:
        return None
    return {
        "path": proposal.path or None,
        "class": None if proposal.change_class is None else str(proposal.change_class),
        "yaml": proposal.yaml,
    }
