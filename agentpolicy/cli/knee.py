"""`knee`: settles each transition of a cap study, and names the last cap that pays."""

from decimal import Decimal
from pathlib import Path

import click

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.cli.context import FORMAT, help_command, pair, write_json
from agentpolicy.cli.entry import EXIT_UNDECIDED
from agentpolicy.cli.number import MONEY
from agentpolicy.cli.output import PROPOSAL, write_new
from agentpolicy.report.numbers.knee import knee_json, knee_text
from agentpolicy.workflows.numbers.knee import settle
from agentpolicy.workflows.numbers.sources import budget_file
from agentpolicy.workflows.run_files import RunFiles


@click.command("knee")
@click.argument("study", type=click.Path(path_type=Path), required=False, metavar="[STUDY]")
@click.option("--runs", multiple=True, metavar="CAP=FILE", help="Runs made under a cap; repeat it.")
@click.option("--value", type=MONEY, metavar="USD", help="What one successful task is worth.")
@click.option("--budget", type=click.Path(path_type=Path), metavar="FILE",
              help="Budget that says what amber is, and what a success is worth.")  # fmt: skip
@PROPOSAL
@FORMAT
def command(
    study: Path | None,
    runs: tuple[str, ...],
    value: Decimal | None,
    budget: Path | None,
    output: Path | None,
    form: str,
) -> int:
    """Settle each transition of a cap study: gain times value against added mean cost.

    STUDY is a YAML table (`value_per_success_usd` and `rows` of cap, pass_rate, mean_cost_usd and
    amber_rate), or one such row a line as JSON.
    """
    if study is None and not runs:
        words = "there is no study: neither a table nor runs"
        raise InputError(Problem("usage", words, help_command()))
    governed = budget_file(budget) if budget else None
    knee, proposal = settle(study, dict(map(_cap, runs)), governed, value)
    if form == "json":
        write_json(knee_json(knee, proposal))
    else:
        click.echo(knee_text(knee, proposal), nl=False)
    if proposal is not None and output is not None:
        write_new(output, proposal.yaml.encode("utf-8"), "the proposal")
    return EXIT_UNDECIDED if knee.cap is None else 0


def _cap(text: str) -> tuple[int, RunFiles]:
    cap, path = pair(text)
    if not cap.isdecimal():
        words = f"{cap!r} is not a whole number of steps"
        raise InputError(Problem("usage", words, "--runs 12=FILE"))
    return int(cap), RunFiles((Path(path),))
