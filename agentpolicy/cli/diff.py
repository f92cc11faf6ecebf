"""`diff`: is a change tighter or looser, and who must approve it?"""

import os
import sys
from pathlib import Path

import click

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.cli.context import FORMAT, as_json, now, repository_here, say
from agentpolicy.gitio.answer_memory import Answer
from agentpolicy.report.diff_json import diff_json
from agentpolicy.report.diff_text import diff_text
from agentpolicy.report.diff_view import DiffView
from agentpolicy.report.problems_text import problems_text
from agentpolicy.workflows.diff import Extras, diff_commits, diff_files, diff_index, diff_worktree
from agentpolicy.workflows.diff_answers import answers_about

SOME = 40
"""How many witnesses JSON carries when nobody asked for an explanation."""
EVERY = 1_000_000


@click.command("diff")
@click.argument("base", required=False)
@click.argument("head", required=False)
@click.option("--staged", is_flag=True, help="Take what is staged for the new side.")
@click.option(
    "--files", nargs=2, type=click.Path(path_type=Path), metavar="OLD NEW",
    help="Compare two policy files or two policies folders; needs no repository.",
)  # fmt: skip
@click.option(
    "--explain",
    is_flag=True,
    help="Derive the class, and show what was refused before and is accepted now.",
)
@click.option(
    "--runs",
    multiple=True,
    metavar="FILE",
    help="Runs just judged: say whether a loosening is cut to fit them.",
)
@FORMAT
def command(
    base: str | None,
    head: str | None,
    *,
    staged: bool,
    files: tuple[Path, Path] | None,
    explain: bool,
    runs: tuple[str, ...],
    form: str,
) -> int:
    """Class the change from BASE (HEAD) to HEAD (the work tree) and say who must approve it.

    Exits 0 whenever the change could be classed, however it was.
    """
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    memory = None
    if base and head and not (staged or files or runs):
        shown = (form, f"explain={explain}", f"colour={colour}")
        memory = answers_about(repository_here(), base, head, now(), shown)
    answer = memory.recall() if memory else None
    if answer is None:
        extras = _extras(runs, explain=explain, in_json=form == "json")
        view = _view(base, head, extras, staged=staged, files=files)
        answer = _answer(view, form, explain=explain, colour=colour)
        if memory:
            memory.keep(answer)
    click.echo(answer.data, nl=False)
    if answer.words:
        say(answer.words)
    return 0


def _answer(view: DiffView, form: str, *, explain: bool, colour: bool) -> Answer:
    if form == "json":
        data = f"{as_json(diff_json(view))}\n"
    else:
        data = diff_text(view, explain=explain, colour=colour)
    return Answer(data, problems_text(view.problems) if view.problems else "")


def _extras(runs: tuple[str, ...], *, explain: bool, in_json: bool) -> Extras:
    """Look for witnesses where they are shown: for all findings when asked, else for some."""
    most = EVERY if explain else SOME if in_json else 0
    return Extras(most, tuple(Path(path) for path in runs))


def _view(
    base: str | None,
    head: str | None,
    extras: Extras,
    *,
    staged: bool,
    files: tuple[Path, Path] | None,
) -> DiffView:
    """Ask the one workflow that fits what was typed."""
    if (files and (base or staged)) or (staged and head):
        raise InputError(
            Problem(
                "diff-what",
                "--files, --staged and a second commit each name the new side",
                "agentpolicy diff --help",
            )
        )
    if files:
        return diff_files(*files, now(), extras)
    if base and head:
        return diff_commits(repository_here(), base, head, now(), extras)
    read = diff_index if staged else diff_worktree
    return read(repository_here(), base, now(), extras)
