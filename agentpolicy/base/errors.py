"""What can keep agentpolicy from deciding, and the one shape every complaint takes.

A refusal is a result (an `Admission`, a `Verdict`); an exception means "could not decide".
Both carry `Problem`s, so that hooks, JSON and the terminal say the same words.
"""

from typing import ClassVar

from agentpolicy.base.source import Position
from agentpolicy.base.values import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, why, and what to type next."""

    code: str
    """Stable, kebab-case, never reused: `duplicate-key`, `approval-missing`, …"""
    message: str
    """One sentence: the offending text and why it is refused."""
    hint: str = ""
    """The next command to type, or the edit to make."""
    document: str = ""
    """Path of the policy document or file this is about; empty when about the whole."""
    position: Position | None = None

    def __str__(self) -> str:
        """Write `file:line:col: message [code]`, with the hint on a line of its own."""
        where = str(self.position) if self.position else self.document
        text = (
            f"{where}: {self.message} [{self.code}]" if where else f"{self.message} [{self.code}]"
        )
        return f"{text}\n  next: {self.hint}" if self.hint else text


class AgentPolicyError(Exception):
    """The question could not be decided; `problems` say why. Every hook blocks on it."""

    exit_code: ClassVar[int] = 3

    def __init__(self, *problems: Problem) -> None:
        """Carry every problem found, in the order of the files."""
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


class InputError(AgentPolicyError):
    """Wrong usage, or input that cannot be read."""

    exit_code: ClassVar[int] = 2


class UndecidedError(AgentPolicyError):
    """Readable, but not enough to answer: missing history, no pin, inadmissible policy."""

    exit_code: ClassVar[int] = 3
