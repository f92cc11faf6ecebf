"""`guard`: limits for a runtime guard, which stops a run while it runs."""

from decimal import Decimal
from pathlib import Path

import click

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.cli.context import (
    FORMAT,
    as_json,
    instant_or_now,
    repository_here,
    say,
    write_json,
)
from agentpolicy.cli.group import Group
from agentpolicy.cli.number import NUMBER
from agentpolicy.cli.output import OUTPUT, write_out
from agentpolicy.report.numbers.guard_limits import guard_json, guard_text
from agentpolicy.workflows.numbers.guard import export_guard
from agentpolicy.workflows.policy_source import proposed_policy, recorded_policy


@click.group("guard", cls=Group)
def command() -> None:
    """Stop runs in production above what the gate refuses."""


@command.command("export")
@click.option("--budget", "name", required=True, metavar="NAME", help="Whose runs are guarded.")
@click.option(
    "--proposed",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Take it from an unsigned file or policies folder.",
)
@click.option(
    "--headroom",
    type=NUMBER,
    metavar="X",
    help="Where the budget has no ceiling: its hard limit times this.",
)
@OUTPUT
@FORMAT
def export(
    name: str, proposed: Path | None, headroom: Decimal | None, output: Path | None, form: str
) -> int:
    """Write the limits that `agentpolicy.RuntimeGuard` reads.

    They are of the policy in force; `--format json` and `-o` write what the guard reads.
    """
    if headroom is not None and headroom <= 1:
        words = f"a headroom of {headroom} puts the guard at or below the gate's own limit"
        raise InputError(Problem("usage", words, "--headroom 2"))
    wanted = f"policies/budgets/{name}.yaml"
    source = (
        proposed_policy(proposed, wanted)
        if proposed
        else recorded_policy(repository_here(), instant_or_now(None), None, None)
    )
    found = export_guard(source, name, headroom)
    written = guard_json(found.limits, found.policy)
    if output is not None:
        write_out(output, f"{as_json(written)}\n".encode(), "the guard's limits")
    elif form == "json":
        write_json(written)
    else:
        click.echo(guard_text(found.limits, name), nl=False)
    say(f"policy {source.state}: {source.commit or proposed}")
    return 0  # fmt: skip
