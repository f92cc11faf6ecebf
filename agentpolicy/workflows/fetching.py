"""What to type where something is not here: fetch it, or without a remote look at what there is."""

from agentpolicy.base.errors import AgentPolicyError, Problem
from agentpolicy.gitio import refs
from agentpolicy.gitio.repository import Repository, text_of


def remote_of(repository: Repository) -> str | None:
    """Give the remote to fetch from: `origin`, or the first; None where there is none.

    Raises:
        UndecidedError: git cannot read its configuration.
    """
    remotes = text_of(repository.run("remote")).splitlines()
    return "origin" if "origin" in remotes else next(iter(remotes), None)


def commit_named(repository: Repository, name: str) -> str:
    """Give the commit that a person's word names, or say where to look for it.

    Raises:
        InputError: the word means nothing here.
        UndecidedError: it is an id of something this clone does not hold.
    """
    try:
        return refs.commit_named(repository, name)
    except AgentPolicyError as error:
        remote = remote_of(repository)
        hint = f"git fetch {remote}" if remote else "git log --oneline --all"
        words = f"{name!r} names no commit here"
        raise type(error)(Problem("unknown-commit", words, hint)) from error
