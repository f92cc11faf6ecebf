"""SSH signatures: held against ssh-keygen on real keys, and against changed signatures."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from agentpolicy.trust.keys import ED25519
from agentpolicy.trust.sshsig import (
    SignatureError,
    armour,
    dearmour,
    parse,
    sign_ed25519,
    signed_data,
    verify,
)
from agentpolicy.trust.wire import string
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_ssh_private_key
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ssh_keys import (
    KINDS,
    NAMESPACE,
    TOKENS,
    Key,
    ecdsa_token,
    ed25519_token,
    keygen_accepts,
    keygen_sign,
)

MESSAGE = b"DSSEv1 28 application/vnd.in-toto+json 2 {}"
EVERY_KIND = [*KINDS, *TOKENS]


@pytest.fixture(scope="session")
def signatures(keys: dict[str, Key]) -> dict[str, str]:
    return {kind: key.sign(MESSAGE, NAMESPACE) for kind, key in keys.items()}


@pytest.fixture(scope="session")
def private(keys: dict[str, Key], key_folder: Path) -> Ed25519PrivateKey:
    loaded = load_ssh_private_key((key_folder / "ed25519").read_bytes(), None)
    assert isinstance(loaded, Ed25519PrivateKey)
    return loaded


@dataclass(frozen=True)
class Parts:
    """The fields of a signature, so that one of them can be made wrong."""

    public: bytes
    signature: bytes
    magic: bytes = b"SSHSIG"
    version: int = 1
    namespace: bytes = NAMESPACE.encode()
    reserved: bytes = b""
    hash_name: bytes = b"sha512"
    after: bytes = b""

    def armoured(self) -> str:
        fields = (self.public, self.namespace, self.reserved, self.hash_name, self.signature)
        head = self.magic + self.version.to_bytes(4, "big")
        return armour(head + b"".join(string(part) for part in fields) + self.after)


def parts_by(private: Ed25519PrivateKey, hash_name: str = "sha512") -> Parts:
    algorithm = string(ED25519.encode())
    signed = private.sign(signed_data(MESSAGE, NAMESPACE, hash_name))
    public = algorithm + string(private.public_key().public_bytes_raw())
    return Parts(public, algorithm + string(signed), hash_name=hash_name.encode())


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_what_ssh_keygen_or_a_token_signs_is_accepted_here_and_there(
    kind: str, keys: dict[str, Key], signatures: dict[str, str], tmp_path: Path
) -> None:
    assert verify(signatures[kind], MESSAGE, NAMESPACE) == keys[kind].public
    assert keygen_accepts(tmp_path, signatures[kind], MESSAGE, NAMESPACE)


@pytest.mark.parametrize("hash_name", ["sha256", "sha512"])
def test_both_accepted_hashes_verify(
    hash_name: str, keys: dict[str, Key], key_folder: Path
) -> None:
    option = ("-O", f"hashalg={hash_name}")
    armoured = keygen_sign(key_folder / "ed25519", MESSAGE, NAMESPACE, *option)
    assert parse(armoured).hash_name == hash_name
    assert verify(armoured, MESSAGE, NAMESPACE) == keys["ed25519"].public


def test_a_signature_made_here_is_the_one_ssh_keygen_makes(
    private: Ed25519PrivateKey, signatures: dict[str, str]
) -> None:
    assert sign_ed25519(MESSAGE, private, NAMESPACE) == signatures["ed25519"]


@given(message=st.binary(max_size=300))
def test_what_is_signed_here_verifies_here(message: bytes, private: Ed25519PrivateKey) -> None:
    armoured = sign_ed25519(message, private, NAMESPACE)
    assert verify(armoured, message, NAMESPACE).blob.endswith(
        private.public_key().public_bytes_raw()
    )


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_another_message_is_refused(kind: str, signatures: dict[str, str]) -> None:
    with pytest.raises(SignatureError, match="does not match"):
        verify(signatures[kind], MESSAGE + b"!", NAMESPACE)


def test_a_git_commit_signature_is_no_approval(keys: dict[str, Key]) -> None:
    with pytest.raises(SignatureError, match="'git'"):
        verify(keys["ed25519"].sign(MESSAGE, "git"), MESSAGE, NAMESPACE)


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_no_bit_of_a_signature_can_change(kind: str, signatures: dict[str, str]) -> None:
    blob = dearmour(signatures[kind])
    for position in range(len(blob) * 8):
        changed = bytearray(blob)
        changed[position // 8] ^= 1 << position % 8
        with pytest.raises(SignatureError):
            verify(armour(bytes(changed)), MESSAGE, NAMESPACE)


WRONG: dict[str, Callable[[Parts], Parts]] = {
    "not an SSH signature": lambda parts: replace(parts, magic=b"SSHSIX"),
    "version 2": lambda parts: replace(parts, version=2),
    "no namespace": lambda parts: replace(parts, namespace=b""),
    "reserved field": lambda parts: replace(parts, reserved=b"x"),
    "trailing bytes": lambda parts: replace(parts, after=b"\0"),
    "has trailing bytes": lambda parts: replace(parts, signature=parts.signature + b"\0"),
    "'rsa-sha2-512' signatures": lambda parts: replace(
        parts, signature=parts.signature.replace(string(b"ssh-ed25519"), string(b"rsa-sha2-512"))
    ),
    "printable": lambda parts: replace(parts, namespace=parts.namespace + b"\0"),
    "hash 'SHA512'": lambda parts: replace(parts, hash_name=b"SHA512"),
}


@pytest.mark.parametrize("words", WRONG)
def test_a_field_that_is_not_as_it_must_be_is_refused(
    words: str, private: Ed25519PrivateKey
) -> None:
    right = parts_by(private)
    assert verify(right.armoured(), MESSAGE, NAMESPACE).blob == right.public
    with pytest.raises(SignatureError, match=words):
        verify(WRONG[words](right).armoured(), MESSAGE, NAMESPACE)


@pytest.mark.parametrize("hash_name", ["md5", "sha1", "sha384", "sha3_256"])
def test_a_truly_signed_hash_of_another_kind_is_refused(
    hash_name: str, private: Ed25519PrivateKey
) -> None:
    with pytest.raises(SignatureError, match="not accepted"):
        verify(parts_by(private, hash_name).armoured(), MESSAGE, NAMESPACE)


def test_an_rsa_signature_with_sha1_is_refused(keys: dict[str, Key], key_folder: Path) -> None:
    private = load_ssh_private_key((key_folder / "rsa").read_bytes(), None)
    assert isinstance(private, rsa.RSAPrivateKey)
    signed = signed_data(MESSAGE, NAMESPACE, "sha512")

    def by(algorithm: bytes, chosen: hashes.HashAlgorithm) -> str:
        raw = private.sign(signed, padding.PKCS1v15(), chosen)
        return Parts(keys["rsa"].public.blob, string(algorithm) + string(raw)).armoured()

    rsa_256 = by(b"rsa-sha2-256", hashes.SHA256())
    assert verify(rsa_256, MESSAGE, NAMESPACE) == keys["rsa"].public
    with pytest.raises(SignatureError, match="'ssh-rsa'"):
        verify(by(b"ssh-rsa", hashes.SHA1()), MESSAGE, NAMESPACE)


@pytest.mark.parametrize("token", [ed25519_token(flags=0), ecdsa_token(flags=0)])
def test_a_security_token_that_nobody_touched_is_refused(token: Key) -> None:
    with pytest.raises(SignatureError, match="touched"):
        verify(token.sign(MESSAGE, NAMESPACE), MESSAGE, NAMESPACE)


def test_a_token_that_checked_its_person_counts_as_touched() -> None:
    token = ed25519_token(flags=0x05)
    assert verify(token.sign(MESSAGE, NAMESPACE), MESSAGE, NAMESPACE) == token.public


SPELLINGS: dict[str, Callable[[str], str]] = {
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "no last line break": lambda text: text.rstrip("\n"),
    "something before": lambda text: "x\n" + text,
    "something behind": lambda text: text + "x\n",
    "an empty line": lambda text: text.replace("\n", "\n\n", 1),
    "one long line": lambda text: armour(dearmour(text)).replace("\n", "", 1),
    "twice": lambda text: text + text,
    "another label": lambda text: text.replace("SSH", "SSH2"),
    "empty": lambda _: "",
    "a blank in the base64": lambda text: text.replace("U1NI", "U1NI "),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_an_armour_as_nobody_writes_it_is_refused(name: str, signatures: dict[str, str]) -> None:
    changed = SPELLINGS[name](signatures["ed25519"])
    assert changed != signatures["ed25519"]
    with pytest.raises(SignatureError, match="armour"):
        verify(changed, MESSAGE, NAMESPACE)


@settings(max_examples=300)
@given(
    kind=st.sampled_from(EVERY_KIND),
    at=st.floats(0, 1, exclude_max=True),
    length=st.integers(0, 8),
    inserted=st.binary(max_size=8),
)
def test_no_splice_of_a_signature_verifies(
    kind: str, at: float, length: int, inserted: bytes, signatures: dict[str, str]
) -> None:
    blob = dearmour(signatures[kind])
    start = int(at * len(blob))
    changed = blob[:start] + inserted + blob[start + length :]
    if changed == blob:
        return
    with pytest.raises(SignatureError):
        verify(armour(changed), MESSAGE, NAMESPACE)


@given(text=st.text(max_size=200))
def test_any_text_is_a_signature_or_a_signature_error(text: str) -> None:
    with pytest.raises(SignatureError):
        verify(text, MESSAGE, NAMESPACE)


@given(body=st.binary(max_size=200))
def test_any_bytes_in_an_armour_are_refused_in_words(body: bytes) -> None:
    with pytest.raises(SignatureError):
        verify(armour(b"SSHSIG\0\0\0\1" + body), MESSAGE, NAMESPACE)
