"""What `diff` has to show, before anybody chose a format."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agentpolicy.base.errors import Problem
from agentpolicy.order.change import ChangeReport, Effect, Finding, Operation
from agentpolicy.order.witness_evidence import Witness

WEIGHT: Sequence[Effect] = (
    Effect.LOOSER,
    Effect.INCOMPARABLE,
    Effect.UNKNOWN,
    Effect.ROOT,
    Effect.TIGHTER,
    Effect.NEUTRAL,
    Effect.RECORD,
)
"""Effects in the order a reviewer wants them: what needs a second person first."""


@dataclass(frozen=True, slots=True)
class NeededApproval:
    """A role that must sign the change of one document."""

    document: str
    role: str
    people: tuple[str, ...] = ()
    """Who may, by name; empty where no roles could be read."""
    count: int = 1
    """How many different people must."""


@dataclass(frozen=True, slots=True)
class DiffView:
    """A classed change, whom it needs, and what to type next."""

    report: ChangeReport
    needed: tuple[NeededApproval, ...] = ()
    """By document, in the order they are asked for."""
    next_commands: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    """What would keep the change from landing whoever signs it."""
    witnesses: Mapping[Finding, Witness] = field(default_factory=dict)
    """What the gate refused before and accepts now, by the finding it makes plain."""
    advice: tuple[Problem, ...] = ()
    """What is worth a thought and keeps nothing from landing."""

    @property
    def roles_needed(self) -> tuple[str, ...]:
        """Give the roles that must sign anything at all, sorted."""
        return tuple(sorted({needed.role for needed in self.needed}))

    @property
    def ratified(self) -> tuple[str, ...]:
        """Give the documents that stay as they are and are approved anew, by path."""
        documents = self.report.documents
        return tuple(one.path for one in documents if one.operation is Operation.RATIFY)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Give the findings, heaviest effect first and by place among equals."""
        return tuple(sorted(self.report.findings, key=lambda found: WEIGHT.index(found.effect)))

    @property
    def fields(self) -> int:
        """Count the leaves that were compared in changed documents."""
        return sum(change.fields for change in self.report.documents)

    @property
    def fields_unchanged(self) -> int:
        """Count those of them that say the same as before."""
        return self.fields - sum(1 for found in self.report.findings if found.pointer)
