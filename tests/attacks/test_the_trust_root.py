"""Attacks on who may say so: keys, people, thresholds and versions of the trust root, and the pin.

Each is tried with everything an attacker could sign, past the commands that would refuse to.
"""

import base64
from pathlib import Path

import pytest
from agentpolicy.cli.context import now
from agentpolicy.gitio.signing import load_signer
from agentpolicy.trust.approval import ApprovalRole
from agentpolicy.trust.wire import string
from agentpolicy.workflows.desk import Desk
from agentpolicy.workflows.kept import changes, keep_in_worktree
from agentpolicy.workflows.proposal import proposal_in_worktree
from tests.admission_world import public
from tests.policy_repo import (
    BAND_PATH,
    KEYS,
    ROLES_PATH,
    TOOLS_PATH,
    PolicyRepo,
    Ran,
    begin,
    green_run,
    serve,
    write_runs,
)
from tests.ssh_keys import keygen

WORKFLOW = ".github/workflows/agentpolicy.yml"
ALL_ROADS = ("commit", "check", "push", "gate")


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    return begin(tmp_path / "repo")


def refused_everywhere(made: PolicyRepo, tmp_path: Path, *words: str) -> None:
    """Try what lies in the work tree by every road; the refusals at commit and push say why."""
    server = serve(made, tmp_path / "server.git")
    before = made.head
    refused_at_commit(made, *words)
    sneaked = made.sneak()
    checked = made.check(before, sneaked)
    assert checked.code in {1, 2}, checked
    pushed = made.repo.try_git("push", "-q", "--no-verify", "origin", "main")
    assert pushed.returncode != 0
    assert server.oid("refs/heads/main") == before
    judged = made.gate(write_runs(tmp_path / "runs.jsonl", [green_run(1)]))
    assert judged.code == 3, judged
    for word in words:
        assert word in pushed.stderr.decode()


def refused_at_commit(made: PolicyRepo, *words: str) -> None:
    """Try what lies in the work tree by the quickest road, for the variants of one attack."""
    committed = made.commit("attack")
    assert committed.code != 0
    for word in words:
        assert word in committed.err, committed.err


def force(made: PolicyRepo, key: Path, role: str, *paths: str, reason: str = "forced") -> str:
    """Sign whatever is asked, without any of the checks that `sign` and `approve` make."""
    signer = load_signer(str(key), made.repo.environ)
    repository, at = made.repo.open(), now()
    desk = Desk.at_work(proposal_in_worktree(repository, at), signer, at, reason)
    after, given = desk.signed(ApprovalRole(role), paths)
    keep_in_worktree(repository, changes(desk.proposal.head, after.proposal.head), paths)
    return given.path


def listed(key: str, since: int = 1) -> str:
    return f'{{public: "{key}", since: {since}}}'


def second_key(made: PolicyRepo, who: str, tmp_path: Path) -> Path:
    """Land a second key of a person, signed by both platform owners."""
    line = keygen(tmp_path / f"{who}-2").line
    made.edit(ROLES_PATH, f'"@{who}", keys: [', f'"@{who}", keys: [{listed(line, 2)}, ')
    both_sign(made)
    assert made.commit("a second key").code == 0
    return tmp_path / f"{who}-2"


def retire(made: PolicyRepo, who: str, until: int) -> None:
    """Retire a person's first key in the work tree."""
    made.edit(ROLES_PATH, f'{public(who)}", since: 1', f'{public(who)}", since: 1, until: {until}')


def both_sign(made: PolicyRepo) -> None:
    for ran in (made.sign(), made.approve("pat"), made.approve("priya")):
        assert ran.code == 0, ran


@pytest.mark.attack("B4", "sign", *ALL_ROADS)
def test_b04_a_second_key_and_another_email_do_not_make_a_second_person(
    made: PolicyRepo, tmp_path: Path
) -> None:
    second = second_key(made, "pat", tmp_path)
    made.edit(TOOLS_PATH, "drive.write_file", "drive.put")
    assert made.sign("pat").code == 0
    made.repo.git("config", "user.email", "somebody-else@example.invalid")
    own = made.run(
        "approve", "--role", "platform-owner", "--key", str(second), "--reason", "me again"
    )
    assert own.code == 1
    assert "pat proposed the change" in own.err
    force(made, second, "platform-owner", TOOLS_PATH)
    refused_everywhere(made, tmp_path, "pat proposed the change")


