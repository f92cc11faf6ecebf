"""Public keys: what is accepted, and that one key has one spelling."""

import base64
import subprocess
from pathlib import Path

import pytest
from agentpolicy.trust.keys import (
    ED25519,
    RSA,
    SK_ECDSA,
    SK_ED25519,
    PublicKey,
    parse_public_key,
    public_key_of,
)
from agentpolicy.trust.wire import mpint, string
from hypothesis import given
from hypothesis import strategies as st

KEYS = Path(__file__).parents[2] / "data" / "keys"
ALICE = (KEYS / "alice.pub").read_text(encoding="utf-8")
RAW_ALICE = parse_public_key(ALICE).blob[-32:]
BASE_POINT_P256 = bytes.fromhex(
    "04"
    "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
    "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
)
FIELD = 2**255 - 19


def ed25519(raw: bytes) -> bytes:
    return string(ED25519.encode()) + string(raw)


def ecdsa(point: bytes, curve: bytes = b"nistp256") -> bytes:
    return string(b"ecdsa-sha2-nistp256") + string(curve) + string(point)


def rsa(exponent: bytes, modulus: bytes) -> bytes:
    return string(RSA.encode()) + exponent + modulus


def line(blob: bytes, algorithm: str = ED25519) -> str:
    return f"{algorithm} {base64.b64encode(blob).decode()}"


@pytest.mark.parametrize(
    "options",
    [
        ("-t", "ed25519"),
        ("-t", "ecdsa", "-b", "256"),
        ("-t", "ecdsa", "-b", "384"),
        ("-t", "ecdsa", "-b", "521"),
        ("-t", "rsa", "-b", "2048"),
    ],
)
def test_a_key_made_by_ssh_keygen_has_the_fingerprint_ssh_keygen_prints(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    made = tmp_path / "key"
    subprocess.run(
        ["ssh-keygen", "-q", *options, "-N", "", "-C", "a comment", "-f", made], check=True
    )
    public = made.with_suffix(".pub")
    key = parse_public_key(public.read_text(encoding="utf-8"))
    printed = subprocess.run(
        ["ssh-keygen", "-l", "-f", public], check=True, capture_output=True, text=True
    )
    assert key.fingerprint == printed.stdout.split()[1]
    assert key.line == " ".join(public.read_text(encoding="utf-8").split()[:2])


def test_a_comment_is_no_part_of_a_key() -> None:
    assert parse_public_key(ALICE) == parse_public_key(parse_public_key(ALICE).line)


def test_keys_for_security_tokens_are_accepted() -> None:
    about = string(b"ssh:")
    assert public_key_of(string(SK_ED25519.encode()) + string(RAW_ALICE) + about).algorithm
    point = string(b"nistp256") + string(BASE_POINT_P256)
    assert public_key_of(string(SK_ECDSA.encode()) + point + about).algorithm == SK_ECDSA


def test_a_security_token_registered_for_a_web_site_is_refused() -> None:
    blob = string(SK_ED25519.encode()) + string(RAW_ALICE) + string(b"https://bank.example")
    with pytest.raises(ValueError, match="not for ssh"):
        public_key_of(blob)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not an OpenSSH public key"),
        ("ssh-ed25519", "not an OpenSSH public key"),
        (f"{ALICE}{ALICE}", "not an OpenSSH public key"),
        ("ssh-ed25519 ###", "not base64"),
        (ALICE.replace(" ", "\u00a0"), "not an OpenSSH public key"),
        (line(ed25519(RAW_ALICE), RSA), "canonical"),
        (f"cert-authority {ALICE}", "not base64"),
        (line(string(b"ssh-dss") + string(b"")), "ssh-dss.*not accepted"),
        (line(string(b"ssh-rsa-cert-v01@openssh.com")), "not accepted"),
        (line(ed25519(RAW_ALICE) + b"\0"), "trailing bytes"),
        (line(ed25519(RAW_ALICE)[:-1]), "ends too early"),
        (line(ed25519(RAW_ALICE + b"\0")), "32 bytes"),
    ],
)
def test_a_malformed_line_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_public_key(text)


