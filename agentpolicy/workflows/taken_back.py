"""Names the commit to take back where git's own revert removed the approval it landed with."""

from collections.abc import Iterable

from agentpolicy.admission.documents import REVERTED
from agentpolicy.base.errors import Problem
from agentpolicy.base.values import replace
from agentpolicy.gitio.repository import Repository, text_of


def naming_commits(
    repository: Repository, problems: Iterable[Problem], tip: str | None
) -> tuple[Problem, ...]:
    """Put the commit into the commands that ask for one, found along `tip`'s first parents."""
    return tuple(_named(repository, problem, tip) for problem in problems)


def _named(repository: Repository, problem: Problem, tip: str | None) -> Problem:
    if problem.code != REVERTED or tip is None:
        return problem
    along = ("rev-list", "--first-parent", "--reverse", tip, "--", problem.document)
    code, out = repository.try_run(*along)
    commits = text_of(out).split()
    if code or not commits:
        return problem
    return replace(problem, hint=problem.hint.replace("COMMIT", commits[0][:12]))
