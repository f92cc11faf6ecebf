"""What `sign` and `approve` share: finding the key, and saying what was signed."""

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.cli.context import say
from agentpolicy.cli.entry import EXIT_REFUSED
from agentpolicy.gitio.repository import Repository
from agentpolicy.gitio.signing import default_key
from agentpolicy.report.problems_text import problems_text
from agentpolicy.workflows.sign import SigningResult


def key_or_default(repository: Repository, key: str | None) -> str:
    """Take the key that was named, or git's own signing key."""
    found = key or default_key(
        {name: repository.config(name) or "" for name in ("gpg.format", "user.signingKey")}
    )
    if not found:
        raise InputError(
            Problem("no-key", "no key was named, and git has none set for signing", "--key KEY")
        )
    return found


def show(result: SigningResult) -> int:
    """Say what was signed and what was left to others; give the exit code."""
    for signed in result.signed:
        say(f"{signed.person} signed as {signed.role}: {', '.join(signed.documents)}")
        changes = {change.path: change for change in result.proposal.report.documents}
        for path in signed.documents:
            say(f"  {path}: {changes[path].change_class}, version {changes[path].new_version}")
        say(f"  staged {signed.path}")
    for path in result.left:
        say(f"not signed: {path}")
    if result.problems:
        say(problems_text(result.problems))
    if not result.signed and not result.problems:
        say("nothing to sign")
    return EXIT_REFUSED if result.problems else 0
