"""The keys people sign with: plain key files in process, everything else through ssh-keygen.

Encrypted keys, keys of an agent and security keys never leave where they are: `ssh-keygen -Y sign`
reaches them. It is run so that it cannot ask anything, because hooks and CI have nobody to ask.
"""

import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.trust.envelope import Signer
from agentpolicy.trust.keys import ACCEPTED, PublicKey, parse_public_key
from agentpolicy.trust.sshsig import SignatureError, verify

_PROGRAM = "ssh-keygen"
_PATIENCE = 60
"""Seconds a security key gets to be touched."""
_PROMPTING = ("SSH_ASKPASS", "DISPLAY", "WAYLAND_DISPLAY")
_LITERAL = "key::"
"""What git puts before a public key that stands in its configuration itself."""
_PRIVATE = b"-----BEGIN "
_NEW_KEY = "ssh-keygen -t ed25519 makes a key; name its file with --key"


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
            name = str(self.key_file or self.public_key.fingerprint)
            raise _cannot_sign(name, done.stderr or b"")
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
        quiet = {name: value for name, value in self.environ.items() if name not in _PROMPTING}
        command = [_PROGRAM, "-Y", "sign", "-n", namespace, "-f", str(key_file)]
        try:
            return subprocess.run(
                command,
                input=message,
                env=quiet | {"SSH_ASKPASS_REQUIRE": "never", "LC_ALL": "C"},
                stdout=subprocess.PIPE,
                # a security key's request to be touched must reach the person
                stderr=None if self.public_key.algorithm.startswith("sk-") else subprocess.PIPE,
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


def load_signer(path: str, environ: Mapping[str, str]) -> Signer:
    """Find the key a person named: a key file, its `.pub`, or a public key that an agent holds.

    A `.pub` stands for the plain key file beside it, if there is one, else for the agent's key.

    Raises:
        InputError: there is no such file, or it holds no key that is accepted.
    """
    if path.startswith((_LITERAL, *(f"{name} " for name in ACCEPTED))):
        return ProgramSigner(_public(path.removeprefix(_LITERAL), path), None, environ)
    file = Path(path).expanduser()
    public_file = file.with_name(file.name + ".pub")
    if not file.exists() and public_file.is_file():
        file = public_file
    data = _read(file)
    if data.lstrip().startswith(_PRIVATE):
        return _signer_of_private(file, data, environ)
    public = _public(data.decode("utf-8", "replace"), str(file))
    return _plain_beside(file, public, environ) or ProgramSigner(public, file, environ)


def default_key(config: Mapping[str, str]) -> str | None:
    """Give the key git itself signs with, when it signs with SSH keys; None when it does not."""
    settings = {name.lower(): value for name, value in config.items()}
    if settings.get("gpg.format", "").lower() != "ssh":
        return None
    return settings.get("user.signingkey") or None


def _signer_of_private(file: Path, data: bytes, environ: Mapping[str, str]) -> Signer:
    # 40 ms of imports that only signing needs
    from agentpolicy.trust.private_key import (  # noqa: PLC0415 - see above
        GuardedKeyError,
        read_private_key,
    )

    try:
        return read_private_key(data)
    except GuardedKeyError as error:
        public = error.public_key or _public_beside(file)
        if public is None:
            words = f"{file} is encrypted and does not tell its public key"
            hint = f"ssh-keygen -y -f {file} > {file}.pub && ssh-add {file}"
            raise InputError(Problem("public-key-missing", words, hint, str(file))) from error
        return ProgramSigner(public, file, environ)
    except ValueError as error:
        raise _unreadable(str(file), error) from error


def _plain_beside(
    public_file: Path, public: PublicKey, environ: Mapping[str, str]
) -> Signer | None:
    """Give the signer of the key file that a `.pub` belongs to; None where it is not there."""
    file = public_file.with_suffix("")
    if public_file.suffix != ".pub" or not file.is_file():
        return None
    signer = _signer_of_private(file, _read(file), environ)
    return signer if signer.public_key == public else None


def _public_beside(file: Path) -> PublicKey | None:
    public_file = file.with_name(file.name + ".pub")
    if not public_file.is_file():
        return None
    return _public(_read(public_file).decode("utf-8", "replace"), str(public_file))


def _public(text: str, source: str) -> PublicKey:
    try:
        return parse_public_key(text)
    except ValueError as error:
        raise _unreadable(source, error) from error


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError as error:
        words = f"there is no key file {file}"
        raise InputError(Problem("key-missing", words, _NEW_KEY, str(file))) from error
    except OSError as error:
        words = f"the key file {file} cannot be read: {error.strerror}"
        raise InputError(Problem("key-unreadable", words, f"ls -l {file}", str(file))) from error


def _unreadable(source: str, error: ValueError) -> InputError:
    words = f"{source} holds no key that can be used: {error}"
    return InputError(Problem("key-unreadable", words, _NEW_KEY, source))


def _cannot_sign(name: str, stderr: bytes) -> InputError:
    """Say what ssh-keygen lacked, and how to give it."""
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    words = lines[-1] if lines else "it did not say why"
    message = f"{_PROGRAM} cannot sign with {name}: {words}"
    for telling, code, hint in _FAILURES:
        if any(telling in line for line in lines):
            return InputError(Problem(code, message, hint.format(key=name.removesuffix(".pub"))))
    return InputError(Problem("signing-failed", message, _TRY_ANOTHER))


_TRY_ANOTHER = "ssh-add -l shows the keys of the agent; name another key with --key"
_FAILURES = (
    ("UNPROTECTED PRIVATE KEY", "key-unprotected", "chmod 600 {key}"),
    ("incorrect passphrase", "key-locked", "ssh-add {key}"),
    ("agent refused", "agent-refused", "ssh-add -X unlocks an agent; or confirm, or touch the key"),
    ("No private key found", "key-missing", "ssh-add {key}"),
)
"""What ssh-keygen says, what it means, and what to type."""
