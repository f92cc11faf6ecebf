"""Public keys, as OpenSSH writes them. One key has one spelling here; every other is refused.

People are known by their keys, so two spellings of one key must never pass for two keys.
"""

import base64
import binascii
import hashlib
from collections.abc import Callable, Mapping
from functools import lru_cache

from agentpolicy.base.values import dataclass, field
from agentpolicy.trust.algorithms import KEPT_KEYS, ecdsa_key
from agentpolicy.trust.wire import WireReader

ED25519 = "ssh-ed25519"
RSA = "ssh-rsa"
SK_ED25519 = "sk-ssh-ed25519@openssh.com"
SK_ECDSA = "sk-ecdsa-sha2-nistp256@openssh.com"
ECDSA: Mapping[str, int] = {
    "ecdsa-sha2-nistp256": 256,
    "ecdsa-sha2-nistp384": 384,
    "ecdsa-sha2-nistp521": 521,
}
"""The accepted curves, with the size of their field in bits."""

MIN_RSA_BITS = 2048
MAX_RSA_BITS = 16384
"""The largest modulus OpenSSH takes."""
_MIN_EXPONENT = 3
_MAX_EXPONENT_BITS = 64
_WORDS = 2
"""What a line holds at least: the algorithm and the key."""
_ED25519_BYTES = 32
_ED25519_FIELD = 2**255 - 19
_ORDER_8 = 2707385501144840649318225287225658788936804267575313519463743609750303402022
_SMALL_ORDER = frozenset({0, 1, _ED25519_FIELD - 1, _ORDER_8, _ED25519_FIELD - _ORDER_8})
"""The y of the eight points under which a signature can be made without any secret."""
_UNCOMPRESSED = 4


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public key that passed every check of its algorithm. Made by the functions below."""

    algorithm: str
    blob: bytes = field(repr=False)
    """The wire encoding, which is what is compared and fingerprinted."""

    @property
    def fingerprint(self) -> str:
        """Name the key as `ssh-keygen -l` does: `SHA256:` and unpadded base64."""
        digest = hashlib.sha256(self.blob).digest()
        return "SHA256:" + base64.b64encode(digest).decode("ascii").rstrip("=")

    @property
    def line(self) -> str:
        """Write the key as a line of a `.pub` file, without a comment."""
        return f"{self.algorithm} {base64.b64encode(self.blob).decode('ascii')}"


def parse_public_key(text: str) -> PublicKey:
    """Read one line of a `.pub` file; a comment behind the key is dropped.

    Raises:
        ValueError: no OpenSSH public key, an algorithm that is not accepted, a weak key, or a
            spelling that is not the canonical one.
    """
    line = text.strip(" \t\r\n")
    words = line.replace("\t", " ").split(" ", maxsplit=2)
    if len(words) < _WORDS or "\n" in line or "\r" in line:
        raise ValueError(f"{line[:40]!r} is not an OpenSSH public key")
    try:
        blob = base64.b64decode(words[1], validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"{words[1][:40]!r} is not base64") from error
    key = public_key_of(blob)
    if key.line != f"{words[0]} {words[1]}":
        raise ValueError(f"{line[:40]!r} is not the canonical spelling of its key")
    return key


@lru_cache(KEPT_KEYS)
def public_key_of(blob: bytes) -> PublicKey:
    """Read the wire encoding of a public key; a history names the same few again and again.

    Raises:
        ValueError: as for `parse_public_key`.
    """
    reader = WireReader(blob)
    algorithm = reader.text()
    if algorithm not in _CHECKS:
        raise ValueError(f"{algorithm!r} keys are not accepted; ed25519 is a good choice")
    _CHECKS[algorithm](reader, algorithm)
    reader.end()
    return PublicKey(algorithm, blob)


def _check_ed25519(reader: WireReader, _algorithm: str) -> None:
    raw = reader.string()
    if len(raw) != _ED25519_BYTES:
        raise ValueError(f"an ed25519 key has {_ED25519_BYTES} bytes, not {len(raw)}")
    height = int.from_bytes(raw, "little") % 2**255
    if height >= _ED25519_FIELD or height in _SMALL_ORDER:
        raise ValueError("the ed25519 key is one that anybody can sign for")


def _check_ecdsa(reader: WireReader, algorithm: str) -> None:
    curve = algorithm.rsplit("-", 1)[-1]
    if reader.text() != curve:
        raise ValueError(f"the key names another curve than {curve}")
    _check_point(reader.string(), ECDSA[algorithm])


def _check_point(point: bytes, bits: int) -> None:
    if not point or point[0] != _UNCOMPRESSED:
        raise ValueError("the point of the ecdsa key is not written uncompressed")
    ecdsa_key(point, bits)


def _check_rsa(reader: WireReader, _algorithm: str) -> None:
    exponent, modulus = reader.mpint(), reader.mpint()
    if not MIN_RSA_BITS <= modulus.bit_length() <= MAX_RSA_BITS:
        raise ValueError(
            f"an RSA key of {modulus.bit_length()} bits is not accepted; "
            f"{MIN_RSA_BITS} is the least, ed25519 the better choice"
        )
    small, odd = exponent.bit_length() <= _MAX_EXPONENT_BITS, exponent % 2
    if exponent < _MIN_EXPONENT or not small or not odd:
        raise ValueError("the RSA exponent is not a small odd number above 1")
    if not modulus % 2:
        raise ValueError("the RSA modulus is even")


def _check_sk_ed25519(reader: WireReader, algorithm: str) -> None:
    _check_ed25519(reader, algorithm)
    _check_application(reader)


def _check_sk_ecdsa(reader: WireReader, _algorithm: str) -> None:
    _check_ecdsa(reader, "ecdsa-sha2-nistp256")
    _check_application(reader)


def _check_application(reader: WireReader) -> None:
    """A security key signs for web sites too; only what it signs as `ssh:` is meant for us."""
    application = reader.text()
    if not application.startswith("ssh:"):
        raise ValueError(f"the security key is registered for {application!r}, not for ssh")


_CHECKS: Mapping[str, Callable[[WireReader, str], None]] = {
    ED25519: _check_ed25519,
    RSA: _check_rsa,
    SK_ED25519: _check_sk_ed25519,
    SK_ECDSA: _check_sk_ecdsa,
    **dict.fromkeys(ECDSA, _check_ecdsa),
}
ACCEPTED = frozenset(_CHECKS)
"""The algorithms a key may be of, as its line names them."""
