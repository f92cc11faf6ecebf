"""Changes of SSH signatures that know the format: every field, every length, every armour.

A signature is taken apart into a tree of fields that keep what ssh-keygen wrote, so that an
unchanged tree gives back the same bytes; a change replaces, frames wrongly or moves one field.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random

from agentpolicy.trust.keys import SK_ECDSA, SK_ED25519
from agentpolicy.trust.sshsig import armour, dearmour
from agentpolicy.trust.wire import WireReader, mpint
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

ORDERS = {
    256: int("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551", 16),
    384: int("F" * 48 + "C7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973", 16),
    521: int(
        "1" + "F" * 64 + "FA51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386409", 16
    ),
}
"""The order of each curve's base point: (r, n - s) is as good a signature as (r, s)."""
ED25519_ORDER = 2**252 + 27742317777372353535851937790883648493
NAMES = (
    b"ssh-ed25519", b"ssh-rsa", b"ssh-dss", b"rsa-sha2-256", b"rsa-sha2-512", b"SSH-ED25519",
    b"ecdsa-sha2-nistp256", b"ecdsa-sha2-nistp384", b"ecdsa-sha2-nistp521", b"nistp256",
    b"nistp384", b"nistp521", b"sk-ssh-ed25519@openssh.com", b"sk-ecdsa-sha2-nistp256@openssh.com",
    b"webauthn-sk-ecdsa-sha2-nistp256@openssh.com", b"ssh-ed25519-cert-v01@openssh.com",
    b"ssh-ed448", b"md5", b"sha1", b"sha224", b"sha256", b"sha384", b"sha512", b"SHA512",
    b"sha512 ", b"sha512\0", b"none", b"git", b"file", b"agentpolicy-approval@v1",
    b"agentpolicy-approval@v1\0", b"agentpolicy-approval@v2", b"agentpolicy-verdict@v1", b"ssh:",
    b"ssh:other", b"https://bank.example", b"",
)  # fmt: skip
"""What might stand where a name stands, right or wrong."""


@dataclass(slots=True)
class Field:
    """One field: bytes as they are, or a length and the fields inside it."""

    name: str
    raw: bytes = b""
    inside: list["Field"] | None = None
    framed: bool = True
    length: int | None = None
    """What the length field claims, where that is not the truth."""

    def written(self) -> bytes:
        body = self.raw if self.inside is None else b"".join(one.written() for one in self.inside)
        if not self.framed:
            return body
        claimed = len(body) if self.length is None else self.length
        return claimed.to_bytes(4, "big") + body

    def all_below(self) -> Iterator[tuple[list["Field"], int]]:
        """List every field inside, as where it stands."""
        for at, one in enumerate(self.inside or ()):
            assert self.inside is not None
            yield self.inside, at
            yield from one.all_below()

    def named(self, name: str) -> "Field":
        return next(fields[at] for fields, at in self.all_below() if fields[at].name == name)


def fields_of(armoured: str) -> Field:
    """Take a signature apart; nothing is checked, because it was made by ssh-keygen or us."""
    reader = WireReader(dearmour(armoured))
    magic, version = reader.take(6), reader.take(4)
    key = WireReader(reader.string())
    names = ("namespace", "reserved", "hash")
    texts = [Field(name, reader.string()) for name in names]
    signature = WireReader(reader.string())
    public = [Field(f"key {at}", one) for at, one in enumerate(_strings(key))]
    algorithm = public[0].raw.decode()
    whole = [
        Field("magic", magic, framed=False),
        Field("version", version, framed=False),
        Field("key", inside=public),
        *texts,
        Field("signature", inside=_signature_fields(signature, algorithm)),
    ]
    return Field("all", inside=whole, framed=False)


def _strings(reader: WireReader) -> Iterator[bytes]:
    while reader.at < len(reader.data):
        yield reader.string()


def _signature_fields(reader: WireReader, algorithm: str) -> list[Field]:
    name, raw = Field("algorithm", reader.string()), reader.string()
    value = Field("value", raw)
    if "ecdsa" in algorithm:
        pair = [Field(part, one) for part, one in zip("rs", _strings(WireReader(raw)), strict=True)]
        value = Field("value", inside=pair)
    if algorithm not in (SK_ED25519, SK_ECDSA):
        return [name, value]
    flags, counter = reader.take(1), reader.take(4)
    state = [Field("flags", flags, framed=False), Field("counter", counter, framed=False)]
    return [name, value, *state]


# --- changes of one field -------------------------------------------------------------------------

Change = Callable[[Random, list[Field], int], None]
"""Changes the field at a place among its siblings."""


def _body(one: Field) -> bytes:
    return Field("", one.raw, one.inside, framed=False).written()


