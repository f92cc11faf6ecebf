"""`calibrate`: measures, and proposes numbers for a person to sign; it applies nothing."""

from pathlib import Path

import click

from agentpolicy.cli.context import FORMAT, pair, say, write_json
from agentpolicy.cli.entry import EXIT_UNDECIDED
from agentpolicy.cli.group import Group
from agentpolicy.cli.output import PROPOSAL, write_new
from agentpolicy.report.numbers.noise import noise_json, noise_text
from agentpolicy.report.numbers.run_quantiles import run_quantiles_json, run_quantiles_text
from agentpolicy.report.numbers.text_cuts import text_cuts_json, text_cuts_text
from agentpolicy.workflows.numbers.calibrate_budget import calibrate_budget
from agentpolicy.workflows.numbers.calibrate_noise import calibrate_noise
from agentpolicy.workflows.numbers.calibrate_text import calibrate_text
from agentpolicy.workflows.numbers.proposed import Proposal
from agentpolicy.workflows.numbers.sources import band_file, budget_file
from agentpolicy.workflows.run_files import RunFiles

_RUNS = click.argument("paths", nargs=-1, required=True, metavar="FILE…")
_LABELS = click.option("--set", "labels", multiple=True, metavar="FIELD=VALUE",
                       help="Fill in what the log does not carry.")  # fmt: skip
_INPUT_FORMAT = click.option(
    "--input-format", metavar="NAME", help="Read the runs as this format; else it is seen."
)


@click.group("calibrate", cls=Group)
def command() -> None:
    """Propose limits from what was measured; nothing is applied."""


@command.command("text")
@click.argument("pairs", type=click.Path(path_type=Path), metavar="PAIRS")
@click.option(
    "--band",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Band to change; without one the lines are proposed.",
)
@click.option("--scorer", metavar="NAME", help="What measured the scores, name@version.")
@click.option("--class", "fixture_class", metavar="NAME", help="Only this class of fixtures.")
@PROPOSAL
@FORMAT
def text(
    pairs: Path,
    band: Path | None,
    scorer: str | None,
    fixture_class: str | None,
    output: Path | None,
    form: str,
) -> int:
    """Propose a text threshold from judged pairs, or show how they overlap.

    PAIRS holds one pair a line as JSON: `before` and `after`, or a `score`, and `equivalent`: what
    a person judged.
    """
    found = calibrate_text(pairs, scorer, fixture_class, band_file(band) if band else None)
    if form == "json":
        write_json(text_cuts_json(found.cuts, found.scorer, found.evidence, found.proposal))
    else:
        page = text_cuts_text(found.cuts, found.scorer, found.evidence, found.proposal)
        click.echo(page, nl=False)
    return _kept(found.proposal, output, band)  # fmt: skip


@command.command("budget")
@_RUNS
@click.option(
    "--budget",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Budget to change, whose runs are looked at.",
)
@_LABELS
@_INPUT_FORMAT
@PROPOSAL
@FORMAT
def budget(
    paths: tuple[str, ...],
    budget: Path | None,
    labels: tuple[str, ...],
    input_format: str | None,
    output: Path | None,
    form: str,
) -> int:
    """Propose soft and hard limits from the p75 and p95 of the runs that passed."""
    found = calibrate_budget(
        _files(paths, labels, input_format), budget_file(budget) if budget else None
    )
    if form == "json":
        write_json(run_quantiles_json(found.quantiles, found.timed, found.proposal))
    else:
        page = run_quantiles_text(found.quantiles, found.timed, found.proposal)
        click.echo(page, nl=False)
    return _kept(found.proposal, output, budget)  # fmt: skip


@command.command("noise")
@_RUNS
@click.option(
    "--band",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Band to record it in, and to compare with it.",
)
@click.option("--scorer", metavar="NAME", help="Recorded scores to use, name@version.")
@_INPUT_FORMAT
@PROPOSAL
@FORMAT
def noise(
    paths: tuple[str, ...],
    band: Path | None,
    scorer: str | None,
    input_format: str | None,
    output: Path | None,
    form: str,
) -> int:
    """Measure how far repeated runs of one version differ, by every field of a band."""
    found = calibrate_noise(
        _files(paths, (), input_format), scorer, band_file(band) if band else None
    )
    told = (found.floor, found.scorer, found.proposal, found.advice)
    if form == "json":
        write_json(noise_json(*told))
    else:
        click.echo(noise_text(*told), nl=False)
    return _kept(found.proposal, output, band)  # fmt: skip


def _files(paths: tuple[str, ...], labels: tuple[str, ...], input_format: str | None) -> RunFiles:
    return RunFiles(
        tuple(Path(path) for path in paths), input_format, dict(pair(text) for text in labels)
    )


def _kept(proposal: Proposal | None, output: Path | None, changed: Path | None) -> int:
    """Write the proposal where it is wanted; without one nothing could be decided."""
    if proposal is None:
        return EXIT_UNDECIDED
    if output is not None:
        write_new(output, proposal.yaml.encode("utf-8"), "the proposal")
        if changed is not None:
            say(f"next: agentpolicy diff --files {changed} {output}")
    return 0
