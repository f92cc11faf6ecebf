"""The key git itself signs with, so that nobody has to name it twice."""

import shlex
import subprocess

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.gitio.program_signer import without_prompts
from agentpolicy.gitio.repository import Repository
from agentpolicy.gitio.signing import LITERAL, expanded, is_literal

_FORMAT, _KEY, _COMMAND = "gpg.format", "user.signingKey", "gpg.ssh.defaultKeyCommand"
_PATIENCE = 30


def default_key(repository: Repository) -> str | None:
    """Give the key git signs with, when it signs with SSH keys; None when it does not.

    As git does: `user.signingKey` is a public key or a file (from the top of the work tree), and
    without one `gpg.ssh.defaultKeyCommand` prints a public key.

    Raises:
        InputError: the command fails, or prints no key.
    """
    if (repository.config(_FORMAT) or "").lower() != "ssh":
        return None
    key = repository.config(_KEY)
    if key:
        return key if is_literal(key) else str(repository.cwd / expanded(key))
    command = repository.config(_COMMAND)
    return _printed_by(command, repository) if command else None


def _printed_by(command: str, repository: Repository) -> str:
    """Run the command as git does, without a shell, and read the first line it prints."""
    try:
        done = subprocess.run(
            shlex.split(command),
            cwd=repository.cwd,
            env=without_prompts(repository.environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_PATIENCE,
            start_new_session=True,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise _no_key(command, str(error)) from error
    said = done.stdout.decode("utf-8", "replace").partition("\n")[0].strip()
    if done.returncode:
        words = done.stderr.decode("utf-8", "replace").strip() or said
        raise _no_key(command, words.partition("\n")[0] or f"exit {done.returncode}")
    if not is_literal(said):
        raise _no_key(command, f"it printed {said[:40]!r}" if said else "it printed nothing")
    return said if said.startswith(LITERAL) else LITERAL + said


def _no_key(command: str, why: str) -> InputError:
    words = f"{_COMMAND} gave no public key: {why}"
    return InputError(Problem("key-command-failed", words, f"{command}   # must print a key"))
