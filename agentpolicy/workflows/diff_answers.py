"""Finds out whether `diff` has answered this very question before: for advice, never to decide."""

import json
from collections.abc import Sequence

from agentpolicy.base.canonical import digest
from agentpolicy.base.instant import Instant, day_of
from agentpolicy.gitio.answer_memory import AnswerMemory
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.repository import Repository
from agentpolicy.loading.reading_digest import answering_digest
from agentpolicy.workflows.fetching import commit_named


def answers_about(
    repository: Repository, base: str, target: str, at: Instant, shown: Sequence[str]
) -> AnswerMemory:
    """Name the question: two commits, as typed, with all that is in them, the day, and how to show.

    The whole trees stand for the policies and the guarded files, whose list they hold themselves.
    Waivers end with a day, so the time of day is not asked for.
    """
    with Objects(repository) as objects:
        trees = [objects.commit(commit_named(repository, name)).tree for name in (base, target)]
    asked = [answering_digest(), base, target, *trees, str(day_of(at)), *shown]
    return AnswerMemory(repository, digest(json.dumps(asked).encode()).removeprefix("sha256:"))
