"""Problems for people: what is wrong, each on a line, then every next command once."""

from collections.abc import Sequence
from dataclasses import replace

from agentpolicy.base.errors import Problem


def problems_text(problems: Sequence[Problem]) -> str:
    """Write problems in their order, and below them the commands to type, without repeats."""
    lines = [str(replace(problem, hint="")) for problem in problems]
    hints = dict.fromkeys(problem.hint for problem in problems if problem.hint)
    return "\n".join([*lines, *(f"next: {hint}" for hint in hints)])
