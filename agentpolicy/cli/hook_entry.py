"""Answers git's hooks. Imports only what a hook needs."""

import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from agentpolicy.base.instant import Instant
from agentpolicy.gitio.hook_input import parse_pre_push, parse_pre_receive
from agentpolicy.gitio.repository import Repository, open_repository
from agentpolicy.report.problems_text import problems_text
from agentpolicy.workflows.hook import HookAnswer, before_commit, before_refs_move


def answer(name: str) -> int:
    """Let one hook decide; say on standard error what blocks and what is missing."""
    repository = open_repository(Path.cwd(), os.environ)
    decided = HOOKS[name](repository, Instant(int(time.time())))  # noqa: TID251 - the real clock
    if decided.notes:
        print("still missing before this can land:", file=sys.stderr)
        print(problems_text(decided.notes), file=sys.stderr)
    if decided.problems:
        print(f"agentpolicy: {name} refuses this; nothing was changed", file=sys.stderr)
        print(problems_text(decided.problems), file=sys.stderr)
    return 1 if decided.problems else 0


def _push(repository: Repository, at: Instant) -> HookAnswer:
    updates = parse_pre_push(sys.stdin.buffer.read())
    return before_refs_move(repository, updates, at, receiving=False)


def _receive(repository: Repository, at: Instant) -> HookAnswer:
    updates = parse_pre_receive(sys.stdin.buffer.read())
    return before_refs_move(repository, updates, at, receiving=True)


HOOKS: Mapping[str, Callable[[Repository, Instant], HookAnswer]] = {
    "pre-commit": before_commit,
    "pre-merge-commit": before_commit,
    "pre-push": _push,
    "pre-receive": _receive,
}
