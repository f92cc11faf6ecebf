"""Envelopes: one signature over exactly one payload, and no room to hide anything."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from agentpolicy.base.canonical import canonical_bytes
from agentpolicy.trust.envelope import (
    PAYLOAD_TYPE,
    Envelope,
    Signature,
    open_envelope,
    pae,
    parse_envelope,
    seal,
    spelled,
)
from agentpolicy.trust.private_key import PlainSigner, read_private_key
from agentpolicy.trust.sshsig import SignatureError
from hypothesis import given
from hypothesis import strategies as st
from tests.ssh_keys import NAMESPACE, keygen_accepts

KEYS = Path(__file__).parents[2] / "data" / "keys"
PAYLOAD = b'{"a":1}'


def signer(name: str) -> PlainSigner:
    return read_private_key((KEYS / name).read_bytes())


ALICE, PAT = signer("alice"), signer("pat")
SEALED = seal(PAYLOAD, ALICE, NAMESPACE)


def fields() -> dict[str, Any]:
    loaded = json.loads(SEALED)
    assert isinstance(loaded, dict)
    return loaded


def test_the_bytes_that_are_signed_are_those_of_the_dsse_specification() -> None:
    assert pae("http://example.com/HelloWorld", b"hello world") == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )
    assert pae("é", "ü".encode()) == b"DSSEv1 2 \xc3\xa9 2 \xc3\xbc"


@given(st.binary(max_size=500))
def test_what_is_sealed_opens_to_the_same_payload_and_key(payload: bytes) -> None:
    envelope = parse_envelope(seal(payload, ALICE, NAMESPACE))
    assert envelope.payload == payload
    assert envelope.payload_type == PAYLOAD_TYPE
    assert open_envelope(envelope, NAMESPACE) == ALICE.public_key


def test_stock_tools_verify_the_signature_of_an_envelope(tmp_path: Path) -> None:
    sig = base64.b64decode(fields()["signatures"][0]["sig"]).decode()
    assert keygen_accepts(tmp_path, sig, pae(PAYLOAD_TYPE, PAYLOAD), NAMESPACE)


def test_the_key_hint_decides_nothing() -> None:
    written = fields()
    written["signatures"][0]["keyid"] = PAT.public_key.fingerprint
    envelope = parse_envelope(canonical_bytes(written))
    assert envelope.signatures[0].keyid == PAT.public_key.fingerprint
    assert open_envelope(envelope, NAMESPACE) == ALICE.public_key


def test_a_signature_over_another_payload_is_refused() -> None:
    written = fields()
    written["payload"] = base64.b64encode(b'{"a":2}').decode()
    with pytest.raises(SignatureError, match="does not match"):
        open_envelope(parse_envelope(canonical_bytes(written)), NAMESPACE)


def test_a_signature_for_another_purpose_is_refused() -> None:
    with pytest.raises(SignatureError, match="was made for 'git'"):
        open_envelope(parse_envelope(seal(PAYLOAD, ALICE, "git")), NAMESPACE)


def test_a_signature_over_the_bare_payload_is_refused() -> None:
    written = fields()
    bare = ALICE.sign(PAYLOAD, NAMESPACE)
    written["signatures"][0]["sig"] = base64.b64encode(bare.encode()).decode()
    with pytest.raises(SignatureError, match="does not match"):
        open_envelope(parse_envelope(canonical_bytes(written)), NAMESPACE)


@pytest.mark.parametrize("count", [0, 2, 3])
def test_an_envelope_with_another_number_of_signatures_than_one_is_refused(count: int) -> None:
    written = fields()
    written["signatures"] *= count
    envelope = parse_envelope(canonical_bytes(written))
    assert len(envelope.signatures) == count
    with pytest.raises(SignatureError, match=f"{count} signatures instead of one"):
        open_envelope(envelope, NAMESPACE)


def test_a_second_persons_signature_does_not_ride_along() -> None:
    written = fields()
    theirs = json.loads(seal(PAYLOAD, PAT, NAMESPACE))
    written["signatures"] += theirs["signatures"]
    with pytest.raises(SignatureError, match="instead of one"):
        open_envelope(parse_envelope(canonical_bytes(written)), NAMESPACE)


def test_only_the_line_break_at_the_end_may_be_missing() -> None:
    assert SEALED.endswith(b"}\n")
    assert parse_envelope(SEALED[:-1]) == parse_envelope(SEALED)


def changed(**changes: object) -> bytes:
    return canonical_bytes(fields() | changes)


STRAY = base64.b64encode(PAYLOAD).decode()[:-3] + "R=="
"""Base64 that decodes to the same bytes: only bits that no byte holds differ."""

WRONG = {
    "nothing": b"",
    "no JSON": b"hello",
    "no object": b"[]",
    "a duplicate key": SEALED.replace(b'{"payload"', b'{"payload":"","payload"'),
    "a duplicate key that sorts": SEALED.replace(b'"payloadType"', b'"payload":"","payloadType"'),
    "an unknown key": changed(note="x"),
    "a missing key": canonical_bytes({"payload": "", "payloadType": PAYLOAD_TYPE}),
    "data behind": SEALED + b"{}",
    "a second line break": SEALED + b"\n",
    "a blank": SEALED.replace(b'":"', b'": "', 1),
    "an escape": SEALED.replace(b"payloadType", b"payload\\u0054ype"),
    "a byte order mark": b"\xef\xbb\xbf" + SEALED,
    "UTF-16": SEALED.decode().encode("utf-16"),
    "bytes that are no text": SEALED.replace(b"in-toto", b"in-t\xffto"),
    "CRLF": SEALED.replace(b"\n", b"\r\n"),
    "another payload type": changed(payloadType="application/json"),
    "a payload that is no text": changed(payload=1),
    "a payload that is no base64": changed(payload="é==="),
    "base64 with stray bits": changed(payload=STRAY),
    "base64 for URLs": changed(payload="-_-_"),
    "base64 without padding": changed(payload="YQ"),
    "base64 with a line break": changed(payload="YW\nJj"),
    "signatures that are no list": changed(signatures={}),
    "a signature that is no object": changed(signatures=["x"]),
    "a signature with an unknown key": changed(
        signatures=[{"keyid": "", "sig": "", "scheme": "sshsig"}]
    ),
    "a signature without a hint": changed(signatures=[{"sig": ""}]),
    "a hint that is no text": changed(signatures=[{"keyid": None, "sig": ""}]),
    "a signature that is no armour": changed(signatures=[{"keyid": "", "sig": "/w=="}]),
    "depth": b"[" * 100_000,
    "depth in an object": b'{"payload":' * 10_000,
    "a number beyond bounds": SEALED.replace(b'"signatures":[', b'"signatures":[' + b"9" * 5000),
    "not a number": b'{"payload":NaN}',
}


@pytest.mark.parametrize("name", WRONG)
def test_anything_but_the_one_spelling_is_refused(name: str) -> None:
    assert WRONG[name] != SEALED
    with pytest.raises(ValueError, match=r"\w") as error:
        parse_envelope(WRONG[name])
    assert not isinstance(error.value, SignatureError)


def test_stray_bits_really_decode_to_the_same_payload() -> None:
    assert base64.b64decode(STRAY) == PAYLOAD
    assert base64.b64encode(PAYLOAD).decode() != STRAY


@given(st.binary(max_size=300))
def test_any_bytes_are_an_envelope_or_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_envelope(data)


@given(at=st.integers(0, len(SEALED) - 1), value=st.integers(0, 255))
def test_no_byte_of_an_envelope_but_its_hint_can_change(at: int, value: int) -> None:
    data = SEALED[:at] + bytes((value,)) + SEALED[at + 1 :]
    try:
        envelope = parse_envelope(data)
        key = open_envelope(envelope, NAMESPACE)
    except ValueError:
        return
    hint = Signature(envelope.signatures[0].keyid, parse_envelope(SEALED).signatures[0].sig)
    assert (envelope.payload, key) == (PAYLOAD, ALICE.public_key)
    assert envelope.signatures == (hint,)


@given(st.binary(max_size=90), st.text(max_size=40), st.integers(0, 3))
def test_an_envelope_is_spelled_as_canonical_json_is(payload: bytes, hint: str, count: int) -> None:
    envelope = Envelope(payload, PAYLOAD_TYPE, (Signature(hint, "armour"),) * count)
    signature = {"keyid": hint, "sig": base64.b64encode(b"armour").decode()}
    written = {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": PAYLOAD_TYPE,
        "signatures": [signature] * count,
    }
    assert spelled(envelope) == canonical_bytes(written)
    assert parse_envelope(spelled(envelope)) == envelope
