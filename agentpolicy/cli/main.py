"""The list of commands. Each lives in a file of its own and is imported when it is typed."""

from importlib import import_module

import click

from agentpolicy import __version__
from agentpolicy.cli.context import say
from agentpolicy.cli.entry import EXIT_INTERRUPTED, EXIT_USAGE
from agentpolicy.cli.group import Group

COMMANDS = {
    "init": "Begin a policy repository: trust root, tool catalogue, pin.",
    "demo": "See the four promises kept, in a scratch repository.",
    "hook": "Install git's hooks, or take them out again.",
    "validate": "Read policy files strictly.",
    "rules": "List every rule, or explain one.",
    "diff": "Say whether a change tightens or loosens, and who must approve.",
    "sign": "Sign your own change of the policies.",
    "approve": "Approve somebody else's change of the policies.",
    "revert": "Take a change of the policies back, as a new one.",
    "roles": "Show and change the trust root.",
    "key": "List the keys of the trust root.",
    "check": "May this change land?",
    "runs": "Read run logs of any known format, and say what they carry.",
    "verify-history": "Judge every commit of the policy ref.",
    "gate": "Judge runs under the policy in force.",
    "calibrate": "Propose limits from what was measured; nothing is applied.",
    "knee": "Which step cap is the last that pays?",
    "volume": "What does the same run cost at another scale?",
    "drift": "Which sessions are unlike the usual ones?",
    "guard": "Stop runs in production above what the gate refuses.",
    "waiver": "Let a known crossing pass until a day.",
    "audit": "Ask the verdict log.",
    "report": "May this artefact ship?",
    "codeowners": "Route reviews to the people whose signatures a change needs.",
    "doctor": "Is everything wired, and is a loosening refused?",
    "git-diff-driver": "Show in git's own logs what a policy change means.",
}
"""What may be typed, with one line of help each, in the order people meet them."""


class _Commands(Group):
    """Imports a command's module only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Give the commands in the order people meet them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"agentpolicy.cli.{cmd_name.replace('-', '_')}").command
        assert isinstance(command, click.Command)
        return command

    def summary(self, ctx: click.Context, name: str) -> str:
        """Say what a command does without importing it."""
        return COMMANDS[name]


@click.command(cls=_Commands)
@click.version_option(__version__, prog_name="agentpolicy")
def program() -> None:
    """Rules for AI agents as signed YAML in git, with git enforcing them.

    Begin with `agentpolicy demo`, or in a repository of your own with `agentpolicy init`.

    Exit codes: 0 admitted, passed or nothing to do, 1 policy says no, 2 wrong usage or unreadable
    input, 3 could not decide.
    """


def run_command(arguments: list[str]) -> int:
    """Run what was typed and give its exit code."""
    try:
        result = program.main(arguments, prog_name="agentpolicy", standalone_mode=False)
    except click.UsageError as error:
        error.show()
        return EXIT_USAGE
    except click.ClickException as error:
        say(f"error: {error.format_message()}")
        return EXIT_USAGE
    except click.Abort:
        return EXIT_INTERRUPTED
    return result if isinstance(result, int) else 0
