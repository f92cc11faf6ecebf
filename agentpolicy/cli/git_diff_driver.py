"""`git-diff-driver`: what git runs for a policy file in `git log -p --ext-diff`."""

import sys
from pathlib import Path

import click

from agentpolicy.workflows.git_diff_driver import Sides, driver_text, unmerged_text

_PATH, _OLD, _NEW, _NEW_PATH = 0, 1, 4, 7
"""Where git puts what matters among its arguments (git(1), GIT_EXTERNAL_DIFF)."""


@click.command(
    "git-diff-driver",
    context_settings={"ignore_unknown_options": True},
    epilog="Exits 0 whatever the files hold: git takes anything else for a failure of its own.",
)
@click.argument("given", nargs=-1, required=True, type=click.UNPROCESSED, metavar="PATH …")
def command(given: tuple[str, ...]) -> int:
    """Show what a changed policy file means, then its lines.

    \b
    Git calls this with its own arguments once it is told to:
      .gitattributes   policies/**/*.yaml diff=agentpolicy
      git config diff.agentpolicy.command "agentpolicy git-diff-driver"
      git log -p --ext-diff
    """  # noqa: D301 - click's own mark for lines that stay as they are
    text = unmerged_text(given[_PATH]) if len(given) <= _NEW else driver_text(_sides(given))
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    return 0


def _sides(given: tuple[str, ...]) -> Sides:
    renamed = given[_NEW_PATH] if len(given) > _NEW_PATH else ""
    return Sides(given[_PATH], Path(given[_OLD]), Path(given[_NEW]), renamed)
