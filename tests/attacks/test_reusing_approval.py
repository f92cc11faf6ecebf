"""Attacks with approvals that were really given: for something else, another time, or in part."""

import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from agentpolicy.base.canonical import digest
from agentpolicy.base.instant import DAY, Instant
from agentpolicy.documents.layout import approval_path
from agentpolicy.trust.approval import (
    APPROVAL_NAMESPACE,
    ApprovalRole,
    ApprovalStatement,
    parse_statement,
)
from agentpolicy.trust.envelope import parse_envelope, seal
from tests.admission_world import signer
from tests.attacks.roads import refused_everywhere
from tests.policy_repo import BAND, BAND_PATH, BUDGET_PATH, KEYS, PolicyRepo, begin, serve
from tests.team import gather

LOOSER = ("threshold: 0.92", "threshold: 0.90")
EVERYWHERE = ("commit", "check", "pre-push", "push", "gate")


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    return begin(tmp_path / "repo")


def stored(made: PolicyRepo) -> dict[str, bytes]:
    """Give all approvals in the work tree, by path."""
    files = (made.path / "policies" / "approvals").rglob("*.json")
    return {file.relative_to(made.path).as_posix(): file.read_bytes() for file in files}


def statement_in(data: bytes) -> ApprovalStatement:
    return parse_statement(parse_envelope(data).payload)


def put(made: PolicyRepo, approvals: Mapping[str, bytes]) -> None:
    for path, data in approvals.items():
        made.repo.write(path, data)


def given(made: PolicyRepo, who: str = "pat", role: str = "platform-owner") -> dict[str, bytes]:
    """Let somebody approve what lies here, and give what that added."""
    before = stored(made)
    approved = made.approve(who, role)
    assert approved.code == 0, approved
    return {path: data for path, data in stored(made).items() if path not in before}


def restated(made: PolicyRepo, data: bytes, **claims: object) -> None:
    """Put another statement in an approval's place, signed for good by the same person."""
    old = statement_in(data)
    new = replace(old, **claims)  # type: ignore[arg-type]  # all sorts of claims
    (made.path / approval_path(digest(parse_envelope(data).payload))).unlink()
    sealed = seal(new.to_bytes(), signer(old.person), APPROVAL_NAMESPACE)
    made.repo.write(approval_path(digest(new.to_bytes())), sealed)


def loosened(made: PolicyRepo) -> bytes:
    """Loosen with both signatures, and give pat's."""
    made.edit(BAND_PATH, *LOOSER)
    assert made.sign().code == 0
    (data,) = given(made).values()
    return data


@pytest.mark.attack("B1", *EVERYWHERE)
@pytest.mark.parametrize("version", ["band_version: 2", "band_version: 4"])
def test_b01_an_approval_that_was_used_once_is_good_for_nothing_more(
    made: PolicyRepo, tmp_path: Path, version: str
) -> None:
    loosened(made)
    loose = (made.path / BAND_PATH).read_text()
    assert made.commit("A to B, approved").code == 0
    made.edit(BAND_PATH, "threshold: 0.90", "threshold: 0.92")
    made.land("B to A, free")
    made.repo.write(BAND_PATH, loose.replace("band_version: 2", version))
    refused_everywhere(made, tmp_path, "platform-owner")


@pytest.mark.attack("B2", *EVERYWHERE)
def test_b02_an_approval_for_one_path_is_none_for_equal_content_at_another(
    made: PolicyRepo, tmp_path: Path
) -> None:
    one, other = "policies/bands/one.yaml", "policies/bands/other.yaml"
    made.repo.write(one, BAND)
    assert made.sign().code == 0
    given(made)
    approvals = stored(made)
    (made.path / one).unlink()
    made.repo.write(other, BAND)
    put(made, approvals)
    refused_everywhere(made, tmp_path, f"it also covers {one}, which does not change here")


@pytest.mark.attack("B3", *EVERYWHERE)
@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({"repository": "0" * 32}, "it was given in another repository"),
        ({"url": "https://git.example.com/fork"}, "it was given for https://git.example.com/fork"),
        ({"policy_ref": "refs/heads/release"}, "it was given for refs/heads/release"),
    ],
)
def test_b03_an_approval_for_a_fork_or_another_ref_is_none_here(
    made: PolicyRepo, tmp_path: Path, claims: Mapping[str, object], why: str
) -> None:
    restated(made, loosened(made), **claims)
    refused_everywhere(made, tmp_path, why)


