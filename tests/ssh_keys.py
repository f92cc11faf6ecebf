"""Keys of every kind, made by ssh-keygen or as a security token would, and ssh-keygen's opinion."""

import hashlib
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from agentpolicy.trust.keys import SK_ECDSA, SK_ED25519, PublicKey, parse_public_key, public_key_of
from agentpolicy.trust.sshsig import assemble, signed_data
from agentpolicy.trust.wire import mpint, string
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

NAMESPACE = "agentpolicy-approval@v1"
APPLICATION = b"ssh:"
TOUCHED = 0x01
PASSPHRASE = "correct horse"


@dataclass(frozen=True)
class Key:
    """A key that signs, whatever its kind."""

    public: PublicKey
    sign: Callable[[bytes, str], str]


KINDS = ("ed25519", "ecdsa-256", "ecdsa-384", "ecdsa-521", "rsa")
TOKENS = ("sk-ed25519", "sk-ecdsa")


def keys_of_every_kind(folder: Path) -> dict[str, Key]:
    """Make one key of each accepted kind; the key files lie in the folder under their kind."""
    made = {kind: Key(keygen(folder / kind, kind), _signing(folder / kind)) for kind in KINDS}
    return made | {"sk-ed25519": ed25519_token(), "sk-ecdsa": ecdsa_token()}


def keygen(path: Path, kind: str = "ed25519", passphrase: str = "", *options: str) -> PublicKey:
    """Make a key file with the stock program, and its `.pub` beside it."""
    algorithm, _, bits = kind.partition("-")
    size = ("-b", bits or "2048") if algorithm != "ed25519" else ()
    made = ("-t", algorithm, *size, "-N", passphrase, *options, "-f", str(path))
    subprocess.run(["ssh-keygen", "-q", *made], check=True)
    return parse_public_key(path.with_suffix(".pub").read_text(encoding="utf-8"))


def ssh_add(environ: Mapping[str, str], *arguments: str) -> None:
    """Speak to the agent of an environment."""
    subprocess.run(["ssh-add", "-q", *arguments], check=True, env=environ, capture_output=True)


def _signing(path: Path) -> Callable[[bytes, str], str]:
    def sign(message: bytes, namespace: str) -> str:
        return keygen_sign(path, message, namespace)

    return sign


def keygen_sign(path: Path, message: bytes, namespace: str, *options: str) -> str:
    """Sign with the stock program."""
    command = ["ssh-keygen", "-Y", "sign", *options, "-n", namespace, "-f", str(path)]
    return subprocess.run(command, input=message, check=True, capture_output=True).stdout.decode()


def keygen_accepts(folder: Path, armoured: str, message: bytes, namespace: str) -> bool:
    """Ask the stock program about the key that the signature itself names."""
    path = folder / "signature"
    path.write_bytes(armoured.encode("utf-8", "surrogatepass"))
    command = ["ssh-keygen", "-Y", "check-novalidate", "-n", namespace, "-s", str(path)]
    done = subprocess.run(command, input=message, check=False, capture_output=True)
    return done.returncode == 0


def keygen_verifies(
    folder: Path, armoured: str, message: bytes, namespace: str, key: PublicKey
) -> bool:
    """Ask the stock program whether this key, as the only one allowed to, signed the message."""
    path, allowed = folder / "signature", folder / "allowed_signers"
    path.write_bytes(armoured.encode("utf-8", "surrogatepass"))
    allowed.write_text(f'signer namespaces="{namespace}" {key.line}\n', encoding="ascii")
    who = ["-f", str(allowed), "-I", "signer", "-n", namespace, "-s", str(path)]
    command = ["ssh-keygen", "-Y", "verify", *who]
    return subprocess.run(command, input=message, check=False, capture_output=True).returncode == 0


def ed25519_token(application: bytes = APPLICATION, flags: int = TOUCHED) -> Key:
    """Make what a security token does in software: the framing is the token's, the key is ours."""
    private = Ed25519PrivateKey.generate()
    algorithm = string(SK_ED25519.encode())
    raw = private.public_key().public_bytes_raw()
    public = public_key_of(algorithm + string(raw) + string(application))

    def sign(message: bytes, namespace: str) -> str:
        signature = private.sign(_for_token(application, flags, message, namespace))
        return assemble(public, namespace, "sha512", algorithm + string(signature) + _state(flags))

    return Key(public, sign)


def ecdsa_token(flags: int = TOUCHED) -> Key:
    """Make an ECDSA token in software."""
    private = ec.generate_private_key(ec.SECP256R1())
    point = private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    algorithm = string(SK_ECDSA.encode())
    public = public_key_of(algorithm + string(b"nistp256") + string(point) + string(APPLICATION))

    def sign(message: bytes, namespace: str) -> str:
        signed = _for_token(APPLICATION, flags, message, namespace)
        pair = utils.decode_dss_signature(private.sign(signed, ec.ECDSA(hashes.SHA256())))
        signature = string(b"".join(mpint(number) for number in pair))
        return assemble(public, namespace, "sha512", algorithm + signature + _state(flags))

    return Key(public, sign)


def _state(flags: int) -> bytes:
    return bytes((flags,)) + (7).to_bytes(4, "big")


def _for_token(application: bytes, flags: int, message: bytes, namespace: str) -> bytes:
    what = hashlib.sha256(signed_data(message, namespace, "sha512")).digest()
    return hashlib.sha256(application).digest() + _state(flags) + what
