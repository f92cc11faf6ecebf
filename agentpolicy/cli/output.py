"""Writes an answer to standard output, or into a new file; never over one that is there."""

import sys
from pathlib import Path

import click

from agentpolicy.cli.context import say

OUTPUT = click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE",
    help="Write there instead of standard output; never over a file.",
)  # fmt: skip
PROPOSAL = click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE",
    help="Write the proposed YAML there too; never over a file.",
)  # fmt: skip


def write_new(output: Path, data: bytes, what: str) -> None:
    """Write a file that is not there yet, and say so."""
    try:
        with output.open("xb") as file:
            file.write(data)
    except FileExistsError as error:
        raise click.ClickException(f"{output} is there already") from error
    except OSError as error:
        raise click.ClickException(f"{output} cannot be written: {error.strerror}") from error
    say(f"wrote {what} to {output}")


def write_out(output: Path | None, data: bytes, what: str) -> None:
    """Write data where it is wanted."""
    if output is not None:
        write_new(output, data, what)
        return
    sys.stdout.buffer.write(data)
    sys.stdout.flush()