@pytest.mark.attack("B5", *ALL_ROADS)
def test_b05_one_key_cannot_be_two_people(made: PolicyRepo, tmp_path: Path) -> None:
    pat = public("pat")
    made.edit(ROLES_PATH, "people:\n", f"people:\n  twin: {{keys: [{listed(pat)}]}}\n")
    made.edit(ROLES_PATH, "platform-owner: {people: [pat", "platform-owner: {people: [twin, pat")
    refused_everywhere(made, tmp_path, "of pat is also twin's", "key-listed-twice")


@pytest.mark.attack("B5", *ALL_ROADS)
def test_b05_another_encoding_of_an_rsa_key_is_no_other_key(
    made: PolicyRepo, tmp_path: Path
) -> None:
    key = keygen(tmp_path / "rsa", "rsa")
    _, exponent, modulus = _fields(key.blob)
    padded = string(b"ssh-rsa") + string(exponent) + string(b"\0" + modulus)
    other = f"ssh-rsa {base64.b64encode(padded).decode()}"
    made.edit(
        ROLES_PATH,
        "people:\n",
        f"people:\n  one: {{keys: [{listed(key.line)}]}}\n  two: {{keys: [{listed(other)}]}}\n",
    )
    refused_everywhere(made, tmp_path, "this key of two cannot be used", "key-unreadable")


def _fields(blob: bytes) -> list[bytes]:
    fields = []
    while blob:
        size = int.from_bytes(blob[:4], "big")
        fields.append(blob[4 : 4 + size])
        blob = blob[4 + size :]
    return fields


@pytest.mark.attack("B6", *ALL_ROADS)
def test_b06_one_person_signing_twice_is_not_two(made: PolicyRepo, tmp_path: Path) -> None:
    sign_twice(made, tmp_path, "another statement")
    refused_everywhere(made, tmp_path, "platform-owner (priya)")


@pytest.mark.attack("B6", "commit")
@pytest.mark.parametrize("how", ["another key", "another file name"])
def test_b06_one_signature_in_another_guise_is_not_two(
    made: PolicyRepo, tmp_path: Path, how: str
) -> None:
    sign_twice(made, tmp_path, how)
    refused_at_commit(made, "platform-owner (priya)")


def sign_twice(made: PolicyRepo, tmp_path: Path, how: str) -> None:
    """Let one platform owner sign a new trust root and bring the same signature along again."""
    second = second_key(made, "pat", tmp_path) if how == "another key" else KEYS / "pat"
    made.edit(ROLES_PATH, "reviewer: {people: [ria]", "reviewer: {people: [ria, alice]")
    assert made.sign().code == 0
    signed = force(made, KEYS / "pat", "platform-owner", ROLES_PATH)
    data = (made.path / signed).read_bytes()
    if how == "another file name":
        made.repo.write(f"policies/approvals/00/{'0' * 64}.json", data)
    else:
        force(made, second, "platform-owner", ROLES_PATH, reason="and again")
        made.repo.write(signed, data)


@pytest.mark.attack("B8", *ALL_ROADS)
@pytest.mark.parametrize(
    ("threshold", "words"),
    [("0", "threshold"), ("3", "asks for 3 people, and 2 of its people can sign")],
)
def test_b08_a_threshold_of_nobody_or_of_more_than_live_is_refused(
    made: PolicyRepo, tmp_path: Path, threshold: str, words: str
) -> None:
    made.edit(ROLES_PATH, "[pat, priya], threshold: 1", f"[pat, priya], threshold: {threshold}")
    made.edit(ROLES_PATH, "roles_version: 1", "roles_version: 2")
    refused_everywhere(made, tmp_path, words)


@pytest.mark.attack("B8", "commit")
def test_b08_people_whose_keys_are_retired_do_not_carry_a_threshold(
    made: PolicyRepo, tmp_path: Path
) -> None:
    retire(made, "priya", 2)
    made.edit(ROLES_PATH, "[pat, priya], threshold: 1", "[pat, priya], threshold: 2")
    made.edit(ROLES_PATH, "roles_version: 1", "roles_version: 2")
    refused_at_commit(made, "asks for 2 people, and 1 of its people can sign")


