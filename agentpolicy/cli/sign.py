"""`sign`: puts the signer's name under their own change."""

import os

import click

from agentpolicy.cli.context import governed_paths, now, repository_here, say
from agentpolicy.cli.entry import EXIT_REFUSED
from agentpolicy.cli.signing import key_or_default, show
from agentpolicy.gitio.repository import Repository
from agentpolicy.gitio.signing import load_signer
from agentpolicy.report.problems_text import problems_text
from agentpolicy.trust.envelope import Signer
from agentpolicy.workflows.sign import sign, sign_again

_NOTHING = "nothing to sign: nothing that changed needs an owner or proposer"


@click.command("sign")
@click.argument("paths", nargs=-1)
@click.option("--key", metavar="KEY", help="SSH key file; default: git's own signing key.")
@click.option("--rebase", is_flag=True, help="The base moved: settle version conflicts first.")
def command(paths: tuple[str, ...], key: str | None, *, rebase: bool) -> int:
    """Sign the changed documents you own or propose; count their versions on first.

    With --rebase, during a rebase or merge or after it: conflicts in nothing but a version number
    are settled, approvals that still hold are kept, and whoever must sign again is named.
    """
    repository = repository_here()
    signer = load_signer(key_or_default(repository, key), os.environ)
    if rebase:
        return _again(repository, signer, paths)
    return show(sign(repository, signer, now(), governed_paths(paths)), _NOTHING)


def _again(repository: Repository, signer: Signer, paths: tuple[str, ...]) -> int:
    found = sign_again(repository, signer, now(), governed_paths(paths))
    for path in found.settled:
        say(f"settled {path}")
    if found.given is None:
        say(problems_text(found.problems))
        return EXIT_REFUSED
    then = f"git {found.under_way} --continue" if found.under_way else ""
    return show(found.given, _NOTHING, then=then)