@pytest.mark.attack("B12", *EVERYWHERE)
def test_b12_a_good_signature_over_other_bytes_approves_nothing(
    made: PolicyRepo, tmp_path: Path
) -> None:
    loosened(made)
    made.edit(BAND_PATH, "threshold: 0.90", "threshold: 0.50")
    refused_everywhere(made, tmp_path, f"it is for another change of {BAND_PATH}")


@pytest.mark.attack("B12", *EVERYWHERE)
def test_b12_a_statement_rewritten_under_its_signature_approves_nothing(
    made: PolicyRepo, tmp_path: Path
) -> None:
    data = loosened(made)
    made.edit(BAND_PATH, "threshold: 0.90", "threshold: 0.50")
    assert made.sign().code == 0
    path = approval_path(digest(parse_envelope(data).payload))
    old = statement_in(data)
    wanted = next(
        one for one in stored(made).values() if statement_in(one).covered[0].new_version == 2
        and statement_in(one).role == "agent-owner"
    )  # fmt: skip
    forged = replace(old, covered=statement_in(wanted).covered).to_bytes()
    sealed = seal(forged, signer("alice"), APPROVAL_NAMESPACE)
    made.repo.write(approval_path(digest(forged)), sealed)
    assert not (made.path / path).exists()
    refused_everywhere(made, tmp_path, "its key is not a live key of pat")


@pytest.mark.attack("B13", *EVERYWHERE)
@pytest.mark.parametrize("how", ["deleted", "altered", "moved"])
def test_b13_a_stored_approval_is_neither_altered_nor_deleted(
    made: PolicyRepo, tmp_path: Path, how: str
) -> None:
    path = min(stored(made))
    data = (made.path / path).read_bytes()
    (made.path / path).unlink()
    if how == "altered":
        made.repo.write(path, data.rstrip(b"\n"))
    if how == "moved":
        made.repo.write(approval_path("sha256:" + "ab" * 32), data)
    refused_everywhere(made, tmp_path, "append-only")


@pytest.mark.attack("B13", "commit", "push", "gate")
def test_b13_an_unused_approval_that_was_sneaked_in_counts_for_nothing_and_anybody_clears_it(
    made: PolicyRepo, tmp_path: Path
) -> None:
    serve(made, tmp_path / "server.git")
    loosened(made)
    extra = {path: data for path, data in stored(made).items() if statement_in(data).covered}
    made.repo.git("checkout", "-q", "HEAD", "--", BAND_PATH)
    made.repo.git("add", "-A")
    made.sneak("approvals kept for later")
    landed = {path for path in extra if path in made.repo.git("ls-files").splitlines()}
    assert len(landed) == len(extra)
    assert made.repo.try_git("push", "-q", "--no-verify", "origin", "main").returncode != 0
    assert made.sign("ria").code == 0
    cleared = made.commit("clear away")
    assert cleared.code == 0, cleared
    assert made.repo.try_git("push", "-q", "origin", "main").returncode == 0


@pytest.mark.attack("B14", *EVERYWHERE)
@pytest.mark.parametrize("claimed", ["tighter", "neutral"])
def test_b14_a_loosening_signed_as_something_better_is_refused(
    made: PolicyRepo, tmp_path: Path, claimed: str
) -> None:
    data = loosened(made)
    covered = tuple(replace(one, change_class=claimed) for one in statement_in(data).covered)
    restated(made, data, covered=covered)
    refused_everywhere(made, tmp_path, f"its signer was shown a {claimed} change of {BAND_PATH}")


@pytest.mark.attack("B15", *EVERYWHERE)
@pytest.mark.parametrize("half", [BAND_PATH, BUDGET_PATH])
def test_b15_one_half_of_two_documents_approved_together_does_not_land(
    made: PolicyRepo, tmp_path: Path, half: str
) -> None:
    made.edit(BAND_PATH, *LOOSER)
    made.edit(BUDGET_PATH, "amber_rate_max: 0.15", "amber_rate_max: 0.10")
    made.edit(BUDGET_PATH, "p95_cost_usd:   0.75", "p95_cost_usd:   0.80")
    assert made.sign().code == 0
    given(made)
    left = BUDGET_PATH if half == BAND_PATH else BAND_PATH
    made.repo.git("checkout", "-q", "HEAD", "--", left)
    refused_everywhere(made, tmp_path, f"it also covers {left}, which does not change here")


