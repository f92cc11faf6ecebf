"""`drift`: sessions that are unlike the usual ones, with a sentence for each."""

from decimal import Decimal
from pathlib import Path

import click

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.cli.context import FORMAT, write_json
from agentpolicy.cli.entry import EXIT_UNDECIDED
from agentpolicy.cli.number import COUNT, NUMBER
from agentpolicy.documents.models.band import Drift
from agentpolicy.report.numbers.drift import drift_json, drift_text
from agentpolicy.workflows.numbers.drift import watch
from agentpolicy.workflows.numbers.sources import band_file
from agentpolicy.workflows.run_files import RunFiles


@click.command("drift")
@click.option("--baseline", required=True, multiple=True, metavar="FILE", help="Usual sessions.")
@click.option(
    "--candidate", required=True, multiple=True, metavar="FILE", help="Sessions to look at."
)
@click.option(
    "--band",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Band whose drift rules hold; else the defaults.",
)
@click.option("--z-max", type=NUMBER, metavar="Z", help="Flag beyond so many deviations.")
@click.option("--jaccard-min", type=NUMBER, metavar="SHARE", help="Flag a smaller overlap.")
@click.option("--warmup", type=COUNT, metavar="N", help="So many usual sessions are needed.")
@click.option(
    "--long-context",
    type=COUNT,
    metavar="TOKENS",
    help="From so many tokens sent on, a session is held against its like.",
)
@FORMAT
def command(
    baseline: tuple[str, ...],
    candidate: tuple[str, ...],
    band: Path | None,
    z_max: Decimal | None,
    jaccard_min: Decimal | None,
    warmup: int | None,
    long_context: int | None,
    form: str,
) -> int:
    """Flag sessions that are unlike the usual ones, and say where to look.

    Flags are for people and decide nothing; exit 3 only says that the usual sessions are too few
    to tell anything.
    """
    if jaccard_min is not None and jaccard_min > 1:
        words = f"an overlap of {jaccard_min} is more than all"
        raise InputError(Problem("usage", words, "--jaccard-min 0.5"))
    typed = Drift(
        z_max=z_max,
        jaccard_min=jaccard_min,
        warmup_sessions=warmup,
        long_context_tokens=long_context,
    )
    usual, tried = (RunFiles(tuple(map(Path, paths))) for paths in (baseline, candidate))
    found = watch(usual, tried, band_file(band) if band else None, typed)
    if form == "json":
        write_json(drift_json(found.usual, found.tried, found.alerts))
    else:
        click.echo(drift_text(found.usual, found.tried, found.alerts), nl=False)
    return 0 if found.can_tell else EXIT_UNDECIDED  # fmt: skip
