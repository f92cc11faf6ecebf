"""What the SSH agent holds, asked only to say why a key could not be used.

ssh-keygen says the same words whether no agent runs, the agent is locked, or it lacks the key.
"""

import subprocess
from collections.abc import Mapping

from agentpolicy.trust.keys import PublicKey

_PROGRAM = "ssh-add"
_PATIENCE = 10
_NO_KEYS, _NO_AGENT = 1, 2
"""What `ssh-add -L` exits with."""
_SOCKET = "SSH_AUTH_SOCK"


def why_not(key: PublicKey, add: str, environ: Mapping[str, str]) -> tuple[str, str, str]:
    """Say why the agent did not sign with a key: a code, a clause, and the next command.

    Args:
        key: the key that was to sign.
        add: the command that gives it to an agent.
        environ: where the agent is found.
    """
    start = f'eval "$(ssh-agent -s)" && {add}'
    socket = environ.get(_SOCKET)
    if not socket:
        return "no-agent", f"no agent is known here ({_SOCKET} is not set)", start
    listed = _listed(environ)
    if listed is None:
        return "key-missing", "whether the agent holds it cannot be told", add
    code, lines = listed
    if code == _NO_AGENT:
        return "no-agent", f"no agent answers at {_SOCKET}={socket}", start
    if code == _NO_KEYS:
        hint = f"{add}; a locked agent shows no keys either: ssh-add -X unlocks it"
        return "agent-empty", "the agent shows no keys", hint
    if any(line.startswith(key.line) for line in lines):
        hint = "confirm in the agent's window, or touch the key; ssh-add -X unlocks an agent"
        return "agent-refused", "the agent holds the key and did not sign with it", hint
    return "key-missing", f"the agent holds {_count(len(lines))}, not this one", add


def _listed(environ: Mapping[str, str]) -> tuple[int, list[str]] | None:
    """Ask for the public keys; None where nobody can be asked."""
    try:
        done = subprocess.run(
            [_PROGRAM, "-L"],
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_PATIENCE,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.returncode, done.stdout.decode("utf-8", "replace").splitlines()


def _count(keys: int) -> str:
    return "another key" if keys == 1 else f"{keys} other keys"
