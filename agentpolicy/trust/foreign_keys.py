"""Key files of other kinds than the accepted ones: told apart, with the way to a usable key."""

import shlex

_NEW_KEY = "ssh-keygen -t ed25519 makes a key; name its file with --key"
_CERTIFIED = b"-cert-v01@openssh.com "
_KINDS = (
    (b"PuTTY-User-Key-File-", "a PuTTY key", "puttygen {file} -O private-openssh -o {new}"),
    (b"---- BEGIN SSH2 PUBLIC", "a public key in RFC 4716 form", "ssh-keygen -i -f {file} > {new}"),
    (
        b"-----BEGIN PUBLIC KEY",
        "a public key in PEM form",
        "ssh-keygen -i -m PKCS8 -f {file} > {new}",
    ),
    (
        b"-----BEGIN RSA PUBLIC KEY",
        "a public key in PEM form",
        "ssh-keygen -i -m PEM -f {file} > {new}",
    ),
    (b"-----BEGIN PGP ", "an OpenPGP key", _NEW_KEY),
    (b"-----BEGIN CERTIFICATE", "an X.509 certificate", _NEW_KEY),
)
"""How a file begins, what it is, and what to type."""


def foreign_key(data: bytes, file: str) -> tuple[str, str] | None:
    """Say what a file holds instead of an SSH key, and the next command; None where it may be one.

    Args:
        data: the file's content, or a public key that was given in its place.
        file: its name, for the command.
    """
    beginning = data.lstrip()
    if _CERTIFIED in beginning.split(b"\n", 1)[0]:
        words = "an SSH certificate; people are known by their keys, whoever certified them"
        plain = file.removesuffix("-cert.pub")
        named = f"--key {shlex.quote(plain)} names the key itself"
        return words, named if plain != file else "name the key that was certified with --key"
    for start, what, command in _KINDS:
        if beginning.startswith(start):
            new = file + (".pub" if "public" in what else ".openssh")
            return what, command.format(file=shlex.quote(file), new=shlex.quote(new))
    return None
