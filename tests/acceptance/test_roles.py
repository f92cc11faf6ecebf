"""Changing the trust root from the command line, until it has landed."""

from pathlib import Path

import pytest
from tests.admission_world import public
from tests.policy_repo import (
    BAND,
    BAND_PATH,
    KEYS,
    ROLES_PATH,
    PolicyRepo,
    Ran,
    begin,
    green_run,
    serve,
    write_runs,
)
from tests.repositories import make_repository
from tests.ssh_keys import keygen


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    return begin(tmp_path / "repo")


def fingerprint(made: PolicyRepo, who: str) -> str:
    listed = made.must("key", "list", "--format", "json").json["keys"]
    return str(next(key["fingerprint"] for key in listed if key["person"] == who))


def both_sign(made: PolicyRepo, proposer: str = "alice") -> None:
    for ran in (made.sign(proposer), made.approve("pat"), made.approve("priya")):
        assert ran.code == 0, ran


def propose(made: PolicyRepo, *options: str) -> Ran:
    return made.must("roles", "propose", *options)


def test_the_trust_root_in_force_is_shown_whole(made: PolicyRepo) -> None:
    shown = made.must("roles", "show")
    assert f"roles version 1 in force at {made.head}" in shown.out
    assert f"pin         {made.pin}" in shown.out
    assert "platform-owner: pat, priya; 1 must sign" in shown.out
    assert "bands/refund-agent: alice" in shown.out
    read = made.must("roles", "show", "--format", "json").json
    assert (read["version"], read["commit"], read["pin"]) == (1, made.head, made.pin)
    assert read["roles"]["reviewer"] == {"people": ["ria"], "threshold": 1}
    alice = next(person for person in read["people"] if person["name"] == "alice")
    assert alice["handle"] == "@alice"
    assert [key["state"] for key in alice["keys"]] == ["live"]


def test_what_is_shown_is_in_force_and_not_what_lies_in_the_work_tree(made: PolicyRepo) -> None:
    propose(made, "--threshold", "platform-owner=2")
    assert "1 must sign" in made.must("roles", "show").out


def test_live_keys_are_exported_for_git_and_retired_ones_are_not(made: PolicyRepo) -> None:
    exported = made.must("key", "list", "--allowed-signers").out
    assert f'alice namespaces="git" {public("alice")}\n' in exported
    propose(made, "--retire-key", f"ria={fingerprint(made, 'ria')}", "--role", "reviewer=alice")
    both_sign(made)
    assert made.commit("retire").code == 0
    assert public("ria") not in made.must("key", "list", "--allowed-signers").out
    assert "retired, since 1 until 2" in made.must("key", "list").out


def test_a_proposal_changes_its_lines_alone_and_says_who_must_sign(
    made: PolicyRepo, tmp_path: Path
) -> None:
    line = keygen(tmp_path / "zoe").line
    made.edit(ROLES_PATH, "people:\n", "people:   # everybody who may sign\n")
    before = (made.path / ROLES_PATH).read_text().splitlines()
    ran = propose(
        made, "--add-person", f"zoe={tmp_path / 'zoe.pub'}", "--role", "reviewer=ria,zoe",
        "--owner", "bands/other-agent=zoe",
    )  # fmt: skip
    after = (made.path / ROLES_PATH).read_text().splitlines()
    assert set(after) - set(before) == {
        "roles_version: 2",
        f'  zoe: {{handle: "@zoe", keys: [{{public: "{line}", since: 2}}]}}',
        "  reviewer: {people: [ria, zoe], threshold: 1}",
        "  bands/other-agent: [zoe]",
    }
    assert len(before) - len(set(before) & set(after)) == 2
    assert "+  reviewer: {people: [ria, zoe], threshold: 1}" in ran.out
    assert "needs platform-owner (pat and priya): policies/roles.yaml" in ran.err
    assert "next: agentpolicy sign --key KEY" in ran.err
    both_sign(made)
    assert made.must("roles", "check").out.startswith("admitted")
    assert made.commit("zoe").code == 0
    assert "zoe (@zoe)" in made.must("roles", "show").out


def test_a_dry_run_writes_nothing(made: PolicyRepo) -> None:
    before = (made.path / ROLES_PATH).read_bytes()
    ran = propose(made, "--dry-run", "--threshold", "platform-owner=2")
    assert "would write policies/roles.yaml, version 2" in ran.err
    assert (made.path / ROLES_PATH).read_bytes() == before


