"""Private keys that lie open in a file: read, and signed with, in this process.

Keys that are guarded (by a passphrase, by a security key) are told apart, so that the caller can
hand them to the program that reaches them. Import this only where something is signed: it costs
40 ms.
"""

import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass, field

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_ssh_private_key,
)

from agentpolicy.trust.keys import (
    ED25519,
    SK_ECDSA,
    SK_ED25519,
    PublicKey,
    parse_public_key,
    public_key_of,
)
from agentpolicy.trust.sshsig import assemble, signed_data
from agentpolicy.trust.wire import WireReader, mpint, string

_BEGIN = b"-----BEGIN OPENSSH PRIVATE KEY-----"
_END = b"-----END OPENSSH PRIVATE KEY-----"
_MAGIC = b"openssh-key-v1\0"
_HASH = "sha512"

_RawSigner = Callable[[bytes], tuple[str, bytes]]
"""Signs bytes, and gives the signature's algorithm and content."""


class GuardedKeyError(ValueError):
    """The key is encrypted or lives in a security key, so it cannot be used in process."""

    def __init__(self, message: str, public_key: PublicKey | None) -> None:
        """Carry the public key where the file tells it without being unlocked."""
        super().__init__(message)
        self.public_key = public_key


@dataclass(frozen=True, slots=True)
class PlainSigner:
    """Signs in process with a key that was read from a file."""

    public_key: PublicKey
    _sign: _RawSigner = field(repr=False)

    def sign(self, message: bytes, namespace: str) -> str:
        """Give the armoured SSH signature that ssh-keygen would make."""
        algorithm, raw = self._sign(signed_data(message, namespace, _HASH))
        signature = string(algorithm.encode("ascii")) + string(raw)
        return assemble(self.public_key, namespace, _HASH, signature)


def read_private_key(data: bytes) -> PlainSigner:
    """Read an unencrypted private key in OpenSSH's format or in PEM.

    Raises:
        GuardedKeyError: it is encrypted, or for a security key.
        ValueError: it is no private key, or of a kind that is not accepted.
    """
    try:
        if data.lstrip().startswith(_BEGIN):
            _refuse_guarded(data)
            return _signer_of(load_ssh_private_key(data, None))
        return _signer_of(load_pem_private_key(data, None))
    except TypeError as error:
        raise GuardedKeyError("the key is encrypted", None) from error
    except UnsupportedAlgorithm as error:
        raise ValueError(f"the key cannot be used: {error}") from error


def _refuse_guarded(data: bytes) -> None:
    """Read what OpenSSH leaves in the open: how the key is guarded, and the public key."""
    body = data.strip().removeprefix(_BEGIN).removesuffix(_END)
    try:
        reader = WireReader(base64.b64decode(b"".join(body.split()), validate=True))
    except binascii.Error as error:
        raise ValueError("the file holds no base64") from error
    if reader.take(len(_MAGIC)) != _MAGIC:
        raise ValueError("the file is not in OpenSSH's format")
    cipher = reader.text()
    reader.string()  # how the key to it is derived
    reader.string()  # and with which options
    count = reader.uint32()
    if count != 1:
        raise ValueError(f"the file holds {count} keys instead of one")
    public = public_key_of(reader.string())
    if cipher != "none":
        raise GuardedKeyError("the key is encrypted", public)
    if public.algorithm in (SK_ED25519, SK_ECDSA):
        raise GuardedKeyError("the key lives in a security key", public)


def _signer_of(private: object) -> PlainSigner:
    if isinstance(private, ed25519.Ed25519PrivateKey):
        return PlainSigner(_public(private), _ed25519(private))
    if isinstance(private, ec.EllipticCurvePrivateKey):
        return PlainSigner(_public(private), _ecdsa(private))
    if isinstance(private, rsa.RSAPrivateKey):
        return PlainSigner(_public(private), _rsa(private))
    raise ValueError("keys of this kind are not accepted; ed25519 is a good choice")


def _public(
    private: ed25519.Ed25519PrivateKey | ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey,
) -> PublicKey:
    line = private.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    return parse_public_key(line.decode("ascii"))


def _ed25519(private: ed25519.Ed25519PrivateKey) -> _RawSigner:
    def sign(data: bytes) -> tuple[str, bytes]:
        return ED25519, private.sign(data)

    return sign


def _ecdsa(private: ec.EllipticCurvePrivateKey) -> _RawSigner:
    chosen = {256: hashes.SHA256(), 384: hashes.SHA384(), 521: hashes.SHA512()}

    def sign(data: bytes) -> tuple[str, bytes]:
        bits = private.key_size
        pair = utils.decode_dss_signature(private.sign(data, ec.ECDSA(chosen[bits])))
        return f"ecdsa-sha2-nistp{bits}", b"".join(mpint(number) for number in pair)

    return sign


def _rsa(private: rsa.RSAPrivateKey) -> _RawSigner:
    def sign(data: bytes) -> tuple[str, bytes]:
        return "rsa-sha2-512", private.sign(data, padding.PKCS1v15(), hashes.SHA512())

    return sign
