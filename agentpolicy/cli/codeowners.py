"""`codeowners`: writes and checks the file that routes reviews."""

import click

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.cli.context import FORMAT, repository_here, say, write_json
from agentpolicy.cli.entry import EXIT_REFUSED
from agentpolicy.report.codeowners_lint import WRITE
from agentpolicy.report.problems_json import problems_json
from agentpolicy.report.problems_text import problems_text
from agentpolicy.workflows.codeowners import check_codeowners, codeowners_text, write_codeowners


@click.command("codeowners")
@click.option("--write", "writing", is_flag=True, help="Bring agentpolicy's lines up to date.")
@click.option("--check", "checking", is_flag=True, help="Say what keeps it from working.")
@FORMAT
def command(writing: bool, checking: bool, form: str) -> int:
    """Show CODEOWNERS as roles.yaml asks for it; it routes reviews and decides nothing."""
    if writing and checking:
        words = "--write and --check are two things to do"
        raise InputError(Problem("write-or-check", words, WRITE))
    repository = repository_here()
    if writing:
        written = write_codeowners(repository)
        say(f"wrote {written}" if written else "already up to date")
    if writing or checking:
        return _tell(check_codeowners(repository), form)
    text = codeowners_text(repository)
    if form == "json":
        write_json({"format_version": 1, "text": text})
    else:
        click.echo(text, nl=False)
    return 0


def _tell(problems: tuple[Problem, ...], form: str) -> int:
    if form == "json":
        write_json({"format_version": 1, "problems": problems_json(problems)})
    elif problems:
        say(problems_text(problems))
    else:
        click.echo("CODEOWNERS asks the people that roles.yaml names")
    return EXIT_REFUSED if problems else 0
