"""`audit`: asks the verdict log, and verifies it."""

import click

from agentpolicy.cli.context import FORMAT, now, repository_here, say, write_json
from agentpolicy.cli.entry import EXIT_REFUSED, EXIT_UNDECIDED
from agentpolicy.cli.group import Group
from agentpolicy.gate.decision import Decision
from agentpolicy.provenance.log import VerifiedLog
from agentpolicy.provenance.query import Wanted
from agentpolicy.report.audit_json import query_json, verify_json
from agentpolicy.report.audit_text import query_text, verify_text
from agentpolicy.report.problems_text import problems_text
from agentpolicy.report.roles_view import reset_words
from agentpolicy.trust.authority import Authority
from agentpolicy.workflows import audit

_EXIT_CODES = {
    audit.Standing.OK: 0,
    audit.Standing.TAMPERED: EXIT_REFUSED,
    audit.Standing.UNKNOWN: EXIT_UNDECIDED,
}


@click.group("audit", cls=Group)
def command() -> None:
    """Ask the verdict log which rules judged what, and whether the log itself is whole.

    Exit codes: 0 the answer is complete, 1 the log was tampered with, 3 it cannot be told.
    """


@command.command("query")
@click.option("--commit", metavar="REV", help="Judged under this policy commit.")
@click.option("--decision", type=click.Choice([str(one) for one in Decision]), help="Decided so.")
@click.option("--agent", metavar="NAME", help="About this agent.")
@click.option("--subject", metavar="NAME", help="About this artefact, as its runs name it.")
@click.option("--verdict", metavar="DIGEST", help="This verdict; its first digits suffice.")
@FORMAT
def query(
    commit: str | None,
    decision: str | None,
    agent: str | None,
    subject: str | None,
    verdict: str | None,
    form: str,
) -> int:
    """List recorded verdicts, oldest first."""
    repository = repository_here()
    wanted = Wanted(commit, decision, agent, subject, verdict)
    authority = audit.authority_in_force(repository, now())
    audited = audit.query(repository, wanted, authority)
    _tell(audited.answer.log, authority)
    if form == "json":
        write_json(query_json(audited.answer))
    else:
        click.echo(query_text(audited.answer), nl=False)
    return _EXIT_CODES[audited.standing]


@command.command("verify")
@FORMAT
def verify(form: str) -> int:
    """Verify every signature and every link of the log."""
    repository = repository_here()
    authority = audit.authority_in_force(repository, now())
    audited = audit.verify(repository, authority)
    log, standing = audited.answer.log, str(audited.standing)
    _tell(log, authority)
    if form == "json":
        write_json(verify_json(log, standing))
    else:
        click.echo(verify_text(log, standing), nl=False)
    return _EXIT_CODES[audited.standing]


def _tell(log: VerifiedLog, authority: Authority) -> None:
    """Say what is wrong with the log: tampering first, then what is unknown or skipped.

    Where the pin once replaced the trust root, that is said every time.
    """
    for words in reset_words(authority):
        say(f"note: the trust root, {words}")
    problems = (*log.tampered, *log.unknown)
    if problems:
        say(problems_text(problems))
    for problem in log.foreign:
        say(f"note: {problems_text([problem])}")
