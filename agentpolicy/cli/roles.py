"""`roles`: the trust root, as it is in force and as it is proposed."""

import shlex
from collections.abc import Iterable
from pathlib import Path

import click

from agentpolicy.admission.commands import signing_command
from agentpolicy.admission.decide import Admission
from agentpolicy.admission.refusals import who_may
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.cli.context import (
    FORMAT,
    help_command,
    now,
    pair,
    repository_here,
    say,
    write_json,
)
from agentpolicy.cli.entry import EXIT_REFUSED, EXIT_USAGE
from agentpolicy.cli.group import Group
from agentpolicy.documents.layout import ROLES_PATH
from agentpolicy.report.admission_json import admission_json
from agentpolicy.report.admission_text import admission_text
from agentpolicy.report.roles_view import roles_json, roles_text
from agentpolicy.trust.roles_edit import RolesEdit
from agentpolicy.workflows.initialise import public_key_in
from agentpolicy.workflows.policy_chain import PIN_SETTING
from agentpolicy.workflows.roles import (
    check_roles,
    propose_roles,
    ratified_in,
    roles_in_force,
)


@click.group("roles", cls=Group)
def command() -> None:
    """Show and change the trust root: who may sign what."""


@command.command("show")
@FORMAT
def show(form: str) -> int:
    """Show the trust root in force: people, keys, roles, owners and the pin."""
    view = roles_in_force(repository_here(), now())
    if form == "json":
        write_json(roles_json(view))
    else:
        click.echo(roles_text(view), nl=False)
    return 0


@command.command("propose")
@click.option("--add-person", multiple=True, metavar="NAME=KEY.pub", help="Who may sign.")
@click.option("--remove-person", multiple=True, metavar="NAME", help="Out of every role.")
@click.option("--add-key", multiple=True, metavar="NAME=KEY.pub", help="A further key.")
@click.option("--retire-key", multiple=True, metavar="NAME=FINGERPRINT", help="Ends a key.")
@click.option("--compromised", multiple=True, metavar="NAME=FINGERPRINT", help="Ends a lost key.")
@click.option("--role", multiple=True, metavar="ROLE=NAME,…", help="All the people of a role.")
@click.option("--threshold", multiple=True, metavar="ROLE=N", help="How many must sign.")
@click.option("--owner", multiple=True, metavar="DOCUMENT=NAME,…", help="All its owners.")
@click.option("--reset", is_flag=True, help="The quorum is lost: the pin replaces it.")
@click.option("--dry-run", is_flag=True, help="Show it and write nothing.")
def propose(
    add_person: tuple[str, ...],
    remove_person: tuple[str, ...],
    add_key: tuple[str, ...],
    retire_key: tuple[str, ...],
    compromised: tuple[str, ...],
    role: tuple[str, ...],
    threshold: tuple[str, ...],
    owner: tuple[str, ...],
    reset: bool,
    dry_run: bool,
) -> int:
    """Edit roles.yaml, count its version on, and say who must sign it.

    What a compromised key has signed is ratified along with it: `sign` and `approve` cover that
    too, with keys that still count.

    Where too few platform owners are left to sign, --reset names the old trust root in the new
    one. It holds only once the pin names the new one.
    """
    edit = RolesEdit(
        add_people=_keys(add_person),
        add_keys=_keys(add_key),
        remove_people=remove_person,
        retire=tuple(map(pair, retire_key)),
        compromised=tuple(map(pair, compromised)),
        roles=_lists(role),
        thresholds={name: _number(count) for name, count in map(pair, threshold)},
        owners=_lists(owner),
    )
    if edit == RolesEdit() and not reset:
        words = "say what is to change"
        raise InputError(Problem("roles-what", words, help_command()))
    proposed = propose_roles(repository_here(), edit, now(), write=not dry_run, reset=reset)
    click.echo(proposed.difference, nl=False)
    say(
        f"{'wrote' if proposed.written else 'would write'} {ROLES_PATH}, version {proposed.version}"
    )
    for path in ratified_in(proposed.admission):
        say(f"to be ratified, for it stands on a compromised key: {path}")
    if proposed.pin:
        say("whoever holds the pin sets it anew, here, on servers and in CI; audits tell of it")
        say(f"next: git config {PIN_SETTING} {shlex.quote(str(proposed.pin))}")
    _still_missing(proposed.admission)
    return 0


@command.command("check")
@click.option("--staged", is_flag=True, help="Judge what is staged.")
@FORMAT
def check(staged: bool, form: str) -> int:
    """Say whether roles.yaml is sound, and what it lacks before it can land."""
    admission = check_roles(repository_here(), now(), staged=staged)
    if form == "json":
        write_json(admission_json(admission))
    else:
        click.echo(admission_text(admission), nl=False)
    if admission.admitted:
        return 0
    return EXIT_USAGE if admission.unreadable else EXIT_REFUSED


def _still_missing(admission: Admission) -> None:
    """Say whose signatures it needs, and the commands that give them, each once."""
    needs = [need for need in admission.needs if not need.met]
    for need in needs:
        wanted = need.requirement
        say(f"needs {wanted.role} ({who_may(need)}): {wanted.document}")
    for hint in dict.fromkeys(signing_command(need.requirement.role) for need in needs):
        say(f"next: {hint}")


def _keys(options: Iterable[str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, public_key_in(name, Path(path)).line) for name, path in map(pair, options))


def _lists(options: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Read `NAME=A,B`; repeated, it adds up; nothing behind the sign is nobody."""
    listed: dict[str, tuple[str, ...]] = {}
    for option in options:
        name, _, people = option.partition("=")
        given = tuple(person for person in people.split(",") if person)
        listed[name] = tuple(dict.fromkeys((*listed.get(name, ()), *given)))
    return listed


def _number(text: str) -> int:
    if not text.isdecimal():
        raise InputError(Problem("threshold", f"{text!r} is no number of people", help_command()))
    return int(text)
