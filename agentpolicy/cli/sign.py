"""`sign`: puts the signer's name under their own change."""

import os

import click

from agentpolicy.cli.context import governed_paths, now, repository_here
from agentpolicy.cli.signing import key_or_default, show
from agentpolicy.gitio.signing import load_signer
from agentpolicy.workflows.sign import sign


@click.command("sign")
@click.argument("paths", nargs=-1)
@click.option("--key", metavar="KEY", help="SSH key file; default: git's own signing key.")
def command(paths: tuple[str, ...], key: str | None) -> int:
    """Sign the changed documents you own or propose; count their versions on first."""
    repository = repository_here()
    signer = load_signer(key_or_default(repository, key), os.environ)
    given = sign(repository, signer, now(), governed_paths(paths))
    return show(given, "nothing to sign: nothing that changed needs an owner or proposer")