def _set(fields: list[Field], at: int, raw: bytes) -> None:
    fields[at] = Field(fields[at].name, raw, framed=fields[at].framed)


def flip(random: Random, fields: list[Field], at: int) -> None:
    raw = bytearray(_body(fields[at]) or b"\0")
    raw[random.randrange(len(raw))] ^= 1 << random.randrange(8)
    _set(fields, at, bytes(raw))


def pad(random: Random, fields: list[Field], at: int) -> None:
    """Put zeros, or anything, before or behind, or take a zero away: padding, trailing bytes."""
    raw = _body(fields[at])
    if raw[:1] == b"\0" and random.random() < 0.3:
        return _set(fields, at, raw[1:])
    more = random.choice((b"\0", b"\0\0", b"\xff", random.randbytes(4)))
    return _set(fields, at, more + raw if random.random() < 0.5 else raw + more)


def cut(random: Random, fields: list[Field], at: int) -> None:
    raw = _body(fields[at])
    keep = random.randrange(len(raw) + 1)
    _set(fields, at, raw[:keep] if random.random() < 0.5 else raw[keep:])


def name(random: Random, fields: list[Field], at: int) -> None:
    _set(fields, at, random.choice(NAMES))


def number(random: Random, fields: list[Field], at: int) -> None:
    """Put an integer that has no business there: zero, one, negative, huge, a curve's order."""
    order = random.choice((*ORDERS.values(), ED25519_ORDER))
    value = random.choice((0, 1, 2, order - 1, order, order + 1, 1 << 2048, 1 << 16384))
    raw = mpint(value)[4:] if value else random.choice((b"", b"\0"))
    _set(fields, at, b"\x80" + raw[1:] if random.random() < 0.2 else raw)


def claim(random: Random, fields: list[Field], at: int) -> None:
    """Let the length say something else than the truth."""
    length = len(_body(fields[at]))
    near = (max(0, length - 1), length + 1, length + 4, length * 2)
    fields[at].length = random.choice((*near, 0, 2**31 - 1, 2**31, 2**32 - 1))


def move(random: Random, fields: list[Field], at: int) -> None:
    one = fields.pop(at)
    fields.insert(random.randrange(len(fields) + 1), one)


def drop(_random: Random, fields: list[Field], at: int) -> None:
    del fields[at]


def double(_random: Random, fields: list[Field], at: int) -> None:
    fields.insert(at, fields[at])


def wrap(random: Random, fields: list[Field], at: int) -> None:
    """Frame a field once more, or once less."""
    one = fields[at]
    if random.random() < 0.5:
        fields[at] = Field(one.name, one.written())
    else:
        fields[at] = Field(one.name, _body(one), framed=not one.framed)


def swap_r_and_s(random: Random, fields: list[Field], at: int) -> None:
    """Change the numbers of an ECDSA signature among the ways that look alike."""
    if [one.name for one in fields] != ["r", "s"]:
        return flip(random, fields, at)
    r, s = (int.from_bytes(one.raw, "big") for one in fields)
    fitting = [order for order in ORDERS.values() if order.bit_length() >= s.bit_length()]
    order = (fitting or [ED25519_ORDER])[0]
    ways = ((r, order - s), (order - r, s), (s, r), (r + order, s), (r, s + order), (r, s))
    pair = random.choice(ways)
    for place, value in zip((0, 1), pair, strict=True):
        _set(fields, place, mpint(abs(value))[4:])
    return None


def as_der(random: Random, fields: list[Field], at: int) -> None:
    """Write an ECDSA signature as everybody but SSH does."""
    if [one.name for one in fields] != ["r", "s"]:
        return pad(random, fields, at)
    r, s = (int.from_bytes(one.raw, "big") for one in fields)
    fields[:2] = [Field("der", encode_dss_signature(r, s), framed=random.random() < 0.5)]
    return None


def add_order(random: Random, fields: list[Field], at: int) -> None:
    """Write the S of an Ed25519 signature a second way: S + L means the same point."""
    raw = _body(fields[at])
    if fields[at].name != "value" or len(raw) != 64:
        return flip(random, fields, at)
    scalar = int.from_bytes(raw[32:], "little") + random.choice((1, 2, 8)) * ED25519_ORDER
    return _set(fields, at, raw[:32] + (scalar % 2**256).to_bytes(32, "little"))


def flags(random: Random, fields: list[Field], at: int) -> None:
    """Change what a token says of itself."""
    if fields[at].name not in ("flags", "counter"):
        return claim(random, fields, at)
    return _set(fields, at, random.randbytes(len(_body(fields[at]))))


