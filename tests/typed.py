"""The commands that refusals end with, typed as they stand by somebody with the script on PATH."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.policy_repo import KEYS, PolicyRepo, Ran

SCRIPTS = Path(sys.executable).parent
"""Where the installed `agentpolicy` is."""


def commands_in(said: str) -> Iterator[str]:
    """Give the commands that some words end with, each once, in their order."""
    lines = (line.strip().removeprefix("remote: ") for line in said.splitlines())
    found = (line.removeprefix("next: ").strip() for line in lines if line.startswith("next: "))
    yield from dict.fromkeys(found)


def typed(made: PolicyRepo, command: str, who: str = "alice") -> Ran:
    """Type a command line as it was printed, with one's own key and a reason put in."""
    command = command.replace("KEY", str(KEYS / who)).replace("…", "as agreed")
    path = os.pathsep.join((str(SCRIPTS), made.repo.environ["PATH"]))
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=made.path,
        env={**made.repo.environ, "PATH": path, "NO_COLOR": "1", "GIT_EDITOR": "true"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=120,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def must_type(made: PolicyRepo, command: str, who: str = "alice") -> Ran:
    """Type a command line and insist on exit 0."""
    ran = typed(made, command, who)
    assert ran.code == 0, (command, ran)
    return ran


def type_next(made: PolicyRepo, said: str, starts: str, who: str = "alice") -> Ran:
    """Type the first of the next commands that starts so, and insist that it does its work."""
    offered = tuple(commands_in(said))
    command = next((one for one in offered if one.startswith(starts)), None)
    assert command is not None, (starts, offered, said)
    return must_type(made, command, who)
