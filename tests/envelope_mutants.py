"""Changes of signed envelopes: the JSON, its base64, its signatures, and statements signed anew."""

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from agentpolicy.trust.envelope import PAYLOAD_TYPE, Signer, pae

from tests.signature_mutants import mutant as signature_mutant
from tests.signature_mutants import splice

Pairs = list[tuple[str, Any]]
"""A JSON object as it is written: in its order, with its duplicates."""
ODD: Sequence[Any] = (
    None, True, False, 0, 1, -1, 2**53, 10**60, 1.0, 1e300, float("nan"), float("inf"), "", "x",
    "é", "e\u0301", "\u200b", "\ud800", "\0", [], {}, [[]], "=", "AA==", "AB==", "A", "-_",
)  # fmt: skip
"""What might stand where a value stands."""
TYPES = (
    PAYLOAD_TYPE, PAYLOAD_TYPE.upper(), PAYLOAD_TYPE + " ", PAYLOAD_TYPE + "; charset=utf-8",
    "application/json", "text/plain", "", PAYLOAD_TYPE.replace("+", "%2B"), PAYLOAD_TYPE + "\0",
)  # fmt: skip
KEYS = (
    "payload", "payloadType", "signatures", "keyid", "sig", "Payload", "payload\0", "sIg", "scheme",
    "cert", "_type", "subject", "predicate", "predicateType", "documents", "url", "path", "",
)  # fmt: skip


@dataclass(frozen=True)
class Sealed:
    """An envelope to change, and what is needed to sign a changed statement again."""

    data: bytes
    signer: Signer
    namespace: str
    others: tuple[bytes, ...]
    """Other envelopes, whose payloads and signatures may be carried over."""


def mutant(random: Random, sealed: Sealed) -> bytes:
    """Change an envelope, once or twice; the bytes may come out as they were."""
    way = random.random()
    if way < 0.2:
        return _signed_anew(random, sealed)
    if way < 0.3:
        return splice(random, sealed.data)
    if way < 0.4:
        return random.choice(_BYTES)(random, sealed.data)
    envelope = _pairs(sealed.data)
    for _ in range(random.choice((1, 1, 2))):
        envelope = random.choice(_ENVELOPES)(random, envelope, sealed)
    return _odd_spelling(random, _write(envelope)) if way > 0.9 else _encoded(_write(envelope))


def _pairs(data: bytes) -> Pairs:
    read: Pairs = json.loads(data, object_pairs_hook=_Object)
    return read


class _Object(list[tuple[str, Any]]):
    """The pairs of one object, told from a list."""