def test_two_documents_approved_together_land_together(made: PolicyRepo, tmp_path: Path) -> None:
    serve(made, tmp_path / "server.git")
    made.edit(BAND_PATH, *LOOSER)
    made.edit(BUDGET_PATH, "amber_rate_max: 0.15", "amber_rate_max: 0.20")
    assert made.sign().code == 0
    (data,) = given(made).values()
    assert [one.path for one in statement_in(data).covered] == [BAND_PATH, BUDGET_PATH]
    assert made.commit("both").code == 0
    assert made.repo.try_git("push", "-q", "origin", "main").returncode == 0


@pytest.mark.attack("B16", "commit", "check", "pre-push", "push")
def test_b16_an_approval_that_lapsed_does_not_enter(made: PolicyRepo, tmp_path: Path) -> None:
    server = serve(made, tmp_path / "server.git")
    data, before = loosened(made), made.head
    old = statement_in(data)
    long_ago = Instant(old.issued_at - 30 * DAY)
    restated(made, data, issued_at=long_ago, expires_at=Instant(long_ago + 30 * DAY))
    committed = made.commit("too late")
    assert committed.code != 0
    assert "it lapsed at" in committed.err
    made.sneak()
    assert made.check(before, made.head).code == 1
    for bypass in ((), ("--no-verify",)):
        assert made.repo.try_git("push", "-q", *bypass, "origin", "main").returncode != 0
    assert server.oid("main") == before


@pytest.mark.attack("B16", *EVERYWHERE)
@pytest.mark.parametrize("standing", ["on main", "elsewhere"])
def test_b16_a_withdrawn_approval_does_not_enter_with_a_branch_that_had_been_closed(
    tmp_path: Path, standing: str
) -> None:
    team = gather(tmp_path)
    alice, pat = team.alice, team.pat
    alice.repo.branch("looser")
    loosened(alice)
    assert alice.commit("loosen").code == 0
    alice.repo.git("push", "-q", "origin", "looser")
    closed = alice.head
    if standing == "elsewhere":
        pat.repo.branch("other")
    taken = pat.must("approve", "--withdraw", "origin/looser", "--key", str(KEYS / "pat"))
    assert taken.err.count("pat withdraws policies/approvals/") == 1
    command = taken.err.splitlines()[-1].removeprefix("next: ")
    subprocess.run(["sh", "-c", command], cwd=pat.path, env=pat.repo.environ, check=True)
    if standing == "on main":
        pat.repo.git("push", "-q", "origin", "main")
    alice.repo.git("fetch", "-q", "origin")
    alice.repo.git("checkout", "-q", "-B", "main", "origin/main")
    alice.repo.git("cherry-pick", "--no-commit", closed)
    refused_everywhere(alice, tmp_path, "pat withdrew it")


@pytest.mark.attack("B16", "commit", "check", "pre-push", "push", "gate")
def test_b16_a_withdrawal_is_not_taken_out_of_the_way(made: PolicyRepo, tmp_path: Path) -> None:
    data = loosened(made)
    made.repo.git("checkout", "-q", "HEAD", "--", BAND_PATH)
    name = digest(parse_envelope(data).payload)
    for path in stored(made):
        if path not in made.repo.git("ls-tree", "-r", "--name-only", "HEAD").splitlines():
            (made.path / path).unlink()
    made.repo.git("add", "-A")
    made.must("approve", "--withdraw", name, "--key", str(KEYS / "pat"))
    assert made.commit("withdraw").code == 0
    withdrawal = next(path for path in stored(made) if "/withdrawn/" in path)
    (made.path / withdrawal).unlink()
    refused_everywhere(made, tmp_path, "append-only")


@pytest.mark.attack("B17", *EVERYWHERE)
@pytest.mark.parametrize("role", ["platform-owner", "reviewer"])
def test_b17_the_proposer_does_not_become_somebody_else_by_role_or_by_author_field(
    made: PolicyRepo, tmp_path: Path, role: str
) -> None:
    made.edit(
        "policies/tools.yaml", "drive.write_file:      {effect: write}", "drive.put: {effect: read}"
    )
    assert made.sign("pat").code == 0
    before = set(stored(made))
    proposed = next(data for data in stored(made).values() if statement_in(data).person == "pat"
                    and statement_in(data).role == "proposer"
                    and statement_in(data).covered[0].new_version == 2)  # fmt: skip
    own = replace(statement_in(proposed), role=ApprovalRole(role)).to_bytes()
    made.repo.write(approval_path(digest(own)), seal(own, signer("pat"), APPROVAL_NAMESPACE))
    assert len(set(stored(made)) - before) == 1
    made.repo.git("config", "user.name", "Priya")
    made.repo.git("config", "user.email", "priya@example.invalid")
    refused_everywhere(made, tmp_path, "platform-owner")
