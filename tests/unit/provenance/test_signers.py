"""Whose signatures count where in the log, and which were the gate's."""

import pytest
from agentpolicy.provenance.signers import Signers
from agentpolicy.runs.truth import Truth
from agentpolicy.trust.authority import Authority
from agentpolicy.trust.keys import PublicKey
from tests.verdict_log import authority, commit_at, history, signer_of

PEOPLE = ("alice", "pat", "ci", "ria")
NOWHERE = "f" * 40
CHANGED = history(
    authority(PEOPLE),
    authority(PEOPLE, 2, gate=("ci", "ria")),
    authority(PEOPLE, 3, gate=("ria",), until={"alice": 3}),
)
"""ci is the gate at versions 1 and 2, ria at 2 and 3; alice's key counts before 3."""


def key(name: str) -> PublicKey:
    return signer_of(name).public_key


def after(*shown: int, trust: Authority = CHANGED) -> Signers:
    """Give the signers at a place of the log before which these versions were shown."""
    signers = Signers(trust)
    for version in shown:
        signers.show(commit_at(version))
    return signers


@pytest.mark.parametrize(
    ("name", "shown", "person"),
    [
        ("alice", (), "alice"),
        ("alice", (2,), "alice"),
        ("alice", (3,), None),
        ("alice", (3, 1), None),
        ("ci", (3,), "ci"),
        ("priya", (), None),
    ],
)
def test_a_key_counts_until_the_log_shows_its_retirement(
    name: str, shown: tuple[int, ...], person: str | None
) -> None:
    assert after(*shown).person_of(key(name)) == person


def test_a_commit_nobody_knows_shows_nothing() -> None:
    signers = after()
    signers.show(NOWHERE)
    signers.show(None)
    assert signers.person_of(key("alice")) == "alice"


@pytest.mark.parametrize(
    ("name", "named", "shown", "by_gate"),
    [
        ("ci", 1, (), True),
        ("ci", 2, (), True),
        ("ci", 3, (), False),
        ("ci", 1, (2,), True),
        ("ci", 1, (3,), False),
        ("ria", 1, (), False),
        ("ria", 1, (3,), False),
        ("ria", 2, (3,), True),
        ("alice", 1, (), False),
        ("priya", 1, (), False),
    ],
)
def test_the_gate_is_who_held_the_role_at_the_named_commit_and_had_not_lost_it_here(
    name: str, named: int, shown: tuple[int, ...], by_gate: Truth
) -> None:
    assert after(*shown).by_gate(key(name), commit_at(named)) is by_gate


@pytest.mark.parametrize(
    ("name", "shown", "by_gate"),
    [
        ("ci", (), None),
        ("ci", (3,), False),
        ("ria", (), None),
        ("ria", (3,), None),
        ("alice", (), False),
        ("priya", (), False),
    ],
)
def test_without_the_named_commit_only_what_never_changed_is_known(
    name: str, shown: tuple[int, ...], by_gate: Truth
) -> None:
    assert after(*shown).by_gate(key(name), NOWHERE) is by_gate


def test_one_trust_root_alone_knows_its_own_gate() -> None:
    alone = authority(PEOPLE)
    assert after(trust=alone).by_gate(key("ci"), NOWHERE) is True
    assert after(trust=alone).by_gate(key("ria"), None) is False


def test_who_was_the_gate_before_the_oldest_known_trust_root_is_unknown() -> None:
    alone = authority(PEOPLE, 5, gate=("ci", "ria"), until={"ci": 5})
    assert after(trust=alone).person_of(key("ci")) == "ci"
    assert after(trust=alone).by_gate(key("ci"), NOWHERE) is None


def test_a_key_retired_long_ago_is_found_without_counting_through_the_versions() -> None:
    late = authority(PEOPLE, 999_999_999, until={"alice": 7})
    assert after(trust=late).person_of(key("alice")) == "alice"