def _write(value: object) -> str:
    if isinstance(value, _Object):
        return "{" + ",".join(f"{_write(key)}:{_write(one)}" for key, one in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_write, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


# --- the objects ----------------------------------------------------------------------------------


def _objects(value: object) -> list[_Object]:
    """List every object that is not empty, the outermost first."""
    found = [value] if isinstance(value, _Object) and value else []
    if isinstance(value, list):
        for one in value:
            found += _objects(one[1] if isinstance(value, _Object) else one)
    return found


def _other_object(random: Random, whole: Pairs) -> Pairs:
    """Double, add, drop, move or replace one key of one object."""
    pairs = random.choice(_objects(whole) or [_Object([("x", 1)])])
    at = random.randrange(len(pairs))
    key, value = pairs[at]
    place = random.randrange(len(pairs) + 1)
    match random.choice(("double", "double with", "add", "drop", "move", "replace", "rename")):
        case "double":
            pairs.insert(place, (key, value))
        case "double with":
            pairs.insert(place, (key, random.choice(ODD)))
        case "add":
            pairs.insert(place, (random.choice(KEYS), random.choice((*ODD, value))))
        case "drop":
            del pairs[at]
        case "move":
            pairs.insert(place - (place > at), pairs.pop(at))
        case "replace":
            pairs[at] = (key, random.choice(ODD))
        case _:
            pairs[at] = (random.choice(KEYS), value)
    return whole


def _replace(pairs: Pairs, wanted: str, value: object) -> Pairs:
    return _Object((key, value if key == wanted else old) for key, old in pairs)


def _value(pairs: Pairs, wanted: str) -> Any:  # noqa: ANN401 - JSON holds anything
    return next((value for key, value in pairs if key == wanted), "")


def _other_base64(random: Random, text: str) -> str:
    """Write base64 in another way, most of which mean the same to a lenient reader."""
    at = random.randrange(len(text) + 1)
    ways = (
        text.replace("+", "-").replace("/", "_"),
        text.rstrip("="),
        text + random.choice(("=", "==", "====", "\n", "\r\n", " ", "AA==", "\0")),
        text[:at] + random.choice(("\n", " ", "=", "-", ".", "\u00e9", "\t")) + text[at:],
        text[:-3] + random.choice("ABCDEFghijkl0189+/") + text[-2:],
        text.swapcase(),
        text[:at],
    )
    return random.choice(ways)


def _signature(random: Random, envelope: Pairs, sealed: Sealed) -> Pairs:
    """Change the list of signatures, or one of them."""
    signatures = _value(envelope, "signatures")
    if not isinstance(signatures, list) or not signatures or not isinstance(signatures[0], _Object):
        return envelope
    own, theirs = signatures[0], _value(_pairs(random.choice(sealed.others)), "signatures")[0]
    sig = _value(own, "sig")
    if not isinstance(sig, str):
        return envelope
    armoured = base64.b64decode(_value(_value(_pairs(sealed.data), "signatures")[0], "sig"))
    inner = _encoded(signature_mutant(random, armoured.decode()))
    lists: tuple[list[Any], ...] = (
        [], [own, own], [own, theirs], [theirs, own], [theirs], [own, {}], [[own]], own,
        [_replace(own, "keyid", random.choice(ODD))],
        [_replace(own, "keyid", random.choice(("é", "\\", '"', "\x7f", "\u2028", "x" * 999)))],
        [_replace(own, "sig", _other_base64(random, sig))],
        [_replace(own, "sig", base64.b64encode(inner).decode())],
        [_replace(own, "sig", base64.b64encode(inner).decode())],
    )  # fmt: skip
    return _replace(envelope, "signatures", random.choice(lists))


def _payload(random: Random, envelope: Pairs, sealed: Sealed) -> Pairs:
    """Put another payload under the same signature, or write this one otherwise."""
    text = _value(envelope, "payload")
    if not isinstance(text, str):
        return envelope
    payload = base64.b64decode(_value(_pairs(sealed.data), "payload"))
    ways = (
        _other_base64(random, text),
        _value(_pairs(random.choice(sealed.others)), "payload"),
        base64.b64encode(_other_json(random, payload)).decode(),
        base64.b64encode(splice(random, payload)).decode(),
        payload.decode(),
    )
    return _replace(envelope, "payload", random.choice(ways))


def _type(random: Random, envelope: Pairs, _sealed: Sealed) -> Pairs:
    return _replace(envelope, "payloadType", random.choice(TYPES))


def _any_object(random: Random, envelope: Pairs, _sealed: Sealed) -> Pairs:
    return _other_object(random, envelope)


_ENVELOPES: tuple[Callable[[Random, Pairs, Sealed], Pairs], ...] = (
    _any_object, _signature, _signature, _payload, _type,
)  # fmt: skip


# --- the text and the bytes -----------------------------------------------------------------------


def _odd_spelling(random: Random, text: str) -> bytes:
    """Spell JSON otherwise: blanks, escapes, other numbers."""
    at = random.randrange(len(text))
    letter = text[at]
    ways = (
        text[:at] + random.choice((" ", "\n", "\t", "\r", "\x0b", "\u00a0")) + text[at:],
        text[:at] + f"\\u{ord(letter):04x}" + text[at + 1 :],
        text.replace("/", "\\/", 1),
        text.replace(":1,", random.choice((":1.0,", ":1e0,", ":01,", ":+1,", ":1 ,", ":-0,")), 1),
        text.replace(":0,", random.choice((":-0,", ":0.0,", ":false,", ":0e9,")), 1),
        text.replace(":", " : ").replace(",", ", "),
        text[:at] + "/**/" + text[at:],
        text.replace('"', "'"),
        text[:-1] + ",}",
        json.dumps(json.loads(text), indent=1) if _is_json(text) else text,
        json.dumps(json.loads(text)) if _is_json(text) else text,
    )
    return _encoded(random.choice(ways))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


_BYTES: tuple[Callable[[Random, bytes], bytes], ...] = (
    lambda random, data: _odd_spelling(random, data.decode()),
    lambda _, data: data.removesuffix(b"\n"),
    lambda _, data: data + b"\n",
    lambda _, data: data + data,
    lambda _, data: data + b"\0",
    lambda random, data: random.choice((b"\xef\xbb\xbf", b" ", b"\n", b"\0", b"[")) + data,
    lambda random, data: data.decode().encode(random.choice(("utf-16", "utf-16-le", "utf-32"))),
    lambda random, data: b"[" * random.randrange(3000) + data,
    lambda random, data: data.replace(b":", b":" + b'{"x":' * random.randrange(900), 1),
    lambda _, data: data.replace(b'"keyid":"', b'"keyid":' + b"9" * 5000 + b'"', 1),
    lambda random, data: data[: random.randrange(len(data))],
    lambda random, _: random.randbytes(random.randrange(99)),
)


# --- statements that are signed again -------------------------------------------------------------


def _other_json(random: Random, payload: bytes) -> bytes:
    if random.random() < 0.5:
        return _odd_spelling(random, payload.decode())
    return _encoded(_write(_other_object(random, _pairs(payload))))


def _signed_anew(random: Random, sealed: Sealed) -> bytes:
    """Change the statement and sign it truly, as a careless or a hostile signer would."""
    payload = base64.b64decode(_value(_pairs(sealed.data), "payload"))
    kind = PAYLOAD_TYPE
    if random.random() < 0.1:
        kind = random.choice(TYPES)
    else:
        payload = _other_json(random, payload)
    sig = sealed.signer.sign(pae(kind, payload), sealed.namespace)
    hint = sealed.signer.public_key.fingerprint
    signature = _Object((("keyid", hint), ("sig", base64.b64encode(sig.encode()).decode())))
    envelope = _Object(
        (
            ("payload", base64.b64encode(payload).decode()),
            ("payloadType", kind),
            ("signatures", [signature]),
        )
    )
    return _encoded(_write(envelope))