def test_base64_with_stray_bits_at_its_end_is_refused() -> None:
    canonical = line(ecdsa(BASE_POINT_P256), "ecdsa-sha2-nistp256")
    assert canonical.endswith("=")
    head, last = canonical[:-2], canonical[-2]
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    stray = f"{head}{alphabet[alphabet.index(last) + 1]}="
    assert base64.b64decode(stray.split()[1]) == ecdsa(BASE_POINT_P256)
    assert parse_public_key(canonical).line == canonical
    with pytest.raises(ValueError, match="canonical"):
        parse_public_key(stray)


MODULUS = (1 << 2047) + 1


def test_an_rsa_key_has_one_encoding() -> None:
    key = public_key_of(rsa(mpint(65537), mpint(MODULUS)))
    assert key.algorithm == RSA
    padded_modulus = string(b"\0\0" + MODULUS.to_bytes(256, "big"))
    padded_exponent = string(b"\0" + (65537).to_bytes(3, "big"))
    for blob in (rsa(mpint(65537), padded_modulus), rsa(padded_exponent, mpint(MODULUS))):
        with pytest.raises(ValueError, match="shortest form"):
            public_key_of(blob)
    with pytest.raises(ValueError, match="not positive"):
        public_key_of(rsa(mpint(65537), string(MODULUS.to_bytes(256, "big"))))


@pytest.mark.parametrize(
    ("exponent", "modulus", "words"),
    [
        (65537, (1 << 2046) + 1, "2047 bits"),
        (65537, (1 << 16384) + 1, "16385 bits"),
        (1, MODULUS, "exponent"),
        (65536, MODULUS, "exponent"),
        (2**64 + 1, MODULUS, "exponent"),
        (65537, MODULUS + 1, "even"),
    ],
    ids=["too-short", "too-long", "no-secret", "even", "too-large", "even-modulus"],
)
def test_a_weak_rsa_key_is_refused(exponent: int, modulus: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        public_key_of(rsa(mpint(exponent), mpint(modulus)))


@pytest.mark.parametrize(
    ("point", "words"),
    [
        (b"", "uncompressed"),
        (b"\x03" + BASE_POINT_P256[1:33], "uncompressed"),
        (BASE_POINT_P256[:-1] + b"\0", "not a point of the curve"),
        (BASE_POINT_P256[:-1], "not a point of the curve"),
        (b"\0", "uncompressed"),
    ],
)
def test_an_ecdsa_key_that_is_no_point_written_in_full_is_refused(point: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        public_key_of(ecdsa(point))


def test_an_ecdsa_key_that_names_another_curve_is_refused() -> None:
    with pytest.raises(ValueError, match="another curve"):
        public_key_of(ecdsa(BASE_POINT_P256, b"nistp384"))


ORDER_8 = "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"


@pytest.mark.parametrize(
    "raw",
    [
        bytes(32),
        (1).to_bytes(32, "little"),
        (FIELD - 1).to_bytes(32, "little"),
        FIELD.to_bytes(32, "little"),
        (FIELD + 1).to_bytes(32, "little"),
        (FIELD + 5).to_bytes(32, "little"),
        (2**255 + 1).to_bytes(32, "little"),
        bytes.fromhex(ORDER_8),
        (FIELD - int.from_bytes(bytes.fromhex(ORDER_8), "little")).to_bytes(32, "little"),
    ],
    ids=lambda raw: raw.hex()[:8],
)
def test_an_ed25519_key_that_anybody_can_sign_for_is_refused(raw: bytes) -> None:
    with pytest.raises(ValueError, match="anybody"):
        public_key_of(ed25519(raw))


@given(st.binary(max_size=120))
def test_bytes_are_a_key_or_a_value_error(blob: bytes) -> None:
    try:
        key = public_key_of(blob)
    except ValueError:
        return
    assert key == PublicKey(key.algorithm, blob)


@given(st.text(max_size=120))
def test_text_is_a_key_or_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_public_key(text)


@given(st.integers(0, len(parse_public_key(ALICE).blob) - 33), st.integers(0, 255))
def test_every_byte_in_front_of_the_key_material_counts(at: int, value: int) -> None:
    blob = bytearray(ed25519(RAW_ALICE))
    before, blob[at] = blob[at], value
    if value == before:
        return
    with pytest.raises(ValueError, match=r"\w"):
        public_key_of(bytes(blob))
