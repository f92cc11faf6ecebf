"""The keys people sign with: plain key files in process, everything else through ssh-keygen.

Encrypted keys, keys of an agent and security keys never leave where they are.
"""

import shlex
from collections.abc import Mapping
from pathlib import Path

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.gitio.program_signer import ProgramSigner
from agentpolicy.trust.envelope import Signer
from agentpolicy.trust.foreign_keys import foreign_key
from agentpolicy.trust.keys import ACCEPTED, PublicKey, parse_public_key

LITERAL = "key::"
"""What git puts before a public key that stands in its configuration itself."""
_PRIVATE = b"-----BEGIN "
_NEW_KEY = "ssh-keygen -t ed25519 makes a key; name its file with --key"


def is_literal(key: str) -> bool:
    """Say whether a key is given as a public key itself, not as a file."""
    kind, _, rest = key.partition(" ")
    known = kind in ACCEPTED or kind.endswith("-cert-v01@openssh.com")
    return key.startswith(LITERAL) or (known and rest.startswith("AAAA"))


def load_signer(path: str, environ: Mapping[str, str]) -> Signer:
    """Find the key a person named: a key file, its `.pub`, or a public key that an agent holds.

    A `.pub` stands for the plain key file beside it, if there is one, else for the agent's key.

    Raises:
        InputError: there is no such file, or it holds no key that is accepted.
    """
    if is_literal(path):
        public = _public(path.removeprefix(LITERAL), "the public key that was given")
        return ProgramSigner(public, None, environ)
    file, data = _named(path)
    if data.lstrip().startswith(_PRIVATE):
        return _signer_of_private(file, data, environ)
    public = _public(data.decode("utf-8", "replace"), str(file))
    return _plain_beside(file, public, environ) or ProgramSigner(public, file, environ)


def expanded(path: str) -> Path:
    """Let `~` mean a home folder, where there is one."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def _named(path: str) -> tuple[Path, bytes]:
    """Read the file a person named, or the `.pub` beside where it would be."""
    file = expanded(path)
    data = _read(file)
    if data is not None:
        return file, data
    public_file = _beside(file)
    data = _read(public_file)
    if data is not None:
        return public_file, data
    raise InputError(Problem("key-missing", "there is no such key file", _NEW_KEY, str(file)))


def _beside(file: Path) -> Path:
    return file.with_name(file.name + ".pub")


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
            name = shlex.quote(str(file))
            hint = f"ssh-keygen -y -f {name} > {name}.pub && ssh-add {name}"
            raise InputError(Problem("public-key-missing", words, hint, str(file))) from error
        return ProgramSigner(public, file, environ)
    except ValueError as error:
        raise _unreadable(data, str(file), error) from error


def _plain_beside(
    public_file: Path, public: PublicKey, environ: Mapping[str, str]
) -> Signer | None:
    """Give the signer of the key file that a `.pub` belongs to; None where it is not there."""
    file = public_file.with_suffix("")
    data = _read(file) if public_file.suffix == ".pub" else None
    if data is None or foreign_key(data, str(file)) is not None:
        return None
    signer = _signer_of_private(file, data, environ)
    return signer if signer.public_key == public else None


def _public_beside(file: Path) -> PublicKey | None:
    public_file = _beside(file)
    data = _read(public_file)
    return None if data is None else _public(data.decode("utf-8", "replace"), str(public_file))


def _public(text: str, source: str) -> PublicKey:
    try:
        return parse_public_key(text)
    except ValueError as error:
        raise _unreadable(text.encode("utf-8"), source, error) from error


def _read(file: Path) -> bytes | None:
    """Read a file; None where there is none."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except PermissionError as error:
        words = f"the key file {file} may not be read"
        hint = f"ls -l {shlex.quote(str(file))}   # chmod 600 is what a key file of one's own has"
        raise InputError(Problem("key-unreadable", words, hint, str(file))) from error
    except OSError as error:
        words = f"the key file {file} cannot be read: {error.strerror}"
        hint = f"ls -l {shlex.quote(str(file))}"
        raise InputError(Problem("key-unreadable", words, hint, str(file))) from error


def _unreadable(data: bytes, source: str, error: ValueError) -> InputError:
    """Say what a file holds that cannot be used, and how to come to a key that can."""
    words, hint = f"{source} holds no key that can be used: {error}", _NEW_KEY
    foreign = foreign_key(data, source)
    if foreign is not None:
        what, hint = foreign
        words = f"{source} is {what}"
    return InputError(Problem("key-unreadable", words, hint, source))
