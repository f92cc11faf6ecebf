"""`runs`: reads run logs of any known format, and says what they carry."""

from pathlib import Path

import click

from agentpolicy.cli.context import FORMAT, pair, say, write_json
from agentpolicy.cli.entry import EXIT_USAGE
from agentpolicy.cli.group import Group
from agentpolicy.cli.output import OUTPUT, write_out
from agentpolicy.loading.runs import IMPORTERS
from agentpolicy.report.problems_json import problems_json
from agentpolicy.report.runs_json import runs_json
from agentpolicy.report.runs_text import runs_text, unreadable_text
from agentpolicy.report.words import counted
from agentpolicy.runs.coverage import coverage_of
from agentpolicy.runs.record import ENCODER
from agentpolicy.runs.run_set import RunSet
from agentpolicy.workflows.run_files import RunFiles

_FILES = click.argument("paths", nargs=-1, required=True, metavar="FILE…")
_INPUT_FORMAT = click.option(
    "--input-format", metavar="NAME", help="Read them as this format; else it is seen."
)
_LABELS = click.option("--set", "labels", multiple=True, metavar="FIELD=VALUE",
                       help="Fill in what the log does not carry.")  # fmt: skip


@click.group("runs", cls=Group)
def command() -> None:
    """Read run logs of any known format."""


@command.command("summary")
@_FILES
@_INPUT_FORMAT
@FORMAT
def summary(paths: tuple[str, ...], input_format: str | None, form: str) -> int:
    """Say what the logs are, and how many runs carry cost, latency, tokens and the rest."""
    runs = _read(paths, input_format)
    coverage = coverage_of(runs)
    if form == "json":
        write_json(runs_json(runs, coverage, list(runs.formats.items())))
    else:
        titles = [(path, IMPORTERS[name].title) for path, name in runs.formats.items()]
        click.echo(runs_text(runs, coverage, titles), nl=False)
    return _told(runs)


@command.command("validate")
@_FILES
@_INPUT_FORMAT
@FORMAT
def validate(paths: tuple[str, ...], input_format: str | None, form: str) -> int:
    """Read every record strictly, and list each one that cannot be read."""
    runs = _read(paths, input_format)
    if form == "json":
        write_json(
            {
                "format_version": 1,
                "runs": len(runs.records),
                "problems": problems_json(runs.unreadable),
            }
        )
    elif not runs.unreadable:
        click.echo(f"{counted(len(runs.records), 'run')} read, no problems")
    return _told(runs)


@command.command("import")
@_FILES
@OUTPUT
@_INPUT_FORMAT
@_LABELS
def import_(
    paths: tuple[str, ...], output: Path | None, input_format: str | None, labels: tuple[str, ...]
) -> int:
    """Write the runs as agentpolicy's own JSON lines."""
    runs = _read(paths, input_format, labels)
    lines = b"".join(ENCODER.encode(record) + b"\n" for record in runs.records)
    write_out(output, lines, counted(len(runs.records), "run"))
    return _told(runs)


def _read(paths: tuple[str, ...], input_format: str | None, labels: tuple[str, ...] = ()) -> RunSet:
    files = RunFiles(
        tuple(Path(path) for path in paths), input_format, dict(pair(text) for text in labels)
    )
    return files.read()[0]


def _told(runs: RunSet) -> int:
    """Tell what could not be read, and give the exit code for it."""
    if not runs.unreadable:
        return 0
    say(unreadable_text(runs.unreadable))
    return EXIT_USAGE
