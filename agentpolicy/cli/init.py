"""`init`: begins a policy repository."""

import secrets
import shlex
from pathlib import Path

import click

from agentpolicy.admission.commands import INIT, approve_command, sign_command
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.cli.context import pair, repository_here, say
from agentpolicy.workflows.initialise import Founders, initialise
from agentpolicy.workflows.surroundings import CiHost

_NEXT = (
    "agentpolicy hook install",
    sign_command(),
    approve_command("platform-owner"),
    'git commit -m "First policy"',
)
"""What leads from here to a first policy, one command a line."""
_SET_VARIABLE = {
    CiHost.GITHUB: "gh variable set AGENTPOLICY_ROOT --body",
    CiHost.GITLAB: "glab variable set AGENTPOLICY_ROOT",
}
"""How the pin becomes a variable that only the host's administrators can change."""


@click.command("init")
@click.option("--person", "people", multiple=True, metavar="NAME=KEY.pub", help="Who may sign.")
@click.option("--platform-owner", "platform", multiple=True, metavar="NAME", help="May loosen.")
@click.option("--reviewer", multiple=True, metavar="NAME", help="May approve waivers.")
@click.option("--gate", multiple=True, metavar="NAME", help="Signs verdicts that admit a release.")
@click.option("--owner", "owners", multiple=True, metavar="DOCUMENT=NAME", help="Owns a document.")
@click.option("--ci", type=click.Choice([str(host) for host in CiHost]), help="Writes its check.")
def command(
    people: tuple[str, ...],
    platform: tuple[str, ...],
    reviewer: tuple[str, ...],
    gate: tuple[str, ...],
    owners: tuple[str, ...],
    ci: str | None,
) -> int:
    """Write roles.yaml, tools.yaml and what stands around them, and pin the trust root."""
    if not people or not platform:
        raise InputError(
            Problem(
                "founders",
                "a trust root needs people, and a platform owner among them",
                INIT,
            )
        )
    owned: dict[str, list[str]] = {}
    for document, name in map(pair, owners):
        owned.setdefault(document, []).append(name)
    keys = {name: Path(key) for name, key in map(pair, people)}
    founders = Founders(
        keys, platform, reviewer, gate, owned, ci=CiHost(ci) if ci is not None else None
    )
    begun = initialise(repository_here(), founders, secrets.token_hex(16))
    for path in (*begun.written, *begun.around):
        say(f"wrote {path}")
    say(f"pinned the trust root in `git config agentpolicy.root`:\n  {begun.pin}")
    say("give the same pin to servers and CI; it is what they trust before they read anything")
    say("write a first band or budget beside it, policies/bands/AGENT.yaml, before you sign")
    if founders.ci:
        say(f"next: {_SET_VARIABLE[founders.ci]} {shlex.quote(str(begun.pin))}")
    say(f"next: {shlex.join(('git', 'add', *begun.around))}")
    for command in _NEXT:
        say(f"next: {command}")
    return 0