@pytest.mark.attack("B9", *ALL_ROADS)
def test_b09_a_roles_version_is_not_skipped(made: PolicyRepo, tmp_path: Path) -> None:
    made.edit(ROLES_PATH, "reviewer: {people: [ria]", "reviewer: {people: [ria, alice]")
    made.edit(ROLES_PATH, "roles_version: 1", "roles_version: 3")
    signed_by_all(made)
    refused_everywhere(made, tmp_path, "every change counts it on by one, to 2")


@pytest.mark.attack("B9", *ALL_ROADS)
def test_b09_a_version_that_has_landed_is_not_used_for_other_bytes(
    made: PolicyRepo, tmp_path: Path
) -> None:
    second_key(made, "pat", tmp_path)
    made.edit(ROLES_PATH, "reviewer: {people: [ria]", "reviewer: {people: [ria, alice]")
    signed_by_all(made)
    refused_everywhere(made, tmp_path, "every change counts it on by one, to 3")


def signed_by_all(made: PolicyRepo) -> None:
    """Let everybody sign the trust root as it lies, whatever its version."""
    force(made, KEYS / "alice", "proposer", ROLES_PATH)
    force(made, KEYS / "pat", "platform-owner", ROLES_PATH)
    force(made, KEYS / "priya", "platform-owner", ROLES_PATH)


@pytest.mark.attack("B10", "sign", *ALL_ROADS)
def test_b10_a_retired_key_does_not_come_back_with_a_backdated_commit(
    made: PolicyRepo, tmp_path: Path
) -> None:
    first = made.head
    second_key(made, "alice", tmp_path)
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.95")
    while_live = force(made, KEYS / "alice", "agent-owner", BAND_PATH)
    kept, band = (made.path / while_live).read_bytes(), (made.path / BAND_PATH).read_text()
    made.repo.git("reset", "-q", "--hard")
    retire(made, "alice", 3)
    both_sign(made)
    assert made.commit("retire").code == 0

    made.repo.write(BAND_PATH, band.replace("band_version: 1", "band_version: 2"))
    late = made.sign()
    assert late.code == 1
    assert "no live key" in late.err
    made.repo.write(BAND_PATH, band)
    made.repo.write(while_live, kept)
    long_ago = "2020-01-01T00:00:00 +0000"
    dated = {"GIT_AUTHOR_DATE": long_ago, "GIT_COMMITTER_DATE": long_ago}
    made = PolicyRepo(type(made.repo)(made.path, {**made.repo.environ, **dated}))
    refused_everywhere(made, tmp_path, "its key is not a live key of alice")
    assert made.repo.git("log", "-1", "--format=%cI").startswith("2020")
    assert made.repo.git("merge-base", first, "HEAD") == first


@pytest.mark.attack("B18", *ALL_ROADS)
@pytest.mark.parametrize("version", [2, 3])
def test_b18_no_platform_owner_rewrites_the_trust_root_alone(
    made: PolicyRepo, tmp_path: Path, version: int
) -> None:
    if version > 2:
        second_key(made, "alice", tmp_path)
    made.edit(ROLES_PATH, "platform-owner: {people: [pat, priya]", "platform-owner: {people: [pat]")
    assert made.sign("alice").code == 0
    assert made.approve("pat").code == 0
    refused_everywhere(made, tmp_path, "platform-owner (priya)")


@pytest.fixture
def guarded(made: PolicyRepo) -> PolicyRepo:
    """Give a repository whose CI file holds the pin and stands under the trust root."""
    made.repo.write(WORKFLOW, f"env:\n  ROOT: '{made.pin}'\nsteps:\n  - agentpolicy check\n")
    assert made.commit("CI").code == 0
    made.edit(ROLES_PATH, "people:\n", f"guarded: [{WORKFLOW}]\npeople:\n")
    both_sign(made)
    assert made.commit("guard the CI file").code == 0
    return made


@pytest.mark.attack("C15", *ALL_ROADS)
def test_c15_the_pin_in_the_ci_file_does_not_move_with_the_change_it_would_admit(
    guarded: PolicyRepo, tmp_path: Path
) -> None:
    guarded.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.50")
    guarded.edit(WORKFLOW, "ROOT: 'sha256:", "ROOT: 'sha256:0")
    assert guarded.sign().code == 0
    refused_everywhere(guarded, tmp_path, WORKFLOW, "platform-owner")


