"""The signature algorithms themselves, each imported when a key of its kind is met.

`cryptography` does the arithmetic; its exceptions end here as False or ValueError.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey


def ed25519_holds(public: bytes, signature: bytes, message: bytes) -> bool:
    """Say whether an Ed25519 signature (64 bytes) is by the key of these 32 bytes."""
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - 6 ms, see above
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415 - as above
        Ed25519PublicKey,
    )

    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


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
    from cryptography.hazmat.primitives.asymmetric import padding, rsa  # noqa: PLC0415 - as above

    chosen = {256: hashes.SHA256(), 512: hashes.SHA512()}[bits]
    key = rsa.RSAPublicNumbers(exponent, modulus).public_key()
    try:
        key.verify(signature, message, padding.PKCS1v15(), chosen)
    except InvalidSignature:
        return False
    return True
