"""SSH signatures (`ssh-keygen -Y sign`), read, verified and made without starting a program.

What is accepted here, `ssh-keygen -Y verify` accepts too. Stricter than it: SHA-1 and keys that
`keys` refuses are out, security keys must have been touched, and there is one spelling.
The format is OpenSSH's PROTOCOL.sshsig.
"""

import binascii
import hashlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from agentpolicy.base.values import dataclass
from agentpolicy.trust import algorithms
from agentpolicy.trust.keys import (
    ECDSA,
    ED25519,
    RSA,
    SK_ECDSA,
    SK_ED25519,
    PublicKey,
    public_key_of,
)
from agentpolicy.trust.wire import WireReader, string

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_MAGIC = b"SSHSIG"
_VERSION = 1
_BEGIN = "-----BEGIN SSH SIGNATURE-----"
_END = "-----END SSH SIGNATURE-----"
_WIDTH = 70
"""Characters a line of base64 holds, as ssh-keygen writes it."""
_HASHES = frozenset({"sha256", "sha512"})
_RSA_BITS = {"rsa-sha2-256": 256, "rsa-sha2-512": 512}
_TOUCHED = 0x01
"""The flag a security key sets when somebody was there to touch it."""


class SignatureError(ValueError):
    """The signature does not stand: malformed, of a refused kind, or over other bytes."""


@dataclass(frozen=True, slots=True)
class SshSignature:
    """An SSH signature taken apart, not yet verified."""

    key: PublicKey
    namespace: str
    hash_name: str
    algorithm: str
    rest: bytes
    """What follows the algorithm's name, which the algorithm reads."""


def verify(armoured: str, message: bytes, namespace: str) -> PublicKey:
    """Give the key that signed `message` for exactly this namespace.

    Whether that key may sign is for the trust root to say.

    Raises:
        SignatureError: nothing that counts was signed, with the reason.
    """
    try:
        signature = parse(armoured)
        holds = _holds(signature, message, namespace)
    except ValueError as error:
        raise SignatureError(f"the signature does not count: {error}") from error
    if not holds:
        raise SignatureError("the signature does not match what it is said to sign")
    return signature.key


def parse(armoured: str) -> SshSignature:
    """Take an armoured signature apart.

    Raises:
        ValueError: another armour, version, key or hash than the accepted ones, or bytes that
            nothing reads.
    """
    reader = WireReader(dearmour(armoured))
    if reader.take(len(_MAGIC)) != _MAGIC:
        raise ValueError("it is not an SSH signature")
    version = reader.uint32()
    if version != _VERSION:
        raise ValueError(f"version {version} is not known")
    key = public_key_of(reader.string())
    namespace = reader.text()
    if not namespace:
        raise ValueError("it names no namespace")
    if reader.string():
        raise ValueError("its reserved field is not empty")
    hash_name = reader.text()
    if hash_name not in _HASHES:
        raise ValueError(f"the hash {hash_name!r} is not accepted")
    inner = WireReader(reader.string())
    reader.end()
    algorithm = inner.text()
    return SshSignature(key, namespace, hash_name, algorithm, inner.data[inner.at :])


def signed_data(message: bytes, namespace: str, hash_name: str) -> bytes:
    """Give the bytes the key's algorithm really signs."""
    digest = hashlib.new(hash_name, message).digest()
    namespace_and_reserved = string(namespace.encode("ascii")) + string(b"")
    return _MAGIC + namespace_and_reserved + string(hash_name.encode("ascii")) + string(digest)


def sign_ed25519(message: bytes, private_key: "Ed25519PrivateKey", namespace: str) -> str:
    """Sign as `ssh-keygen -Y sign` does with this key, and give the armoured signature."""
    public = private_key.public_key().public_bytes_raw()
    key = public_key_of(string(ED25519.encode()) + string(public))
    raw = private_key.sign(signed_data(message, namespace, "sha512"))
    return assemble(key, namespace, "sha512", string(ED25519.encode()) + string(raw))


def assemble(key: PublicKey, namespace: str, hash_name: str, signature: bytes) -> str:
    """Put an armoured signature together from its parts."""
    texts = (namespace.encode("ascii"), b"", hash_name.encode("ascii"), signature)
    fields = b"".join(string(part) for part in (key.blob, *texts))
    return armour(_MAGIC + _VERSION.to_bytes(4, "big") + fields)