@pytest.mark.attack("C15", "commit")
@pytest.mark.parametrize("how", ["unset", "deleted"])
def test_c15_the_pin_does_not_leave_the_ci_file_alone(guarded: PolicyRepo, how: str) -> None:
    if how == "unset":
        guarded.edit(WORKFLOW, "  ROOT: ", "  OTHER: ")
    else:
        (guarded.path / WORKFLOW).unlink()
    assert guarded.sign().code == 0
    refused_at_commit(guarded, WORKFLOW, "platform-owner")


@pytest.mark.attack("C15", "commit")
def test_c15_one_platform_owner_cannot_change_the_ci_file_alone(guarded: PolicyRepo) -> None:
    guarded.edit(WORKFLOW, "agentpolicy check", "true")
    assert guarded.sign().code == 0
    assert guarded.approve("pat").code == 0
    refused_at_commit(guarded, WORKFLOW, "platform-owner (priya)")


@pytest.mark.attack("C15", *ALL_ROADS)
@pytest.mark.parametrize("pin", [None, "", "sha256:0"])
def test_c15_without_a_readable_pin_nothing_is_in_force_and_nothing_lands(
    made: PolicyRepo, tmp_path: Path, pin: str | None
) -> None:
    server = serve(made, tmp_path / "server.git")
    before, runs = made.head, write_runs(tmp_path / "runs.jsonl", [green_run(1)])
    for repository in (made.repo, server):
        if pin is None:
            repository.git("config", "--unset", "agentpolicy.root")
        else:
            repository.git("config", "agentpolicy.root", pin)
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.50")
    refused = made.commit("unpinned")
    assert refused.code != 0
    assert "next: git config agentpolicy.root PIN" in refused.err
    sneaked = made.sneak()
    for ran in (made.check(before, sneaked), made.gate(runs)):
        assert ran == Ran(3, "", ran.err)
        assert "pin" in ran.err
    assert made.repo.try_git("push", "-q", "--no-verify", "origin", "main").returncode != 0
    assert server.oid("refs/heads/main") == before


@pytest.mark.attack("B10", *ALL_ROADS)
@pytest.mark.parametrize("whose", ["nobody's", "another's", "pat's"])
def test_b10_a_key_cannot_be_dated_back_to_count_for_what_it_signed_before(
    made: PolicyRepo, tmp_path: Path, whose: str
) -> None:
    first = "since: 2"
    if whose == "another's":
        made.edit(ROLES_PATH, "  ria: ", "  zoe: ")
        made.edit(ROLES_PATH, "people: [ria]", "people: [zoe]")
    elif whose == "pat's":
        second_key(made, "pat", tmp_path)
        made.edit(ROLES_PATH, "since: 2", "since: 1")
    else:
        line = keygen(tmp_path / "new").line
        made.edit(ROLES_PATH, "people:\n", f"people:\n  zoe: {{keys: [{listed(line)}]}}\n")
    signed = made.sign()
    assert signed.code == 1
    assert f"next: write `{first}`" in signed.err
    refused_everywhere(made, tmp_path, "would count since version 1", "key-backdated")


def test_two_keys_of_one_person_that_say_the_same_at_once_are_kept_both(
    made: PolicyRepo, tmp_path: Path
) -> None:
    """The old key counts for the old trust root, the new one for the new."""
    keygen(tmp_path / "pat")
    old = made.must("key", "list", "--format", "json").json["keys"]
    fingerprint = next(key["fingerprint"] for key in old if key["person"] == "pat")
    new = f"pat={tmp_path / 'pat.pub'}"
    made.must("roles", "propose", "--add-key", new, "--retire-key", f"pat={fingerprint}")
    assert made.sign().code == 0
    at = now()
    for key in (KEYS / "pat", tmp_path / "pat"):
        signer = load_signer(str(key), made.repo.environ)
        desk = Desk.at_work(proposal_in_worktree(made.repo.open(), at), signer, at, "rotation")
        after, _ = desk.signed(ApprovalRole.PLATFORM_OWNER, [ROLES_PATH])
        keep_in_worktree(made.repo.open(), changes(desk.proposal.head, after.proposal.head))
    assert made.approve("priya").code == 0
    committed = made.commit("rotate")
    assert committed.code == 0, committed
