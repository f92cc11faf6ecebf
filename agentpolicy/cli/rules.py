"""`rules`: the catalogue of what a policy may say, and what each of it means."""

import click

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.cli.context import FORMAT, write_json
from agentpolicy.loading.expectations import closest
from agentpolicy.loading.schemas import all_schemas
from agentpolicy.report.rules_catalogue import Rule, catalogue
from agentpolicy.report.rules_json import rule_json, rules_json
from agentpolicy.report.rules_text import rule_text, rules_text


@click.group("rules", invoke_without_command=True)
@FORMAT
@click.pass_context
def command(context: click.Context, form: str) -> int:
    """List every rule: where it stands, and which way of changing it tightens."""
    if context.invoked_subcommand is not None:
        return 0
    rules = catalogue(all_schemas())
    if form == "json":
        write_json(rules_json(rules))
    else:
        click.echo(rules_text(rules), nl=False)
    return 0


@command.command("explain")
@click.argument("rule_id", metavar="ID")
@FORMAT
def explain(rule_id: str, form: str) -> int:
    """Say all there is to know about one rule."""
    rule = _rule(rule_id)
    if form == "json":
        write_json({"format_version": 1, **rule_json(rule)})
    else:
        click.echo(rule_text(rule), nl=False)
    return 0


def _rule(rule_id: str) -> Rule:
    """Find a rule by its id.

    Raises:
        InputError: there is none; the hint names the one that was probably meant.
    """
    rules = {rule.id: rule for rule in catalogue(all_schemas())}
    if rule_id in rules:
        return rules[rule_id]
    meant = closest(rule_id, rules)
    hint = f"agentpolicy rules explain {meant}" if meant else "agentpolicy rules"
    raise InputError(Problem("unknown-rule", f"there is no rule {rule_id!r}", hint))