def test_a_removed_person_loses_every_role_and_key_and_nobody_else_can_take_the_key(
    made: PolicyRepo,
) -> None:
    refused = made.run("roles", "propose", "--remove-person", "alice")
    assert refused.code == 2
    assert "would have no owner left" in refused.err
    assert "next: agentpolicy roles propose --owner" in refused.err
    propose(
        made, "--remove-person", "alice", "--owner", "bands/refund-agent=ria",
        "--owner", "budgets/schedule-meeting=ria",
    )  # fmt: skip
    both_sign(made, "ria")
    assert made.commit("alice leaves").code == 0
    assert "alice  SHA256" in made.must("key", "list").out
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.95")
    assert "no live key" in made.sign("alice").err
    taken = made.run("roles", "propose", "--add-person", f"mallory={KEYS / 'alice.pub'}")
    assert taken.code == 2
    assert "of alice is also mallory's" in taken.err or "of mallory is also alice's" in taken.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "say what is to change"),
        (["--threshold", "platform-owner=0"], "threshold"),
        (["--threshold", "platform-owner=3"], "asks for 3 people, and 2"),
        (["--threshold", "platform-owner=two"], "'two' is no number"),
        (["--threshold", "gate=1"], "there is no role gate"),
        (["--retire-key", "alice=SHA256:nothing"], "names no key of alice"),
        (["--retire-key", "zoe=SHA256:x"], "zoe is not listed"),
        (["--role", "reviewer=zoe"], "zoe, role reviewer, is not listed"),
        (["--add-person", "alice=x.pub"], "cannot be read"),
    ],
)
def test_what_contradicts_itself_is_refused_and_nothing_is_written(
    made: PolicyRepo, options: list[str], words: str
) -> None:
    before = (made.path / ROLES_PATH).read_bytes()
    ran = made.run("roles", "propose", *options)
    assert ran.code == 2
    assert words in ran.err
    assert "next: " in ran.err
    assert (made.path / ROLES_PATH).read_bytes() == before


def test_checking_says_what_is_missing_and_fails_until_it_is_there(made: PolicyRepo) -> None:
    assert made.must("roles", "check").out.startswith("admitted: no change")
    propose(made, "--threshold", "platform-owner=2")
    missing = made.run("roles", "check")
    assert missing.code == 1
    assert "-- policies/roles.yaml: platform-owner missing" in missing.out
    assert made.must("roles", "check", "--staged").out.startswith("admitted: no change")
    made.edit(ROLES_PATH, "threshold: 2", "threshold: 5")
    assert made.run("roles", "check").code == 1
    made.edit(ROLES_PATH, "threshold: 5", "threshold: none")
    assert made.run("roles", "check").code == 2


def test_a_rotated_key_takes_over_and_the_old_one_is_done(made: PolicyRepo, tmp_path: Path) -> None:
    keygen(tmp_path / "new")
    propose(
        made, "--add-key", f"alice={tmp_path / 'new.pub'}",
        "--retire-key", f"alice={fingerprint(made, 'alice')}",
    )  # fmt: skip
    both_sign(made)
    assert made.commit("rotate").code == 0
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.95")
    assert made.sign("alice").code == 1
    assert made.run("sign", "--key", str(tmp_path / "new")).code == 0
    assert made.commit("tighten").code == 0


def test_a_compromised_key_leaves_with_everything_it_signed_ratified(
    made: PolicyRepo, tmp_path: Path
) -> None:
    keygen(tmp_path / "new")
    ran = propose(
        made, "--add-key", f"alice={tmp_path / 'new.pub'}",
        "--compromised", f"alice={fingerprint(made, 'alice')}",
    )  # fmt: skip
    assert f"to be ratified, for it stands on a compromised key: {BAND_PATH}" in ran.err
    shown = made.must("diff")
    assert f"to be ratified, for it stands on a compromised key:\n  {BAND_PATH}\n" in shown.out
    assert f"  {BAND_PATH}: agent-owner (alice) and platform-owner (pat or priya)" in shown.out
    assert {"document": BAND_PATH, "operation": "ratify"}.items() <= next(
        change
        for change in made.must("diff", "--format", "json").json["changes"]
        if change["document"] == BAND_PATH
    ).items()
    for signed in (made.sign("ria"), made.approve("pat"), made.approve("priya")):
        assert signed.code == 0, signed
    half = made.commit("half")
    assert half.code != 0
    assert "what stands on a compromised key needs the signature of agent-owner (alice)" in half.err
    fresh = made.run("sign", "--key", str(tmp_path / "new"))
    assert fresh.code == 0
    assert f"{BAND_PATH}: ratified as it stands" in fresh.err
    landed = made.commit("the key is out")
    assert landed.code == 0, landed
    assert made.gate(write_runs(tmp_path / "runs.jsonl", [green_run(1)])).code == 0
    assert "compromised, since 1 until 2" in made.must("key", "list").out
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.95")
    assert made.sign("alice").code == 1


