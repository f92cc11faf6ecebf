"""What the real world passes in: the repository here, the clock, and where output goes."""

import json
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.base.instant import Instant, parse_instant
from agentpolicy.gitio.repository import Repository, open_repository

FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="How the answer is written on standard output.",
)  # fmt: skip


def repository_here() -> Repository:
    """Open the repository of the present folder."""
    return open_repository(Path.cwd(), os.environ)


def now() -> Instant:
    """Ask the real clock."""
    return Instant(int(time.time()))  # noqa: TID251 - the one clock of the command line


def instant_or_now(text: str | None) -> Instant:
    """Read `--as-of`, or ask the real clock."""
    if text is None:
        return now()
    try:
        return parse_instant(text)
    except ValueError as error:
        raise InputError(
            Problem(
                "bad-instant", str(error), "--as-of 2026-03-31, or --as-of 2026-03-31T12:00:00Z"
            )
        ) from error


def typed_with(more: str) -> str:
    """Give the command as it was typed, with something added, for it to be typed again."""
    return f"{shlex.join(('agentpolicy', *sys.argv[1:]))} {more}"


def typed_without(*options: str) -> str:
    """Give the command as it was typed, without some flags, for it to be typed again."""
    words = (word for word in sys.argv[1:] if word not in options)
    return shlex.join(("agentpolicy", *words))


def typed_without_values(*options: str) -> str:
    """Give the command as it was typed, without some options and their values."""
    words: list[str] = []
    left = iter(sys.argv[1:])
    for word in left:
        if word in options:
            next(left, None)
        elif word.split("=", 1)[0] not in options:
            words.append(word)
    return shlex.join(("agentpolicy", *words))


def help_command() -> str:
    """Give the command that explains the options of the one that was typed."""
    context = click.get_current_context(silent=True)
    return f"{context.command_path if context else 'agentpolicy'} --help"


def say(text: str) -> None:
    """Write for people, on standard error: data alone goes to standard output."""
    print(text, file=sys.stderr)


def columns_folder() -> Path:
    """Give the folder that keeps what large logs were read into, as the desktop's rules say."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "agentpolicy" / "columns"


@contextmanager
def reading(size: int) -> Iterator[Callable[[int], None]]:
    """Show how much of some bytes was read; only on a terminal, and only where there are any."""
    if not size or not sys.stderr.isatty():
        yield lambda _: None
        return
    with click.progressbar(length=size, label="reading runs", file=sys.stderr) as bar:
        yield bar.update


def write_json(value: object) -> None:
    """Write data as JSON on standard output."""
    click.echo(as_json(value))


def as_json(value: object) -> str:
    """Write data as JSON for people and programs alike."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def governed_paths(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Bring paths typed from any folder to their form from the top of the repository."""
    top = repository_here().top
    if top is None:
        return paths
    absolute = [Path(path).absolute() for path in paths]
    return tuple(
        path.relative_to(top).as_posix() if path.is_relative_to(top) else path.as_posix()
        for path in absolute
    )


def pair(text: str) -> tuple[str, str]:
    """Split `NAME=VALUE` as it was typed."""
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        words = f"{text!r} is not of the form NAME=VALUE"
        raise InputError(Problem("pair", words, help_command()))
    return name, value
