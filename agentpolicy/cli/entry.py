"""Where every invocation begins, and the one place where exceptions become exit codes.

Hooks are answered from here without importing the rest of the command line: start-up is most of
what a hook costs.
"""

import sys
from collections.abc import Callable

EXIT_REFUSED = 1
EXIT_USAGE = 2
EXIT_UNDECIDED = 3
EXIT_BUG = 70
EXIT_INTERRUPTED = 130


def main() -> None:
    """Run the command that was typed and leave with its exit code."""
    arguments = sys.argv[1:]
    sys.exit(run(lambda: _dispatch(arguments)))


def run(command: Callable[[], int]) -> int:
    """Run a command; say in words what kept it from deciding, and give the exit code."""
    from agentpolicy.base.errors import AgentPolicyError  # noqa: PLC0415 - after argv was read

    try:
        return command()
    except AgentPolicyError as error:
        from agentpolicy.report.problems_text import problems_text  # noqa: PLC0415 - only when needed

        print(problems_text(error.problems), file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return EXIT_REFUSED
    except Exception as error:  # noqa: BLE001 - whatever it is, it must not pass for an answer
        from agentpolicy.cli.bug import report_bug  # noqa: PLC0415 - only when needed

        print(report_bug(error), file=sys.stderr)
        return EXIT_BUG


def _dispatch(arguments: list[str]) -> int:
    if arguments[:1] == ["hook"] and len(arguments) > 1:
        from agentpolicy.cli.hook_entry import HOOKS, answer  # noqa: PLC0415 - the quick way

        if arguments[1] in HOOKS:
            return answer(arguments[1])
    from agentpolicy.cli.main import run_command  # noqa: PLC0415 - click is not for hooks

    return run_command(arguments)
