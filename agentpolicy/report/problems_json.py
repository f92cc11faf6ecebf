"""Problems as JSON that other programs may rely on (DESIGN section 11)."""

from collections.abc import Iterable

from agentpolicy.base.errors import Problem


def problems_json(problems: Iterable[Problem]) -> list[dict[str, object]]:
    """Write problems in the published shape, with their place where one is known."""
    return [
        {
            "code": problem.code,
            "document": problem.document,
            "message": problem.message,
            "hint": problem.hint,
            "location": None
            if problem.position is None
            else {
                "path": problem.position.path,
                "line": problem.position.line,
                "column": problem.position.column,
            },
        }
        for problem in problems
    ]
