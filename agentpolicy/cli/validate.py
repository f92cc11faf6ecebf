"""`validate`: reads policy files strictly."""

from pathlib import Path

import click

from agentpolicy.cli.context import FORMAT, say, write_json
from agentpolicy.cli.entry import EXIT_USAGE
from agentpolicy.report.problems_json import problems_json
from agentpolicy.report.problems_text import problems_text
from agentpolicy.report.words import counted
from agentpolicy.workflows.validate import validate


@click.command("validate")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@FORMAT
def command(paths: tuple[Path, ...], form: str) -> int:
    """Read files or folders (default: policies) as every other command does."""
    result = validate(paths or (Path("policies"),))
    files = counted(result.files, "file")
    if form == "json":
        write_json(
            {
                "format_version": 1,
                "files": result.files,
                "problems": problems_json(result.problems),
            }
        )
    elif result.problems:
        say(problems_text(result.problems))
        say(f"{files} read, {counted(len(result.problems), 'problem')}")
    else:
        click.echo(f"{files} read, no problems")
    return EXIT_USAGE if result.problems else 0
