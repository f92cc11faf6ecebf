"""The law: nothing is accepted here that ssh-keygen refuses, and whatever is refused, in words.

Mutants are made and judged in memory; ssh-keygen is asked about each that was accepted and is not
the original. Everyday a few hundred, at length more than a million.
"""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from agentpolicy.base.instant import Instant, parse_instant
from agentpolicy.trust.approval import (
    LAPSES_AFTER,
    ApprovalRole,
    ApprovalStatement,
    Covered,
    Operation,
    parse_statement,
)
from agentpolicy.trust.envelope import open_envelope, pae, parse_envelope, seal
from agentpolicy.trust.keys import PublicKey
from agentpolicy.trust.private_key import read_private_key
from agentpolicy.trust.sshsig import SignatureError, armour, verify
from tests import envelope_mutants
from tests.envelope_mutants import Sealed
from tests.signature_mutants import CHANGES, change_fields, is_the_same, mutants
from tests.ssh_keys import (
    KINDS,
    NAMESPACE,
    TOKENS,
    Key,
    ecdsa_token,
    ed25519_token,
    keygen_accepts,
    keygen_verifies,
    keys_of_every_kind,
)

Record = Callable[[str, object], None]

MESSAGE = b"DSSEv1 28 application/vnd.in-toto+json 2 {}"
EVERY_KIND = (*KINDS, *TOKENS)
EVERYDAY = 150
AT_LENGTH = {
    "ed25519": 220_000, "ecdsa-256": 120_000, "ecdsa-384": 60_000, "ecdsa-521": 60_000,
    "rsa": 140_000, "sk-ed25519": 140_000, "sk-ecdsa": 110_000,
}  # fmt: skip
ENVELOPES_EVERYDAY = 1_000
ENVELOPES_AT_LENGTH = 100_000
SEEDS = (1, 2, 3)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Key]:
    return keys_of_every_kind(tmp_path_factory.mktemp("keys"))


def accepts(armoured: str, message: bytes = MESSAGE) -> PublicKey | None:
    """Verify here; any exception but the documented one goes through, and fails the test."""
    try:
        return verify(armoured, message, NAMESPACE)
    except SignatureError:
        return None


def hold(kind: str, key: Key, amount: int, folder: Path, record: Record) -> None:
    original = key.sign(MESSAGE, NAMESPACE)
    assert keygen_verifies(folder, original, MESSAGE, NAMESPACE, key.public)
    asked, made, same, accepted = set[str](), 0, 0, 0
    for changed in mutants(Random(kind), original, amount):
        made += 1
        if changed == original:
            same += 1
            continue
        signer = accepts(changed)
        accepted += signer is not None
        if signer is None or changed in asked:
            continue
        asked.add(changed)
        assert is_the_same(changed, original), changed
        assert signer == key.public
        assert keygen_verifies(folder, changed, MESSAGE, NAMESPACE, signer), changed
    counts = {"mutants": made, "unchanged": same, "accepted though changed": accepted}
    note(record, f"mutated signatures, {kind}", counts, len(asked))


def note(record: Record, of: str, counts: dict[str, int], asked: int) -> None:
    """Leave word of what was done, for the summary of a session."""
    record("did", {"of": of, "counts": counts})
    questions = {"questions, all answered with yes": asked}
    record("did", {"of": "accepted mutants asked of ssh-keygen", "counts": questions})


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_a_changed_signature_is_accepted_only_where_ssh_keygen_accepts_it(
    kind: str, keys: dict[str, Key], tmp_path: Path, record_property: Record
) -> None:
    hold(kind, keys[kind], EVERYDAY, tmp_path, record_property)


@pytest.mark.long
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_a_changed_signature_is_accepted_only_where_ssh_keygen_accepts_it_at_length(
    kind: str, keys: dict[str, Key], tmp_path: Path, record_property: Record
) -> None:
    hold(kind, keys[kind], AT_LENGTH[kind], tmp_path, record_property)


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_of_every_kind_of_change_ssh_keygen_refuses_no_less_is_refused_here(
    kind: str, keys: dict[str, Key], tmp_path: Path
) -> None:
    """Here ssh-keygen is asked about all of them, so that what is stricter here shows."""
    original, random, stricter = keys[kind].sign(MESSAGE, NAMESPACE), Random(kind), set[str]()
    for name, change in CHANGES.items():
        changed = armour(change_fields(random, original, 1, change))
        theirs = keygen_accepts(tmp_path, changed, MESSAGE, NAMESPACE)
        assert theirs or not accepts(changed), name
        if theirs and not accepts(changed):
            stricter.add(name)
    assert len(stricter) < len(CHANGES) / 2, f"the changes change too little: {stricter}"


