"""`approve`: says yes to somebody else's change."""

import os

import click

from agentpolicy.cli.context import governed_paths, now, repository_here
from agentpolicy.cli.signing import key_or_default, show
from agentpolicy.gitio.signing import load_signer
from agentpolicy.trust.approval import ApprovalRole
from agentpolicy.workflows.sign import approve


@click.command("approve")
@click.argument("paths", nargs=-1)
@click.option("--role", required=True, type=click.Choice(["platform-owner", "reviewer"]))
@click.option("--key", metavar="KEY", help="SSH key file; default: git's own signing key.")
@click.option("--reason", required=True, metavar="TEXT", help="Why, in a line; it is signed too.")
def command(paths: tuple[str, ...], role: str, key: str | None, reason: str) -> int:
    """Show the class of what changed, sign it in a role, and stage the approval."""
    repository = repository_here()
    signer = load_signer(key_or_default(repository, key), os.environ)
    wanted = governed_paths(paths)
    given = approve(repository, signer, now(), role=ApprovalRole(role), reason=reason, paths=wanted)
    return show(given, f"nothing to approve: nothing that changed needs the role {role}")
