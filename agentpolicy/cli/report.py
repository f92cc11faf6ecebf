"""`report`: what the log and the policy in force say together."""

import click

from agentpolicy.cli.context import FORMAT, now, repository_here, say, write_json
from agentpolicy.cli.entry import EXIT_REFUSED
from agentpolicy.cli.group import Group
from agentpolicy.report.release_check import release_check_json, release_check_text
from agentpolicy.workflows.policy_source import recorded_policy
from agentpolicy.workflows.release_check import check_release


@click.group("report", cls=Group)
def command() -> None:
    """Say what the log and the policy in force come to.

    Exit codes: 0 admitted, 1 refused, 3 it cannot be told.
    """


@command.command("release")
@click.option("--agent", required=True, metavar="NAME", help="The agent that would ship.")
@click.option("--subject", required=True, metavar="NAME", help="The artefact, as its runs name it.")
@FORMAT
def release(agent: str, subject: str, form: str) -> int:
    """May this artefact ship now?

    The last verdict of the gate on this agent and this artefact must be a pass, under the very
    documents that are in force, with waivers that still hold.
    """
    repository, at = repository_here(), now()
    source = recorded_policy(repository, at, None, None)
    found = check_release(repository, source, agent, subject, at)
    told = (agent, subject, found.reasons, found.attempts, found.unanswered)
    if form == "json":
        write_json(release_check_json(*told))
    else:
        click.echo(release_check_text(*told), nl=False)
    if found.admitted:
        return 0
    say(f"next: {found.next_step}")
    return EXIT_REFUSED
