"""`doctor`: is everything wired, and is a canary loosening refused?"""

import click

from agentpolicy.base.errors import UndecidedError
from agentpolicy.cli.context import FORMAT, now, repository_here, write_json
from agentpolicy.cli.entry import EXIT_REFUSED
from agentpolicy.report.checklist import Standing, checklist_json, checklist_text, worst
from agentpolicy.workflows.doctor.examine import examine

_EXIT = {Standing.UNPROTECTED: EXIT_REFUSED, Standing.UNKNOWN: UndecidedError.exit_code}


@click.command("doctor")
@FORMAT
def command(form: str) -> int:
    """Look at everything that keeps rules from being loosened alone, and try it.

    A loosening that nobody signed is tried in a throw-away copy; your index, files and refs stay
    as they are. Exit 1: something is unprotected. Exit 3: not everything can be seen.
    """
    findings = examine(repository_here(), now())
    if form == "json":
        write_json(checklist_json(findings))
    else:
        click.echo(checklist_text(findings), nl=False)
    return _EXIT.get(worst(findings), 0)
