"""What a trust root grants, and which ones contradict themselves."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.loading.document import read_document
from agentpolicy.trust.authority import Authority, authority_of
from agentpolicy.trust.keys import MAX_RSA_BITS, PublicKey, parse_public_key, public_key_of
from agentpolicy.trust.wire import mpint, string
from tests.ssh_keys import keygen

KEYS = Path(__file__).parents[2] / "data" / "keys"
LINES: Mapping[str, str] = {
    name: (KEYS / f"{name}.pub").read_text(encoding="utf-8").strip()
    for name in ("alice", "pat", "priya", "ria", "ci")
}

ROOT = f"""\
roles_version: 3
repository: 5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c
url: https://git.example.com/acme/agents
protected: [refs/heads/main, refs/heads/release]
guarded: [.github/workflows/agentpolicy.yml]
people:
  alice:
    handle: "@alice"
    keys:
      - {{public: "{LINES["alice"]}", since: 1}}
  pat:
    keys:
      - {{public: "{LINES["pat"]}", since: 1}}
  priya:
    keys:
      - {{public: "{LINES["priya"]}", since: 1, until: 3}}
  ria:
    keys:
      - {{public: "{LINES["ria"]}", since: 3}}
  ci:
    keys:
      - {{public: "{LINES["ci"]}", since: 4}}
roles:
  platform-owner: {{people: [pat, priya], threshold: 1}}
  reviewer: {{people: [ria], threshold: 1}}
owners:
  bands/refund-agent: [alice]
  budgets/schedule-meeting: [alice, priya]