CHANGES: Mapping[str, Change] = {
    change.__name__: change
    for change in (
        flip, pad, cut, name, number, claim, move, drop, double, wrap, swap_r_and_s, as_der,
        add_order, flags,
    )
}  # fmt: skip


_CHANGES = tuple(CHANGES.values())
_OFTEN = tuple(5 if change in (flip, swap_r_and_s, add_order, flags) else 1 for change in _CHANGES)
"""What leaves a signature well formed, so that the arithmetic sees it, is done more often."""


# --- changes of the bytes and of the text ---------------------------------------------------------


def splice(random: Random, blob: bytes) -> bytes:
    """Cut something out of the bytes and put something in."""
    start = random.randrange(len(blob) + 1)
    end = start + random.randrange(9)
    return blob[:start] + random.randbytes(random.randrange(9)) + blob[end:]


def _at_random(random: Random, text: str, inserted: str) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + inserted + text[at:]


def _broken_anew(random: Random, text: str) -> str:
    """Break the lines elsewhere."""
    begin, *lines, end = text.splitlines()
    body, width = "".join(lines), random.choice((1, 64, 69, 71, 76, 10_000))
    parts = [body[at : at + width] for at in range(0, len(body), width)]
    return "\n".join((begin, *parts, end, ""))


def _stray_bits(random: Random, text: str) -> str:
    """Change bits at the end of the base64 that no byte holds, or the padding."""
    begin, *lines, end = text.splitlines()
    body = "".join(lines)
    bare = body.rstrip("=")
    last = random.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    ways = (bare[:-1] + last + body[len(bare) :], bare, body + "=", body + "====")
    changed = random.choice(ways)
    parts = [changed[at : at + 70] for at in range(0, len(changed), 70)]
    return "\n".join((begin, *parts, end, ""))


TEXTS: tuple[Callable[[Random, str], str], ...] = (
    _broken_anew,
    _stray_bits,
    lambda _, text: text.replace("\n", "\r\n"),
    lambda _, text: text.rstrip("\n"),
    lambda _, text: text + "\n",
    lambda _, text: text + text,
    lambda _, text: text.upper(),
    lambda _, text: text.replace("+", "-").replace("/", "_"),
    lambda _, text: text.replace("SSH SIGNATURE", "PGP SIGNATURE"),
    lambda _, text: text.replace("-----\n", "-----\nComment: none\n\n", 1),
    lambda random, text: random.choice(("x\n", "\n", "\ufeff", " ")) + text,
    lambda random, text: text + random.choice(("x\n", " ", "\0", "-----BEGIN SSH SIGNATURE-----")),
    lambda random, text: _at_random(
        random, text, random.choice("\0 \t\r\n=-+/\u00a0\u200b\ud800é")
    ),
    lambda random, text: text[: random.randrange(len(text))],
)


def other_text(random: Random, text: str) -> str:
    """Change the armour, and not what it holds; or break it."""
    return random.choice(TEXTS)(random, text)


# --- all of them ----------------------------------------------------------------------------------


def mutants(random: Random, armoured: str, amount: int) -> Iterator[str]:
    """Make every change of every field a few times, then changes of all sorts, several at once."""
    for _ in range(SWEEPS):
        for change in CHANGES.values():
            for place in range(len(list(fields_of(armoured).all_below()))):
                whole = fields_of(armoured)
                fields, at = list(whole.all_below())[place]
                change(random, fields, at)
                yield armour(whole.written())
    for _ in range(amount):
        yield mutant(random, armoured)


SWEEPS = 4


def mutant(random: Random, armoured: str) -> str:
    """Change a signature once to three times, mostly in its fields."""
    way = random.random()
    if way < 0.75:
        return armour(change_fields(random, armoured, random.choice((1, 1, 1, 2, 3))))
    if way < 0.9:
        return armour(splice(random, dearmour(armoured)))
    return other_text(random, armoured)


def change_fields(random: Random, armoured: str, times: int, change: Change | None = None) -> bytes:
    """Change fields at random; the bytes may come out as they were."""
    whole = fields_of(armoured)
    for _ in range(times):
        places = list(whole.all_below())
        if places:
            fields, at = random.choice(places)
            (change or random.choices(_CHANGES, _OFTEN)[0])(random, fields, at)
    return whole.written()


def is_the_same(one: str, other: str) -> bool:
    """Say whether two signatures are the same but for the sign of an ECDSA signature's s."""
    if one == other:
        return True
    left, right = fields_of(one), fields_of(other)
    if "ecdsa" not in left.named("key 0").raw.decode():
        return False
    values = [int.from_bytes(side.named("s").raw, "big") for side in (left, right)]
    for side in (left, right):
        side.named("s").raw = b""
    return left.written() == right.written() and sum(values) in ORDERS.values()
