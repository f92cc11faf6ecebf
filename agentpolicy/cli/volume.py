"""`volume`: what the same run costs at several daily volumes, and what no volume changes."""

from decimal import Decimal
from pathlib import Path

import click

from agentpolicy.cli.context import FORMAT, write_json
from agentpolicy.cli.number import COUNT, MONEY, NUMBER
from agentpolicy.gate.volume import Traffic
from agentpolicy.report.numbers.volume import volume_json, volume_text
from agentpolicy.workflows.numbers.sources import budget_file
from agentpolicy.workflows.numbers.volume import Typed, measure, volumes
from agentpolicy.workflows.run_files import RunFiles

_VOLUMES = (100, 10_000, 100_000)


@click.command("volume")
@click.argument("paths", nargs=-1, metavar="[FILE]…")
@click.option("--run", "run_id", metavar="ID", help="Only this run; else the mean of all.")
@click.option(
    "--budget",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Budget whose task it is, and whose effects are declared.",
)
@click.option("--cost-usd", type=MONEY, metavar="USD", help="What the run costs.")
@click.option("--input-tokens", type=COUNT, metavar="N", help="How many tokens it sends.")
@click.option("--latency-s", type=NUMBER, metavar="S", help="How many seconds it takes.")
@click.option("--calls", multiple=True, metavar="TOOL", help="A tool it calls; repeat it.")
@click.option(
    "--per-day",
    type=COUNT,
    multiple=True,
    default=_VOLUMES,
    show_default=True,
    metavar="N",
    help="Tasks a day; repeat it.",
)
@click.option(
    "--hours",
    type=NUMBER,
    default=Decimal(8),
    show_default=True,
    metavar="H",
    help="Over how many hours of the day they arrive.",
)
@click.option(
    "--peak",
    type=NUMBER,
    default=Decimal(3),
    show_default=True,
    metavar="X",
    help="How many times the average the busiest moment is.",
)
@click.option("--tokens-per-minute", type=COUNT, metavar="N", help="The provider's rate limit.")
@FORMAT
def command(
    paths: tuple[str, ...],
    run_id: str | None,
    budget: Path | None,
    cost_usd: Decimal | None,
    input_tokens: int | None,
    latency_s: Decimal | None,
    calls: tuple[str, ...],
    per_day: tuple[int, ...],
    hours: Decimal,
    peak: Decimal,
    tokens_per_minute: int | None,
    form: str,
) -> int:
    """Tell what the same run costs at several daily volumes.

    Money, tokens against a rate limit, and runs in flight grow with the volume; an undeclared
    effect is as unacceptable once a day as a thousand times.
    """
    files = RunFiles(tuple(Path(path) for path in paths)) if paths else None
    governed = budget_file(budget) if budget else None
    typed = Typed(cost_usd, input_tokens, latency_s, calls)
    figures = measure(files, run_id, governed, typed)
    traffic = Traffic(hours, peak, tokens_per_minute)
    found = volumes(figures, traffic, per_day)
    if form == "json":
        write_json(volume_json(figures, traffic, found))
    else:
        click.echo(volume_text(figures, traffic, found), nl=False)
    return 0  # fmt: skip