"""


def authority(text: str = ROOT) -> Authority:
    return authority_of(read_document("policies/roles.yaml", text.encode()))


def key(name: str) -> PublicKey:
    return parse_public_key(LINES[name])


def problems_of(*edits: tuple[str, str]) -> list[Problem]:
    """Give what is wrong with the trust root after replacing these texts in it."""
    text = ROOT
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
    with pytest.raises(InputError) as error:
        authority(text)
    return list(error.value.problems)


def test_a_trust_root_grants_what_it_says() -> None:
    granted = authority()
    assert granted.version == 3
    assert granted.repository == "5f0c" * 8
    assert granted.url == "https://git.example.com/acme/agents"
    assert granted.protected == ("refs/heads/main", "refs/heads/release")
    assert granted.policy_ref == "refs/heads/main"
    assert granted.guarded == (".github/workflows/agentpolicy.yml",)
    assert granted.people == {"alice", "pat", "priya", "ria", "ci"}
    assert granted.threshold("platform-owner") == 1


def test_what_is_left_out_is_nobody_and_nothing() -> None:
    start, end = ROOT.index("guarded:"), ROOT.index("people:")
    text = ROOT[: ROOT.index("owners:")].replace(ROOT[start:end], "")
    granted = authority(text.replace("url: https://git.example.com/acme/agents\n", ""))
    assert granted.url is None
    assert granted.guarded == ()
    assert granted.owners_of("bands/refund-agent") == frozenset()
    assert granted.people_in("gate") == frozenset()
    assert granted.threshold("gate") == 1


@pytest.mark.parametrize(
    ("name", "person"),
    [("alice", "alice"), ("pat", "pat"), ("priya", None), ("ria", "ria"), ("ci", None)],
)
def test_a_key_counts_from_its_first_version_until_its_last(name: str, person: str | None) -> None:
    assert authority().person_of(key(name)) == person


@pytest.mark.parametrize(("version", "person"), [(1, "alice"), (2, "alice"), (3, None), (4, None)])
def test_a_retired_key_counts_at_the_versions_before_its_retirement_only(
    version: int, person: str | None, tmp_path: Path
) -> None:
    line = keygen(tmp_path / "key").line
    second = f'}}\n      - {{public: "{line}", since: 1, until: 3}}\n'
    text = ROOT.replace("}\n", second, 1).replace("roles_version: 3", f"roles_version: {version}")
    text = text.replace("since: 3", "since: 1")
    assert authority(text).person_of(parse_public_key(line)) == person


@pytest.mark.parametrize(("name", "counts"), [("alice", True), ("priya", False), ("ci", False)])
def test_a_fingerprint_counts_while_its_key_is_live(name: str, *, counts: bool) -> None:
    assert authority().counts(key(name).fingerprint) is counts


@pytest.mark.parametrize("name", ["alice", "priya", "ci"])
def test_a_listed_key_is_known_before_it_counts_and_after_it_was_retired(name: str) -> None:
    assert authority().listed_person_of(key(name)) == name


def test_a_key_of_an_earlier_trust_root_is_known_for_ever(tmp_path: Path) -> None:
    other = keygen(tmp_path / "key")
    later = authority(ROOT.replace(LINES["alice"], other.line)).following((authority(),), {})
    assert later.listed_person_of(key("alice")) == "alice"
    assert later.listed_person_of(other) == "alice"
    assert later.person_of(key("alice")) is None
    assert authority().listed_person_of(other) is None


def test_the_same_trust_root_is_read_once_and_another_one_anew() -> None:
    assert authority() is authority()
    other = authority(ROOT.replace("roles_version: 3", "roles_version: 4"))
    assert (authority().version, other.version) == (3, 4)


def test_people_without_a_live_key_hold_no_role() -> None:
    assert authority().people_in("platform-owner") == {"pat"}


def test_a_key_that_is_not_listed_is_nobodys(tmp_path: Path) -> None:
    assert authority().person_of(keygen(tmp_path / "key")) is None


def test_a_baseline_follows_the_band_of_its_agent() -> None:
    granted = authority()
    assert granted.owners_of("bands/refund-agent") == {"alice"}
    assert granted.owners_of("baselines/refund-agent") == {"alice"}
    assert granted.owners_of("baselines/schedule-meeting") == frozenset()
    assert granted.owners_of("budgets/schedule-meeting") == {"alice", "priya"}


def test_owners_who_cannot_sign_any_more_are_still_the_owners() -> None:
    text = ROOT.replace("[alice, priya]", "[priya]")
    assert authority(text).owners_of("budgets/schedule-meeting") == {"priya"}


def test_one_person_may_hold_several_keys(tmp_path: Path) -> None:
    second = keygen(tmp_path / "key")
    text = ROOT.replace("}\n", f'}}\n      - {{public: "{second.line}", since: 2}}\n', 1)
    assert authority(text).person_of(second) == "alice"
    assert authority(text).person_of(key("alice")) == "alice"


def test_a_key_listed_for_two_people_is_refused_where_it_stands() -> None:
    (problem,) = problems_of((LINES["pat"], LINES["alice"]))
    assert problem.code == "key-listed-twice"
    assert "also alice's" in problem.message
    assert key("alice").fingerprint in problem.message
    assert problem.hint
    assert str(problem.position) == "policies/roles.yaml:13:18"


@pytest.mark.parametrize("spelling", ["{line} laptop", "{line} x y", "{bare}"])
def test_another_spelling_of_a_listed_key_is_the_same_key(spelling: str) -> None:
    line = spelling.format(line=key("alice").line, bare=key("alice").line)
    (problem,) = problems_of((LINES["pat"], line))
    assert problem.code == "key-listed-twice"


def test_a_key_of_two_people_is_refused_though_it_never_counts_for_both_at_once() -> None:
    codes = [problem.code for problem in problems_of((LINES["priya"], LINES["ria"]))]
    assert codes == ["key-listed-twice"]


def test_a_key_listed_twice_for_one_person_is_refused() -> None:
    again = f'}}\n      - {{public: "{LINES["alice"]}", since: 2}}\n'
    (problem,) = problems_of(("}\n", again))
    assert (problem.code, problem.position and problem.position.line) == ("key-listed-twice", 11)
    assert "listed twice (line 10)" in problem.message


@pytest.mark.parametrize(
    ("line", "words"),
    [("ssh-ed25519 AAAA", "ends too early"), ("alice", "not an OpenSSH public key")],
)
def test_a_key_that_cannot_be_read_is_refused_where_it_stands(line: str, words: str) -> None:
    (problem,) = problems_of((LINES["ria"], line))
    assert problem.code == "key-unreadable"
    assert words in problem.message
    assert problem.position is not None
    assert problem.position.line == 19


def test_the_largest_rsa_key_can_be_listed_with_a_comment() -> None:
    modulus = 2 ** (MAX_RSA_BITS - 1) + 1
    largest = public_key_of(string(b"ssh-rsa") + mpint(65537) + mpint(modulus))
    granted = authority(ROOT.replace(LINES["alice"], f"{largest.line} alice at her desk"))
    assert granted.person_of(largest) == "alice"


@pytest.mark.parametrize("until", [1, 2])
def test_a_key_that_never_counts_is_refused(until: int) -> None:
    (problem,) = problems_of(("since: 1, until: 3", f"since: 2, until: {until}"))
    assert problem.code == "key-never-live"


def test_a_threshold_above_the_people_who_can_sign_is_refused() -> None:
    (problem,) = problems_of(("[pat, priya], threshold: 1", "[pat, priya], threshold: 2"))
    assert problem.code == "threshold-unreachable"
    assert "2 people, and 1 of its people can sign" in problem.message
    assert problem.position is not None
    assert problem.position.line == 24


def test_a_role_that_nobody_can_fill_is_refused() -> None:
    codes = {problem.code for problem in problems_of(("people: [ria]", "people: []"))}
    assert codes == {"threshold-unreachable"}


def test_a_threshold_below_one_is_refused() -> None:
    with pytest.raises(InputError, match="threshold"):
        authority(ROOT.replace("threshold: 1", "threshold: 0", 1))


def test_strangers_in_roles_and_among_owners_are_refused() -> None:
    problems = problems_of(("[pat, priya]", "[pat, mallory]"), ("[alice, priya]", "[alice, eve]"))
    found = [(problem.code, str(problem.position)) for problem in problems]
    assert found == [
        ("person-unknown", "policies/roles.yaml:24:34"),
        ("person-unknown", "policies/roles.yaml:28:37"),
    ]


def test_an_entry_without_an_owner_is_refused() -> None:
    (problem,) = problems_of(("[alice, priya]", "[]"))
    assert problem.code == "owner-missing"


GATE = ("owners:", "  gate: {people: [ci], threshold: 1}\nowners:")
LIVE_GATE = ("since: 4", "since: 1")


def test_a_gate_with_people_of_its_own_is_accepted() -> None:
    granted = authority(ROOT.replace(*GATE).replace(*LIVE_GATE))
    assert granted.people_in("gate") == {"ci"}


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (("people: [ria]", "people: [ria, ci]"), "ci of role gate is also role reviewer"),
        (("people: [pat,", "people: [ci, pat,"), "ci of role gate is also role platform-owner"),
        (("refund-agent: [alice]", "refund-agent: [ci]"), "also owner of bands/refund-agent"),
    ],
)
def test_the_people_of_the_gate_hold_no_other_role(edit: tuple[str, str], words: str) -> None:
    (problem,) = problems_of(GATE, LIVE_GATE, edit)
    assert problem.code == "gate-not-separate"
    assert words in problem.message


def test_everything_wrong_is_said_at_once() -> None:
    problems = problems_of(
        (LINES["pat"], "x"), ("threshold: 1", "threshold: 9"), ("[alice]", "[eve]")
    )
    assert {problem.code for problem in problems} == {
        "key-unreadable",
        "threshold-unreachable",
        "person-unknown",
    }
