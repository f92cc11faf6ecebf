"""The signature algorithms themselves, each imported when a key of its kind is met.

`cryptography` does the arithmetic; its exceptions end here as False or ValueError.
"""

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

KEPT_KEYS = 256
"""How many public keys stay parsed; more people than that may sign, only slower."""


def ed25519_holds(public: bytes, signature: bytes, message: bytes) -> bool:
    """Say whether an Ed25519 signature (64 bytes) is by the key of these 32 bytes."""
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - 6 ms, see above

    try:
        _ed25519_key(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


@lru_cache(KEPT_KEYS)
def _ed25519_key(public: bytes) -> "Ed25519PublicKey":
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415 - see above
        Ed25519PublicKey,
    )

    return Ed25519PublicKey.from_public_bytes(public)


@lru_cache(KEPT_KEYS)
def ecdsa_key(point: bytes, bits: int) -> "EllipticCurvePublicKey":
    """Read an uncompressed point of the NIST curve over a field of `bits` bits.

    Raises:
        ValueError: the point is not on the curve.
    """
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 - 2 ms, see above

    curves = {256: ec.SECP256R1(), 384: ec.SECP384R1(), 521: ec.SECP521R1()}
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(curves[bits], point)
    except ValueError as error:
        raise ValueError(f"the key is not a point of the curve nistp{bits}") from error


def ecdsa_holds(point: bytes, bits: int, r: int, s: int, message: bytes) -> bool:
    """Say whether an ECDSA signature is by this key; the curve decides the hash (RFC 5656)."""
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - 2 ms, see above
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415 - as above
    from cryptography.hazmat.primitives.asymmetric import ec, utils  # noqa: PLC0415 - as above

    chosen = {256: hashes.SHA256(), 384: hashes.SHA384(), 521: hashes.SHA512()}[bits]
    encoded = utils.encode_dss_signature(r, s)
    try:
        ecdsa_key(point, bits).verify(encoded, message, ec.ECDSA(chosen))
    except InvalidSignature:
        return False
    return True


def rsa_holds(exponent: int, modulus: int, signature: bytes, bits: int, message: bytes) -> bool:
    """Say whether an RSA PKCS #1 v1.5 signature with SHA-2 of `bits` bits is by this key."""
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - 2 ms, see above
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415 - as above
    from cryptography.hazmat.primitives.asymmetric import padding  # noqa: PLC0415 - as above

    chosen = {256: hashes.SHA256(), 512: hashes.SHA512()}[bits]
    try:
        _rsa_key(exponent, modulus).verify(signature, message, padding.PKCS1v15(), chosen)
    except InvalidSignature:
        return False
    return True


@lru_cache(KEPT_KEYS)
def _rsa_key(exponent: int, modulus: int) -> "RSAPublicKey":
    from cryptography.hazmat.primitives.asymmetric import rsa  # noqa: PLC0415 - 2 ms, see above

    return rsa.RSAPublicNumbers(exponent, modulus).public_key()