@pytest.mark.parametrize("make", [ed25519_token, ecdsa_token])
def test_a_token_signature_counts_exactly_with_the_touched_flag(
    make: Callable[..., Key], tmp_path: Path
) -> None:
    for flags in range(256):
        token = make(flags=flags)
        armoured = token.sign(MESSAGE, NAMESPACE)
        assert (accepts(armoured) == token.public) is bool(flags & 1), flags
        if flags in (0x01, 0x05, 0x41, 0xFF):
            assert keygen_verifies(tmp_path, armoured, MESSAGE, NAMESPACE, token.public)


# --- envelopes ------------------------------------------------------------------------------------

TEST_KEYS = Path(__file__).parents[1] / "data" / "keys"
ALICE, PAT = (read_private_key((TEST_KEYS / name).read_bytes()) for name in ("alice", "pat"))
ISSUED = parse_instant("2026-03-02T09:30:00Z")


def statement(reason: str) -> bytes:
    band = Covered(
        path="policies/bands/refund-agent.yaml",
        operation=Operation.MODIFY,
        old_sha256="sha256:" + "0a" * 32,
        new_sha256="sha256:" + "1b" * 32,
        new_blob="2c" * 20,
        old_version=0,
        new_version=1,
        change_class="looser",
    )
    made = ApprovalStatement(
        repository="5f0c" * 8,
        url="https://git.example.com/acme/agents",
        policy_ref="refs/heads/main",
        covered=(band,),
        rule_set="1",
        person="alice",
        role=ApprovalRole.AGENT_OWNER,
        reason=reason,
        issued_at=ISSUED,
        expires_at=Instant(ISSUED + LAPSES_AFTER),
    )
    return made.to_bytes()


SEALED = Sealed(
    data=seal(statement("recalibrated"), ALICE, NAMESPACE),
    signer=ALICE,
    namespace=NAMESPACE,
    others=(
        seal(statement("another"), ALICE, NAMESPACE),
        seal(statement("recalibrated"), PAT, NAMESPACE),
        seal(statement("recalibrated"), ALICE, "git"),
    ),
)


def read(data: bytes) -> tuple[bytes, PublicKey] | None:
    """Read an approval as admission does; any exception but a ValueError fails the test."""
    try:
        envelope = parse_envelope(data)
        parse_statement(envelope.payload)
        return envelope.payload, open_envelope(envelope, NAMESPACE)
    except ValueError:
        return None


def as_another_reader(data: bytes) -> tuple[bytes, str]:
    """Read payload and signature as a lenient program would, and insist that nothing is hidden."""
    envelope = json.loads(data, object_pairs_hook=without_duplicates)
    assert set(envelope) == {"payload", "payloadType", "signatures"}
    (signature,) = envelope["signatures"]
    assert set(signature) == {"keyid", "sig"}
    assert envelope["payloadType"] == "application/vnd.in-toto+json"
    payload = base64.b64decode(envelope["payload"])
    said = json.loads(payload, object_pairs_hook=without_duplicates, parse_float=refuse)
    spelled = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert spelled.encode() == payload
    return payload, base64.b64decode(signature["sig"]).decode()


def without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    assert len(fields) == len(pairs), pairs
    return fields


def refuse(text: str) -> None:
    raise AssertionError(text)


def hold_envelopes(seed: int, amount: int, folder: Path, record: Record) -> None:
    random, asked, accepted, signed = Random(seed), set[tuple[bytes, str]](), 0, {ALICE.public_key}
    for _ in range(amount):
        data = envelope_mutants.mutant(random, SEALED)
        found = read(data)
        if found is None:
            continue
        accepted += 1
        payload, sig = as_another_reader(data)
        assert found[0] == payload
        assert found[1] in signed | {PAT.public_key}
        if (payload, sig) not in asked:
            asked.add((payload, sig))
            message = pae("application/vnd.in-toto+json", payload)
            assert keygen_verifies(folder, sig, message, NAMESPACE, found[1]), data
    assert amount / 500 < accepted < amount / 2, "the changes change too much, or too little"
    counts = {"mutants": amount, "accepted": accepted}
    note(record, "mutated envelopes", counts, len(asked))


def test_a_changed_envelope_is_accepted_only_where_everybody_reads_the_same_in_it(
    tmp_path: Path, record_property: Record
) -> None:
    hold_envelopes(0, ENVELOPES_EVERYDAY, tmp_path, record_property)


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_a_changed_envelope_is_accepted_only_where_everybody_reads_the_same_in_it_at_length(
    seed: int, tmp_path: Path, record_property: Record
) -> None:
    hold_envelopes(seed, ENVELOPES_AT_LENGTH, tmp_path, record_property)
