"""`demo`: shows the promises kept, in a scratch repository."""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from agentpolicy.cli.context import now
from agentpolicy.cli.demo_page import Page
from agentpolicy.cli.entry import EXIT_REFUSED
from agentpolicy.workflows.demo.evidence import run_files
from agentpolicy.workflows.demo.play import Broken, play
from agentpolicy.workflows.demo.scratch import set_up
from agentpolicy.workflows.demo.story import PEOPLE, STORY, story_values

SEED = 2026
"""The runs are made from it, so that every demo shows the same numbers."""
WIDEST = 100
NARROWEST = 60


@click.command("demo")
@click.option("--keep", is_flag=True, help="Leave the scratch repository there to look at.")
def command(*, keep: bool) -> int:
    """See the four promises kept, with real keys and hooks, in a scratch repository."""
    begun = time.monotonic()
    width = min(WIDEST, max(NARROWEST, shutil.get_terminal_size((WIDEST, 24)).columns))
    page = Page(width, colour=sys.stdout.isatty() and not os.environ.get("NO_COLOR"))
    with _folder(keep=keep) as folder:
        scratch = set_up(folder, os.environ, PEOPLE, run_files(SEED))
        for told in play(STORY, scratch, story_values(now())):
            for line in page.lines(told):
                click.echo(line)
            if isinstance(told, Broken):
                click.echo(
                    f"    It is in {folder}." if keep else "    --keep leaves it to look at."
                )
                return EXIT_REFUSED
    for line in page.end(time.monotonic() - begun, folder / "agents" if keep else None):
        click.echo(line)
    return 0


@contextmanager
def _folder(*, keep: bool) -> Iterator[Path]:
    """Give an empty folder, which is gone afterwards unless it is to be kept."""
    if keep:
        yield Path(tempfile.mkdtemp(prefix="agentpolicy-demo-"))
        return
    with tempfile.TemporaryDirectory(prefix="agentpolicy-demo-") as folder:
        yield Path(folder)
