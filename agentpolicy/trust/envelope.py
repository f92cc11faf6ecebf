"""DSSE envelopes: what was said, and an SSH signature over exactly that.

The signature is over the pre-authentication encoding, which binds the payload's type too. Base64
of `sig` is the armoured signature, so that stock tools can verify it:
`jq -r .signatures[0].sig | base64 -d > statement.sig`.
"""

import binascii
import json
from collections.abc import Mapping
from typing import Protocol

from agentpolicy.base.values import dataclass, field
from agentpolicy.trust.canonical_json import objects_at, only_keys, read_loosely, text_at
from agentpolicy.trust.keys import PublicKey
from agentpolicy.trust.sshsig import SignatureError, verify

PAYLOAD_TYPE = "application/vnd.in-toto+json"
_PARTS, _PAYLOAD, _KEYID, _SIG = 19, 3, 13, 17
"""How many parts the quotes of an envelope with one plain signature make, and which is which."""


class Signer(Protocol):
    """Somebody's key, wherever it is kept."""

    @property
    def public_key(self) -> PublicKey:
        """The key the signatures will be by."""

    def sign(self, message: bytes, namespace: str) -> str:
        """Give an armoured SSH signature over the message."""


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature of an envelope, not verified."""

    keyid: str
    """Whatever the writer wrote there: a hint for people, never trusted."""
    sig: str = field(repr=False)
    """An armoured SSH signature."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """A payload with signatures that nobody has verified yet."""

    payload: bytes
    payload_type: str
    signatures: tuple[Signature, ...]


def pae(payload_type: str, payload: bytes) -> bytes:
    """Give the bytes that are signed: DSSE's pre-authentication encoding, version 1."""
    kind = payload_type.encode("utf-8")
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def seal(payload: bytes, signer: Signer, namespace: str) -> bytes:
    """Sign a payload and give the envelope's bytes, in one line.

    Raises:
        InputError: the signer cannot sign.
    """
    sig = signer.sign(pae(PAYLOAD_TYPE, payload), namespace)
    signature = Signature(signer.public_key.fingerprint, sig)
    return spelled(Envelope(payload, PAYLOAD_TYPE, (signature,))) + b"\n"


def spelled(envelope: Envelope) -> bytes:
    """Write an envelope in its one spelling: RFC 8785 JSON, put together by hand for speed.

    Raises:
        ValueError: a hint holds a lone surrogate.
    """
    signatures = ",".join(
        f'{{"keyid":{_quoted(signature.keyid)},"sig":"{_base64(signature.sig.encode("ascii"))}"}}'
        for signature in envelope.signatures
    )
    payload, kind = _base64(envelope.payload), _quoted(envelope.payload_type)
    text = f'{{"payload":"{payload}","payloadType":{kind},"signatures":[{signatures}]}}'
    return text.encode("utf-8")


def parse_envelope(data: bytes) -> Envelope:
    """Read an envelope as `seal` writes it; the line break at its end may be missing.

    Raises:
        ValueError: any other spelling, another payload type, unknown keys, or base64 that is not
            canonical. Nothing is said about whether the signatures hold.
    """
    written = data.removesuffix(b"\n")
    envelope = _at_a_glance(written)
    if envelope is not None:
        return envelope
    envelope = _read(written)
    # Catches what no reader looked at: duplicate keys, order, blanks, escapes, stray base64.
    if spelled(envelope) != written:
        raise ValueError("it is not the one spelling of what it says")
    return envelope


def _at_a_glance(written: bytes) -> Envelope | None:
    """Take what nearly every envelope is apart at its quotes, which is much the quickest.

    Whether that was right shows when the result is spelled again: None where it was not.
    """
    parts = written.split(b'"')
    if len(parts) != _PARTS:
        return None
    try:
        sig = binascii.a2b_base64(parts[_SIG]).decode("ascii")
        signature = Signature(parts[_KEYID].decode("ascii"), sig)
        envelope = Envelope(binascii.a2b_base64(parts[_PAYLOAD]), PAYLOAD_TYPE, (signature,))
    except ValueError:
        return None
    return envelope if spelled(envelope) == written else None


def _read(written: bytes) -> Envelope:
    """Read any envelope, and say what is wrong with one that is none."""
    fields = read_loosely(written)
    only_keys(fields, {"payload", "payloadType", "signatures"}, set())
    payload_type = text_at(fields, "payloadType")
    if payload_type != PAYLOAD_TYPE:
        raise ValueError(f"the payload is of type {payload_type!r}, not {PAYLOAD_TYPE!r}")
    signatures = tuple(_signature(entry) for entry in objects_at(fields, "signatures"))
    return Envelope(_bytes_at(fields, "payload"), payload_type, signatures)


def open_envelope(envelope: Envelope, namespace: str) -> PublicKey:
    """Give the key that signed the payload.

    Raises:
        SignatureError: there is not exactly one signature, or it does not hold.
    """
    if len(envelope.signatures) != 1:
        raise SignatureError(f"it holds {len(envelope.signatures)} signatures instead of one")
    message = pae(envelope.payload_type, envelope.payload)
    return verify(envelope.signatures[0].sig, message, namespace)


def _signature(entry: Mapping[str, object]) -> Signature:
    only_keys(entry, {"keyid", "sig"}, set())
    try:
        sig = _bytes_at(entry, "sig").decode("ascii")
    except UnicodeDecodeError as error:
        raise ValueError("'sig' does not hold an armoured SSH signature") from error
    return Signature(text_at(entry, "keyid"), sig)


def _bytes_at(fields: Mapping[str, object], key: str) -> bytes:
    """Read base64; that it is the canonical one shows when it is spelled again."""
    try:
        return binascii.a2b_base64(text_at(fields, key))
    except ValueError as error:
        raise ValueError(f"{key!r} is not base64") from error


def _base64(data: bytes) -> str:
    return binascii.b2a_base64(data, newline=False).decode("ascii")


_quoted = json.JSONEncoder(ensure_ascii=False).encode
"""Writes text as RFC 8785 does: only what must be escaped is."""
