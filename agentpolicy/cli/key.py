"""`key`: the keys that the trust root lists."""

import click

from agentpolicy.cli.context import FORMAT, now, repository_here, write_json
from agentpolicy.cli.group import Group
from agentpolicy.report.roles_view import allowed_signers, keys_json, keys_text
from agentpolicy.workflows.roles import roles_in_force


@click.group("key", cls=Group)
def command() -> None:
    """Show the keys that the trust root lists."""


@command.command("list")
@click.option("--allowed-signers", "export", is_flag=True, help="For gpg.ssh.allowedSignersFile.")
@FORMAT
def list_keys(export: bool, form: str) -> int:
    """List every key: whose it is, and whether it is live, retired or compromised."""
    view = roles_in_force(repository_here(), now())
    if export:
        click.echo(allowed_signers(view), nl=False)
    elif form == "json":
        write_json(keys_json(view))
    else:
        click.echo(keys_text(view), nl=False)
    return 0
