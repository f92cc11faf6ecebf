"""`approve`: says yes to somebody else's change, here or on a branch, or takes the yes back."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.cli.context import governed_paths, now, repository_here, say
from agentpolicy.cli.signing import key_or_default, show
from agentpolicy.documents.layout import is_governed
from agentpolicy.gitio.repository import Repository
from agentpolicy.gitio.signing import load_signer
from agentpolicy.report.diff_text import diff_text
from agentpolicy.report.diff_view import DiffView
from agentpolicy.trust.approval import ApprovalRole
from agentpolicy.workflows.approve import Assent, approve_branch, approve_here
from agentpolicy.workflows.import_bundle import import_bundle
from agentpolicy.workflows.policy_chain import pin_of
from agentpolicy.workflows.proposal import Proposal
from agentpolicy.workflows.review_branch import Branch, find_branch
from agentpolicy.workflows.withdraw import withdraw


@dataclass(frozen=True, slots=True)
class _Asked:
    """What was typed."""

    names: tuple[str, ...]
    key: str | None
    role: str | None
    reason: str | None
    bundle: Path | None
    evidence: tuple[Path, ...]


@click.command("import")
@click.argument("bundle", type=click.Path(path_type=Path))
def import_command(bundle: Path) -> int:
    """Stage an approval from a file, if it is for exactly what lies here."""
    given = import_bundle(repository_here(), bundle, now())
    return show(given, "nothing to import")


class _Approve(click.Command):
    """Knows `approve import` too; a path of that name is typed ./import."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,  # noqa: ANN401 - click's own
    ) -> click.Context:
        """Hand over to `import` where that was typed."""
        if args[:1] == ["import"]:
            return import_command.make_context("approve import", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(
    "approve",
    cls=_Approve,
    epilog="`agentpolicy approve import FILE` takes in what --bundle wrote.",
)
@click.argument("names", nargs=-1, metavar="[PATH|REV]...")
@click.option("--role", type=click.Choice(["platform-owner", "reviewer"]), help="Sign as what.")
@click.option("--key", metavar="KEY", help="SSH key file; default: git's own signing key.")
@click.option("--reason", metavar="TEXT", help="Why, in a line; it is signed too.")
@click.option(
    "--bundle", type=click.Path(path_type=Path), metavar="FILE",
    help="Write the approval into a file to send, and nothing else.",
)  # fmt: skip
@click.option(
    "--evidence", multiple=True, type=click.Path(path_type=Path), metavar="PATH",
    help="Files or folders that the digests stand for.",
)  # fmt: skip
@click.option("--withdraw", "back", is_flag=True, help="Take back what you approved there.")
def command(
    names: tuple[str, ...],
    *,
    role: str | None,
    key: str | None,
    reason: str | None,
    bundle: Path | None,
    evidence: tuple[Path, ...],
    back: bool,
) -> int:
    """Show what a change does, sign it in a role, and stage the approval.

    A branch or pull request (BRANCH, origin/BRANCH, pull/7) is fetched, and the approval is
    committed on it.
    """
    repository = repository_here()
    asked = _Asked(names, key, role, reason, bundle, evidence)
    return _withdraw(repository, asked) if back else _approve(repository, asked)


def _approve(repository: Repository, asked: _Asked) -> int:
    if asked.role is None or asked.reason is None:
        missing = "--role" if asked.role is None else "--reason"
        raise click.UsageError(f"Missing option '{missing}'.")
    signer = load_signer(key_or_default(repository, asked.key), os.environ)
    role = ApprovalRole(asked.role)
    assent = Assent(signer, role, asked.reason, _show_change, asked.evidence)
    branch = _branch(repository, asked.names)
    if branch is None:
        paths = governed_paths(asked.names)
        given = approve_here(repository, assent, now(), paths, asked.bundle)
    elif branch.ref is None and asked.bundle is None:
        words = f"{asked.names[0]} names a commit, and the approval is committed on a branch"
        raise InputError(Problem("no-branch", words, "name its branch, or add --bundle FILE"))
    else:
        given = approve_branch(repository, assent, now(), branch, asked.bundle)
    kept = _where(asked, branch)
    nothing = f"nothing to approve: nothing that changed needs the role {asked.role}"
    return show(given, nothing, kept, then=_then(asked, branch))


def _withdraw(repository: Repository, asked: _Asked) -> int:
    if len(asked.names) > 1:
        words = "withdraw what was given on one branch, or one approval by its digest"
        raise InputError(Problem("one-name", words, "agentpolicy approve --withdraw BRANCH"))
    signer = load_signer(key_or_default(repository, asked.key), os.environ)
    name = asked.names[0] if asked.names else ""
    taken = withdraw(repository, signer, now(), name, asked.reason or "")
    for path in taken.approvals:
        say(f"{taken.person} withdraws {path}")
    say("it is void as soon as this lands on the policy ref")
    say(f"next: {taken.next_command}")
    return 0


def _branch(repository: Repository, names: tuple[str, ...]) -> Branch | None:
    """Take a lone word that is no path for the name of a branch, a pull request or a commit."""
    if len(names) != 1 or Path(names[0]).exists() or is_governed(governed_paths(names)[0]):
        return None
    return find_branch(repository, names[0], pin_of(repository).policy_ref)


def _show_change(proposal: Proposal) -> None:
    if proposal.report.documents:
        colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        click.echo(diff_text(DiffView(proposal.report), colour=colour), nl=False)


def _where(asked: _Asked, branch: Branch | None) -> Callable[[str], str]:
    if asked.bundle is not None:
        return lambda _: f"wrote {asked.bundle}"
    if branch is not None and branch.ref is not None:
        name = branch.ref.removeprefix("refs/heads/")
        return lambda path: f"committed {path} on {name}"
    return lambda path: f"staged {path}"


def _then(asked: _Asked, branch: Branch | None) -> str:
    if asked.bundle is not None:
        return f"agentpolicy approve import {asked.bundle}"
    return branch.push if branch is not None else ""
