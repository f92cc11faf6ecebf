"""Where every invocation begins, and the one place where exceptions become exit codes.

Hooks are answered from here without importing the rest of the command line: start-up is most of
what a hook costs.
"""

import gc
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

EXIT_REFUSED = 1
EXIT_USAGE = 2
EXIT_UNDECIDED = 3
EXIT_BUG = 70
EXIT_INTERRUPTED = 130

_OBJECTS_BETWEEN_COLLECTIONS = 100_000
"""A hook seldom makes so many; looking for garbage while importing would find none."""


def main() -> None:
    """Run the command that was typed and leave with its exit code."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"] and arguments[1:] and arguments[1].startswith("pre-"):
        gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
        _leave_at_once(run(lambda: _hook(arguments)))
    sys.exit(run(lambda: _run_command(arguments)))


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


def _hook(arguments: list[str]) -> int:
    from agentpolicy.cli.hook_entry import HOOKS, answer  # noqa: PLC0415 - the quick way

    return answer(arguments[1]) if arguments[1] in HOOKS else _run_command(arguments)


def _run_command(arguments: list[str]) -> int:
    from agentpolicy.cli.main import run_command  # noqa: PLC0415 - click is not for hooks

    return run_command(arguments)


def _leave_at_once(code: int) -> NoReturn:
    """End the process without taking every module apart, which costs more than many a hook."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody reads any more
            stream.flush()
    os._exit(code)