def lose_the_quorum(made: PolicyRepo, tmp_path: Path) -> Ran:
    """Propose new platform owners, signed by none of the old ones, and give what is said."""
    keygen(tmp_path / "nia")
    keygen(tmp_path / "noa")
    return propose(
        made, "--reset",
        "--add-person", f"nia={tmp_path / 'nia.pub'}",
        "--add-person", f"noa={tmp_path / 'noa.pub'}",
        "--role", "platform-owner=nia,noa", "--remove-person", "pat", "--remove-person", "priya",
    )  # fmt: skip


def new_owners_sign(made: PolicyRepo, tmp_path: Path) -> None:
    assert made.sign().code == 0
    for who in ("nia", "noa"):
        ran = made.run(
            "approve", "--role=platform-owner", "--key", str(tmp_path / who), "--reason=reset"
        )
        assert ran.code == 0, ran


def test_a_lost_quorum_is_replaced_by_whoever_holds_the_pin_and_every_audit_says_so(
    made: PolicyRepo, tmp_path: Path
) -> None:
    server = serve(made, tmp_path / "server.git")
    before, runs = made.head, write_runs(tmp_path / "runs.jsonl", [green_run(1)])
    said = lose_the_quorum(made, tmp_path)
    pin = said.err.split("next: git config agentpolicy.root ")[1].splitlines()[0].strip("'")
    assert f";version=2;ref=refs/heads/main;commit={before}" in pin
    for repository in (made.repo, server):
        repository.git("config", "agentpolicy.root", pin)
    waiting = made.gate(runs)
    assert waiting.code == 3
    assert "nothing is in force until it does" in waiting.err
    new_owners_sign(made, tmp_path)
    landed = made.commit("new owners")
    assert landed.code == 0, landed
    assert made.repo.try_git("push", "-q", "origin", "main").returncode == 0
    assert made.gate(runs).code == 0
    assert "nia, noa; 1 must sign" in made.must("roles", "show").out
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.95")
    made.land("tighten")
    for asked in (("audit", "query"), ("audit", "verify")):
        assert "version 2 replaced sha256:" in made.run(*asked).err
    assert made.must("roles", "show", "--format", "json").json["resets"][0]["version"] == 2


def test_a_reset_under_the_old_pin_is_refused(made: PolicyRepo, tmp_path: Path) -> None:
    lose_the_quorum(made, tmp_path)
    refused = made.commit("take over")
    assert refused.code != 0
    assert "only whoever holds the pin can reset the trust root" in refused.err


def test_under_the_new_pin_nothing_but_the_reset_lands(made: PolicyRepo, tmp_path: Path) -> None:
    said = lose_the_quorum(made, tmp_path)
    pin = said.err.split("next: git config agentpolicy.root ")[1].splitlines()[0].strip("'")
    made.repo.git("reset", "-q", "--hard")
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.95")
    assert made.sign().code == 0
    made.repo.git("config", "agentpolicy.root", pin)
    refused = made.commit("tighten")
    assert refused.code != 0
    assert "the pin names roles version 2" in refused.err


def test_an_old_repository_is_adopted_at_its_present_commit(tmp_path: Path) -> None:
    """What lay under policies/ before, whatever it said, is not judged."""
    old = PolicyRepo(make_repository(tmp_path / "old"))
    old.repo.commit_files({"policies/bands/refund-agent.yaml": "threshold: none of ours\n"})
    old.repo.git("rm", "-q", "-r", "policies")
    adopted = old.repo.commit("older rules are gone")
    old.must(
        "init", f"--person=alice={KEYS / 'alice.pub'}", f"--person=pat={KEYS / 'pat.pub'}",
        "--platform-owner=pat", "--owner=bands/refund-agent=alice",
    )  # fmt: skip
    assert f";commit={adopted}" in old.pin
    old.must("hook", "install")
    old.repo.write(BAND_PATH, BAND)
    first = old.land("first policy", approver="pat")
    assert first in old.must("roles", "show").out
    old.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.50")
    assert old.sign().code == 0
    assert old.commit("loosen").code != 0
