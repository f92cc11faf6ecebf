"""Problems for people: what is wrong, each on a line, then every next command once."""

import re
from collections.abc import Sequence

from agentpolicy.base.errors import Problem
from agentpolicy.base.values import replace


def problems_text(problems: Sequence[Problem]) -> str:
    """Write problems in their order, and below them the commands to type, without repeats."""
    hints = dict.fromkeys(problem.hint for problem in problems if problem.hint)
    return "\n".join([*map(_line, problems), *(f"next: {hint}" for hint in hints)])


def _line(problem: Problem) -> str:
    """Write one problem without its hint; a path that the sentence names leads it not again."""
    named = problem.position is None and _names(problem.message, problem.document)
    return str(replace(problem, hint="", document="" if named else problem.document))


def _names(sentence: str, path: str) -> bool:
    return re.search(rf"(?<![\w./-]){re.escape(path)}(?![\w/-])", sentence) is not None
