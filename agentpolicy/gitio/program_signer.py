"""Signing through `ssh-keygen -Y sign`, which reaches encrypted keys, agents and security keys.

It is run so that it cannot ask anything, because hooks and CI have nobody to ask; what it lacked
is said with the command that gives it.
"""

import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.gitio.ssh_agent import why_not
from agentpolicy.trust.keys import SK_ECDSA, SK_ED25519, PublicKey
from agentpolicy.trust.sshsig import SignatureError, verify

_PROGRAM = "ssh-keygen"
_PATIENCE = 60
"""Seconds a security key gets to be touched."""
_PROMPTING = ("SSH_ASKPASS", "DISPLAY", "WAYLAND_DISPLAY")


@dataclass(frozen=True, slots=True)
class ProgramSigner:
    """Signs through `ssh-keygen`, which asks the agent or the security key."""

    public_key: PublicKey
    key_file: Path | None
    """The file to name to ssh-keygen; None: the public key itself, for a key of the agent."""
    environ: Mapping[str, str] = field(repr=False)

    def sign(self, message: bytes, namespace: str) -> str:
        """Give an armoured signature, which was verified to be by this key.

        Raises:
            InputError: ssh-keygen is missing, may not use the key, or used another one.
        """
        if self.key_file is not None:
            return self._checked(self.key_file, message, namespace)
        with tempfile.TemporaryDirectory(prefix="agentpolicy-") as folder:
            public = Path(folder, "key.pub")
            public.write_text(self.public_key.line + "\n", encoding="ascii")
            return self._checked(public, message, namespace)

    def _checked(self, key_file: Path, message: bytes, namespace: str) -> str:
        done = self._run(key_file, message, namespace)
        if done.returncode:
            raise self._cannot_sign(done.stderr or b"")
        armoured = done.stdout.decode("ascii", "replace")
        try:
            signed_by = verify(armoured, message, namespace)
        except SignatureError as error:
            words = f"{_PROGRAM} made a signature that does not hold: {error}"
            raise InputError(Problem("signature-unusable", words, _TRY_ANOTHER)) from error
        if signed_by != self.public_key:
            words = f"{_PROGRAM} signed with {signed_by.fingerprint} instead"
            raise InputError(Problem("signature-unusable", words, _TRY_ANOTHER))
        return armoured

    def _run(
        self, key_file: Path, message: bytes, namespace: str
    ) -> subprocess.CompletedProcess[bytes]:
        command = [_PROGRAM, "-Y", "sign", "-n", namespace, "-f", str(key_file)]
        try:
            return subprocess.run(
                command,
                input=message,
                env=without_prompts(self.environ),
                stdout=subprocess.PIPE,
                # a security key's request to be touched must reach the person
                stderr=None if self._is_token else subprocess.PIPE,
                check=False,
                timeout=_PATIENCE,
                # without a terminal of its own it cannot ask for a passphrase either
                start_new_session=True,
            )
        except FileNotFoundError as error:
            words = f"{_PROGRAM} is needed for this key and is not installed"
            hint = "install OpenSSH 8.2 or newer, or use a plain key file"
            raise InputError(Problem("ssh-keygen-missing", words, hint)) from error
        except subprocess.TimeoutExpired as error:
            words = f"{_PROGRAM} did not answer within {_PATIENCE} s"
            hint = "touch the security key when it blinks, then run the command again"
            raise InputError(Problem("signing-timed-out", words, hint)) from error

    @property
    def _is_token(self) -> bool:
        return self.public_key.algorithm in (SK_ED25519, SK_ECDSA)

    def _cannot_sign(self, stderr: bytes) -> InputError:
        """Say what ssh-keygen lacked, and how to give it."""
        name = str(self.key_file or self.public_key.fingerprint)
        lines = stderr.decode("utf-8", "replace").strip().splitlines()
        said = lines[-1] if lines else "it did not say why"
        message = f"{_PROGRAM} cannot sign with {name}: {said}"
        file = name.removesuffix(".pub")
        # ssh-keygen was given a file, so its folder may be looked into
        here = self.key_file is not None and Path(file).is_file()
        add = f"ssh-add {shlex.quote(file) if here else 'FILE'}"
        for telling, code, hint in _FAILURES:
            if any(telling in line for line in lines):
                return InputError(Problem(code, message, hint.format(file=shlex.quote(file))))
        if any(_LOCKED in line for line in lines):
            _, _, hint = why_not(self.public_key, add, self.environ)
            words = f"{name} is locked by a passphrase, and nobody is asked for it here"
            return InputError(Problem("key-locked", words, hint))
        if any(_NOT_HELD in line for line in lines):
            code, why, hint = why_not(self.public_key, add, self.environ)
            return InputError(Problem(code, f"{name} is only the public half, and {why}", hint))
        if self._is_token:
            words = f"the security key of {name} did not sign; {_PROGRAM} says above why"
            hint = f"plug it in; where it asks for a PIN, give it to the agent first: {add}"
            return InputError(Problem("security-key-failed", words, hint))
        return InputError(Problem("signing-failed", message, _TRY_ANOTHER))


def without_prompts(environ: Mapping[str, str]) -> dict[str, str]:
    """Give a program the environment without what it could ask a person with."""
    quiet = {name: value for name, value in environ.items() if name not in _PROMPTING}
    return quiet | {"SSH_ASKPASS_REQUIRE": "never", "LC_ALL": "C"}


_TRY_ANOTHER = "ssh-add -l shows the keys of the agent; name another key with --key"
_LOCKED = "incorrect passphrase"
_NOT_HELD = "No private key found"
_FAILURES = (
    ("UNPROTECTED PRIVATE KEY", "key-unprotected", "chmod 600 {file}"),
    (
        "agent refused",
        "agent-refused",
        "confirm in the agent's window, or touch the key; ssh-add -X unlocks an agent",
    ),
    (
        "unknown option",
        "ssh-keygen-missing",
        "install OpenSSH 8.2 or newer, or use a plain key file",
    ),
)
"""What ssh-keygen says, what it means, and what to type."""
