"""`waiver`: lets a known crossing pass until a day."""

import click

from agentpolicy.admission.commands import approve_command, sign_command
from agentpolicy.cli.context import now, repository_here, say
from agentpolicy.cli.entry import EXIT_REFUSED
from agentpolicy.cli.group import Group
from agentpolicy.report.problems_text import problems_text
from agentpolicy.report.words import counted
from agentpolicy.workflows.waiver import NewWaiver, WaiverRequest, new_waiver


@click.group("waiver", cls=Group)
def command() -> None:
    """Let a known crossing pass until a day."""


@command.command("new")
@click.option(
    "--from-verdict",
    "verdict",
    required=True,
    metavar="V",
    help="The recorded verdict that shows the crossing; its first digits suffice.",
)
@click.option("--field", required=True, metavar="F", help="What crossed, as the verdict names it.")
@click.option(
    "--fixture",
    "fixtures",
    required=True,
    multiple=True,
    metavar="X",
    help="Where it crossed; repeat it for more.",
)
@click.option("--reason", required=True, metavar="TEXT", help="Why the difference is intended.")
@click.option("--change-link", required=True, metavar="URL", help="The change that caused it.")
@click.option(
    "--owner",
    required=True,
    metavar="NAME",
    help="Who answers for it; that person cannot approve it.",
)
@click.option("--expires-on", required=True, metavar="DAY", help="Its last day, 2026-03-31.")
@click.option("--id", "name", metavar="ID", help="Its name; default: agent, field and today.")
def new(
    verdict: str,
    field: str,
    fixtures: tuple[str, ...],
    reason: str,
    change_link: str,
    owner: str,
    expires_on: str,
    name: str | None,
) -> int:  # fmt: skip
    """Write a waiver; measured values and limit are copied from the verdict."""
    asked = WaiverRequest(verdict, field, fixtures, reason, change_link, owner, expires_on, name)
    written = new_waiver(repository_here(), asked, now())
    if written.problems:
        say(problems_text(written.problems))
        return EXIT_REFUSED
    _show(asked, written)
    return 0


def _show(asked: WaiverRequest, written: NewWaiver) -> None:
    say(f"wrote {written.path}")
    for case in written.cases:
        say(f"  {case.fixture_id}: measured {case.measured}, the band says {written.band}")
    days = counted(written.days, "day")
    say(f"  through {asked.expires_on}, {days} from today; owner {asked.owner}")
    say(f"{asked.owner} may sign it, and cannot approve it")
    say(f"next: {sign_command(written.path)}")
    say(f"next: {approve_command(written.approver, written.path)}")
