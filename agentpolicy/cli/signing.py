"""What `sign` and `approve` share: finding the key, and saying what was signed and is missing."""

from collections.abc import Callable

from agentpolicy.admission.approvals import Examined
from agentpolicy.admission.commands import signing_command
from agentpolicy.admission.refusals import who_may
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.cli.context import say, typed_with
from agentpolicy.cli.entry import EXIT_REFUSED
from agentpolicy.gitio.repository import Repository
from agentpolicy.gitio.signing_key import default_key
from agentpolicy.order.change import DocumentChange, Operation
from agentpolicy.report.problems_text import problems_text
from agentpolicy.workflows.signing import SigningResult


def key_or_default(repository: Repository, key: str | None) -> str:
    """Take the key that was named, or git's own signing key."""
    found = key or default_key(repository)
    if not found:
        words = "no key was named, and git has no SSH key set for signing"
        raise InputError(Problem("no-key", words, typed_with("--key KEY")))
    return found


def show(
    result: SigningResult,
    nothing: str,
    kept: Callable[[str], str] = "staged {}".format,
    then: str = "",
) -> int:
    """Say what was signed and what is still missing; give the exit code.

    Args:
        result: what came of signing.
        nothing: what to say where there was nothing to sign.
        kept: says where an approval went, given its path.
        then: the command that follows, where it is another than to commit.
    """
    changes = {change.path: change for change in result.proposal.report.documents}
    for signed in result.signed:
        say(f"{signed.person} signed as {signed.role}: {', '.join(signed.documents)}")
        for path in signed.documents:
            say(f"  {path}: {_amounts_to(changes[path])}")
        say(f"  {kept(signed.path)}")
    if result.already:
        say(f"{result.person} has signed already: {', '.join(result.already)}")
    for stray in result.cleared:
        say(f"removed {stray.path}: {_why_cleared(stray)}")
    if result.problems:
        say(problems_text(result.problems))
        return EXIT_REFUSED
    if not result.signed and not result.already:
        say(nothing)
    _still_missing(result, then)
    return 0


def _why_cleared(stray: Examined) -> str:
    """Say whose approval it was, and why it counts no more."""
    why = stray.void_because or "nothing here asks for it"
    found = stray.statement
    return f"{found.person}, as {found.role}: {why}" if found else why


def _amounts_to(change: DocumentChange) -> str:
    """Say what was signed of a document: its class only where there was one before."""
    if change.operation is Operation.MODIFY:
        return f"{change.change_class}, version {change.new_version}"
    if change.operation is Operation.ADD:
        return f"new, version {change.new_version}"
    if change.operation is Operation.RATIFY:
        return "ratified as it stands"
    return "deleted" if change.operation is Operation.DELETE else "closed"


def _still_missing(result: SigningResult, then: str) -> None:
    """Say whose signatures the change still lacks, or that it can be committed."""
    paths = [change.path for change in result.proposal.report.documents]
    for need in result.missing:
        wanted = need.requirement
        say(f"still missing: {wanted.role} ({who_may(need)}): {wanted.document}")
    only = paths[0] if len(paths) == 1 else ""
    commands = [signing_command(need.requirement.role, only) for need in result.missing]
    if then and (result.signed or result.already):
        commands.insert(0, then)
    elif result.signed and not commands:
        commands = ["git commit"]
    for command in dict.fromkeys(commands):
        say(f"next: {command}")
