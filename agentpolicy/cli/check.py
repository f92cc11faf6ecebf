"""`check`: may this change land?"""

import click

from agentpolicy.admission.decide import Admission
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.cli.context import FORMAT, now, repository_here, say, write_json
from agentpolicy.cli.entry import EXIT_REFUSED, EXIT_USAGE
from agentpolicy.documents.layout import POLICIES
from agentpolicy.report.admission_json import admission_json
from agentpolicy.report.admission_text import admission_text
from agentpolicy.workflows.check import check_commits, check_staged, unstaged


@click.command("check")
@click.option("--staged", is_flag=True, help="Judge what is staged.")
@click.option("--base", metavar="COMMIT", help="The commit it would land on.")
@click.option("--head", metavar="COMMIT", help="The commit with the change, or the merge result.")
@FORMAT
def command(staged: bool, base: str | None, head: str | None, form: str) -> int:
    """Decide whether a change may land, and say what is missing."""
    if staged == bool(base and head):
        raise InputError(
            Problem(
                "check-what",
                "say what to check: what is staged, or --base COMMIT --head COMMIT",
                "agentpolicy check --staged",
            )
        )
    repository, at = repository_here(), now()
    if base and head:
        checked = check_commits(repository, base, head, at)
    else:
        checked = check_staged(repository, at)
    if form == "json":
        write_json(admission_json(checked.admission))
    else:
        click.echo(admission_text(checked.admission), nl=False)
        if staged and checked.admission.admitted and unstaged(repository):
            say(f"policies that are changed are not staged\nnext: git add {POLICIES}")
    if checked.alone:
        say(
            f"as one step: commit {checked.alone[:12]} would land by itself, and the rest be "
            "refused, so squash them or bring a merge commit; do not rebase-merge"
        )
    return _exit_code(checked.admission)


def _exit_code(admission: Admission) -> int:
    if admission.admitted:
        return 0
    return EXIT_USAGE if admission.unreadable else EXIT_REFUSED
