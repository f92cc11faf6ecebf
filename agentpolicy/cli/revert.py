"""`revert`: takes back what one commit changed, as a new change that lands like any other."""

import os
import sys

import click

from agentpolicy.cli.context import now, repository_here, say
from agentpolicy.cli.entry import EXIT_REFUSED
from agentpolicy.cli.signing import show
from agentpolicy.gitio.signing import load_signer
from agentpolicy.report.diff_text import diff_text
from agentpolicy.report.diff_view import DiffView
from agentpolicy.report.problems_text import problems_text
from agentpolicy.workflows.desk import lying_beside, unmet
from agentpolicy.workflows.reverting import Reversal, reversal, write
from agentpolicy.workflows.sign import sign
from agentpolicy.workflows.signing import SigningResult


@click.command("revert")
@click.argument("commit", metavar="REV")
@click.option("--key", metavar="KEY", help="SSH key file: sign your own part of it too.")
@click.option("--dry-run", is_flag=True, help="Show it and write nothing.")
def command(commit: str, key: str | None, *, dry_run: bool) -> int:
    """Bring back what the policies said before a commit, at the next version, and stage it.

    Taking a tightening back is a loosening, and needs the same signatures. Approvals that have
    landed stay. Files that are no policies are left to `git revert`.
    """
    repository = repository_here()
    taken = reversal(repository, commit, now())
    if taken.proposal.report.documents:
        colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        click.echo(diff_text(DiffView(taken.proposal.report), colour=colour), nl=False)
    if taken.problems:
        say(problems_text(taken.problems))
        return EXIT_REFUSED
    if not dry_run:
        write(repository, taken)
    _say_files(taken, dry_run=dry_run)
    if not taken.proposal.report.documents:
        say("it needs no signature: this is what is in force")
        return 0
    if key is None or dry_run:
        missing = unmet(taken.proposal, lying_beside(taken.proposal, now()))
        return show(SigningResult(taken.proposal, "", missing=missing), "nothing is signed yet")
    signer = load_signer(key, os.environ)
    paths = [
        change.path for change in taken.proposal.report.documents if change.path in taken.files
    ]
    return show(sign(repository, signer, now(), paths), "none of it is yours to sign")


def _say_files(taken: Reversal, *, dry_run: bool) -> None:
    versions = {change.path: change.new_version for change in taken.proposal.report.documents}
    would = "would " if dry_run else ""
    for path, data in taken.files.items():
        if data is None:
            say(f"{would}remove {path}" if dry_run else f"removed {path}")
        elif path in versions:
            number = f", version {versions[path]}" if versions[path] else ""
            say(f"{would}write {path}{number}" if dry_run else f"wrote {path}{number}")
        else:
            say(f"{path} stands as it is in force")
    for path in taken.approvals:
        say(f"{would}keep {path}" if dry_run else f"kept {path}")