def armour(blob: bytes) -> str:
    """Write a signature as text, in lines as ssh-keygen breaks them."""
    text = binascii.b2a_base64(blob, newline=False).decode("ascii")
    lines = [text[at : at + _WIDTH] for at in range(0, len(text), _WIDTH)]
    return "\n".join((_BEGIN, *lines, _END, ""))


def dearmour(text: str) -> bytes:
    """Read back what `armour` or ssh-keygen wrote.

    Raises:
        ValueError: any other spelling.
    """
    body = text.removeprefix(_BEGIN + "\n").removesuffix("\n" + _END + "\n")
    try:
        blob = binascii.a2b_base64(body)
    except ValueError as error:
        raise ValueError("the armour holds no base64") from error
    if armour(blob) != text:
        raise ValueError("the armour is not as ssh-keygen writes it")
    return blob


def _holds(signature: SshSignature, message: bytes, namespace: str) -> bool:
    if signature.namespace != namespace:
        raise ValueError(f"it was made for {signature.namespace!r}, not for {namespace!r}")
    signed = signed_data(message, namespace, signature.hash_name)
    return _CHECKS[signature.key.algorithm](signature, signed)


def _ed25519(signature: SshSignature, signed: bytes) -> bool:
    _must_be(signature, ED25519)
    reader = WireReader(signature.rest)
    raw = reader.string()
    reader.end()
    return algorithms.ed25519_holds(_fields(signature.key)[0], raw, signed)


def _ecdsa(signature: SshSignature, signed: bytes) -> bool:
    algorithm = signature.key.algorithm
    _must_be(signature, algorithm)
    reader = WireReader(signature.rest)
    r, s = _r_and_s(reader.string())
    reader.end()
    point = _fields(signature.key)[1]
    return algorithms.ecdsa_holds(point, ECDSA[algorithm], r, s, signed)


def _rsa(signature: SshSignature, signed: bytes) -> bool:
    if signature.algorithm not in _RSA_BITS:
        raise ValueError(f"RSA signatures of type {signature.algorithm!r} are not accepted")
    reader = WireReader(signature.rest)
    raw = reader.string()
    reader.end()
    exponent, modulus = (int.from_bytes(part, "big") for part in _fields(signature.key))
    bits = _RSA_BITS[signature.algorithm]
    return algorithms.rsa_holds(exponent, modulus, raw, bits, signed)


def _sk_ed25519(signature: SshSignature, signed: bytes) -> bool:
    _must_be(signature, SK_ED25519)
    public, application = _fields(signature.key)
    raw, signed_by_token = _token(signature, application, signed)
    return algorithms.ed25519_holds(public, raw, signed_by_token)


def _sk_ecdsa(signature: SshSignature, signed: bytes) -> bool:
    _must_be(signature, SK_ECDSA)
    _curve, point, application = _fields(signature.key)
    raw, signed_by_token = _token(signature, application, signed)
    r, s = _r_and_s(raw)
    return algorithms.ecdsa_holds(point, 256, r, s, signed_by_token)


_CHECKS: Mapping[str, Callable[[SshSignature, bytes], bool]] = {
    ED25519: _ed25519,
    RSA: _rsa,
    SK_ED25519: _sk_ed25519,
    SK_ECDSA: _sk_ecdsa,
    **dict.fromkeys(ECDSA, _ecdsa),
}


def _must_be(signature: SshSignature, algorithm: str) -> None:
    if signature.algorithm != algorithm:
        raise ValueError(f"a {algorithm} key does not make {signature.algorithm!r} signatures")


@lru_cache(algorithms.KEPT_KEYS)
def _fields(key: PublicKey) -> tuple[bytes, ...]:
    """Give the fields of a checked key behind its algorithm."""
    reader = WireReader(key.blob)
    reader.string()
    fields = []
    while reader.at < len(key.blob):
        fields.append(reader.string())
    return tuple(fields)


def _r_and_s(blob: bytes) -> tuple[int, int]:
    reader = WireReader(blob)
    pair = reader.mpint(), reader.mpint()
    reader.end()
    return pair


def _token(signature: SshSignature, application: bytes, signed: bytes) -> tuple[bytes, bytes]:
    """Give a security key's raw signature and the bytes it signed (PROTOCOL.u2f)."""
    reader = WireReader(signature.rest)
    raw, flags, counter = reader.string(), reader.take(1), reader.take(4)
    reader.end()
    if not flags[0] & _TOUCHED:
        raise ValueError("the security key signed without being touched")
    digests = (hashlib.sha256(part).digest() for part in (application, signed))
    about, what = digests
    return raw, about + flags + counter + what
