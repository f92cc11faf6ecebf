"""`verify-history`: does the policy ref's history stand, commit by commit?"""

import click

from agentpolicy.cli.context import FORMAT, now, repository_here, say, write_json
from agentpolicy.cli.entry import EXIT_REFUSED, EXIT_UNDECIDED
from agentpolicy.report.history import History, no_log
from agentpolicy.report.history_json import history_json
from agentpolicy.report.history_text import history_text, pin_text
from agentpolicy.report.problems_text import problems_text
from agentpolicy.report.roles_view import reset_words
from agentpolicy.workflows.verify_history import verify_history


@click.command("verify-history")
@click.option("--since", metavar="COMMIT", help="Report only the commits behind this one.")
@click.option("--whole", is_flag=True, help="Judge again all that the pin has moved past.")
@FORMAT
def command(since: str | None, whole: bool, form: str) -> int:
    """Judge every commit of the policy ref, and move the pin to a tip that stands.

    Exit codes: 0 the history stands, or was put right before anybody had a
    verdict from it; 1 the tip is refused, or a verdict was recorded under an
    unusable commit; 3 it cannot be told.
    """
    history = verify_history(repository_here(), now(), since, whole=whole)
    if form == "json":
        write_json(history_json(history))
    else:
        click.echo(history_text(history), nl=False)
    _tell(history)
    if not history.stands:
        return EXIT_REFUSED
    return 0 if history.log_known else EXIT_UNDECIDED


def _tell(history: History) -> None:
    """Say what is wrong with the log, which resets the pin has made, and where the pin is now."""
    log = history.log
    if log is not None and not log.complete and not no_log(log):
        say(problems_text((*log.tampered, *log.unknown)))
    if history.authority is not None:
        for words in reset_words(history.authority):
            say(words)
    say(pin_text(history))
