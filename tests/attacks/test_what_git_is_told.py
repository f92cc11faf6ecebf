"""Attacks on what git answers: replacements, grafts, configuration, names, objects, signatures."""

import zlib
from base64 import b64decode, b64encode
from pathlib import Path

import pytest
from agentpolicy.base.canonical import canonical_bytes, digest
from agentpolicy.documents.layout import approval_path
from agentpolicy.trust.envelope import seal
from agentpolicy.trust.private_key import read_private_key
from tests.attacks.roads import refused_after_commit, refused_everywhere
from tests.policy_repo import (
    BAND_PATH,
    BUDGET_PATH,
    KEYS,
    PolicyRepo,
    begin,
    green_run,
    serve,
    write_runs,
)
from tests.repositories import GitRepository

LOOSER = ("amber_rate_max: 0.15", "amber_rate_max: 0.90")


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    return begin(tmp_path / "repo")


@pytest.fixture
def server(made: PolicyRepo, tmp_path: Path) -> GitRepository:
    return serve(made, tmp_path / "server.git")


def loosened(made: PolicyRepo) -> str:
    """Commit a loosening past the hooks; give the commit before it."""
    before = made.head
    made.edit(BUDGET_PATH, *LOOSER)
    made.sign()
    made.sneak("loosen")
    return before


@pytest.mark.attack("C7", "check", "pre-push", "push", "gate")
@pytest.mark.parametrize("kind", ["commit", "tree", "blob"])
def test_c07_a_replaced_object_is_seen_as_it_is(
    made: PolicyRepo, server: GitRepository, tmp_path: Path, kind: str
) -> None:
    names = {"commit": "{}", "tree": "{}:policies", "blob": "{}:" + BUDGET_PATH}
    before = loosened(made)
    bad, good = (made.repo.oid(names[kind].format(name)) for name in (made.head, before))
    made.repo.git("replace", "-f", bad, good)
    made.repo.git("push", "-q", "--no-verify", "origin", "refs/replace/*")
    assert made.repo.git("show", f"HEAD:{BUDGET_PATH}").count(LOOSER[0]) == 1
    assert server.git("for-each-ref", "refs/replace")
    refused_after_commit(made, tmp_path, before)


@pytest.mark.attack("C7", "gate")
def test_c07_runs_are_not_judged_by_a_document_that_stands_in_for_the_true_one(
    made: PolicyRepo, tmp_path: Path
) -> None:
    text = (made.path / BUDGET_PATH).read_text().replace("calendar.create_event", "other.tool")
    other = made.repo.git("hash-object", "-w", "--stdin", stdin=text.encode())
    made.repo.git("replace", made.repo.oid(f"HEAD:{BUDGET_PATH}"), other)
    judged = made.gate(write_runs(tmp_path / "runs.jsonl", [green_run(1)]))
    assert judged.code == 0, judged


@pytest.mark.attack("C7", "check", "pre-push", "push", "gate")
@pytest.mark.attack("C14", "check", "pre-push", "push", "gate")
def test_c07_a_graft_that_cuts_the_loosening_out_of_history_is_not_read(
    made: PolicyRepo, server: GitRepository, tmp_path: Path
) -> None:
    before = loosened(made)
    made.repo.commit_files({"src/main.py": "main\n"})
    graft = f"{made.head} {before}\n"
    for folder in (made.path / ".git", server.path):
        (folder / "info").mkdir(exist_ok=True)
        (folder / "info" / "grafts").write_text(graft)
    refused_after_commit(made, tmp_path, before)


@pytest.mark.attack("C8", "commit", "push", "gate")
def test_c08_no_configuration_answers_for_a_signature(
    made: PolicyRepo, server: GitRepository, tmp_path: Path
) -> None:
    said = tmp_path / "says-good"
    said.write_text('#!/bin/sh\necho Good "agentpolicy" signature\nexit 0\n')
    said.chmod(0o755)
    settings = {
        "gpg.ssh.program": str(said),
        "gpg.program": str(said),
        "gpg.format": "ssh",
        "core.fsmonitor": str(said),
        "diff.external": str(said),
        "agentpolicy.root": made.pin.replace("sha256:", "sha256:0")[: len(made.pin)],
    }
    told = {"GIT_CONFIG_COUNT": str(len(settings)), "GIT_SSH_COMMAND": str(said)}
    for number, (key, value) in enumerate(settings.items()):
        told |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    before = made.head
    made.edit(BUDGET_PATH, *LOOSER)
    assert made.sign().code == 0
    made.repo.git("add", "-A")
    committed = made.repo.try_git("commit", "-q", "-m", "loosen", env=told)
    assert committed.returncode != 0
    assert b"platform-owner" in committed.stderr
    made.sneak()
    bent = PolicyRepo(GitRepository(made.path, {**made.repo.environ, **told}))
    refused_after_commit(bent, tmp_path, before)


@pytest.mark.attack("C9", "commit", "check", "pre-push", "push", "gate")
def test_c09_a_schema_brought_along_allows_nothing(made: PolicyRepo, tmp_path: Path) -> None:
    for folder in ("schemas", "agentpolicy/schemas"):
        made.repo.write(f"{folder}/band.schema.json", '{"additionalProperties": true}')
    made.edit(BAND_PATH, "fields:\n", "anything: goes\nfields:\n")
    made.sign()
    serve(made, tmp_path / "server.git")
    before = made.head
    refused = made.commit("schemas")
    assert refused.code != 0
    assert f"{BAND_PATH}:4:1:" in refused.err
    made.sneak()
    refused_after_commit(made, tmp_path, before, check=(1, 2))


@pytest.mark.attack("C14", "push", "gate", "commit")
def test_c14_a_tag_or_a_branch_that_is_called_like_the_policy_ref_stands_in_for_nothing(
    made: PolicyRepo, server: GitRepository, tmp_path: Path
) -> None:
    before = loosened(made)
    loose = made.head
    for name in (
        "refs/tags/main",
        "refs/heads/refs/heads/main",
        "refs/main",
        "refs/tags/heads/main",
    ):
        made.repo.git("update-ref", name, loose)
        made.repo.try_git("push", "-q", "--no-verify", "origin", f"{loose}:{name}")
    made.repo.git("reset", "-q", "--hard", before)
    made.repo.git("update-ref", "refs/tags/origin/main", loose)
    judged = made.gate(write_runs(tmp_path / "runs.jsonl", [green_run(1)]))
    assert judged.json["policy"] == {
        "commit": before, "ref": "refs/heads/main", "state": "in_force",
    }  # fmt: skip
    made.edit(BUDGET_PATH, LOOSER[0], "amber_rate_max: 0.80")
    made.sign()
    assert made.commit("less loose than the tag").code != 0
    assert server.oid("refs/heads/main") == before


@pytest.mark.attack("C14", "commit", "check", "gate")
@pytest.mark.parametrize("place", [BUDGET_PATH, "policies/roles.yaml", "policies"])
def test_c14_an_object_whose_bytes_are_not_its_name_decides_nothing(
    made: PolicyRepo, tmp_path: Path, place: str
) -> None:
    oid = made.repo.oid(f"HEAD:{place}")
    loose = made.path / ".git/objects" / oid[:2] / oid[2:]
    kind, _, data = zlib.decompress(loose.read_bytes()).partition(b"\0")
    bent = data.replace(b"0.90", b"0.10").replace(b"threshold: 1", b"threshold: 2")
    bent = bent.replace(b"100644", b"100755") if place == "policies" else bent
    assert bent != data
    loose.chmod(0o644)
    loose.write_bytes(zlib.compress(kind + b"\0" + bent))
    judged = made.gate(write_runs(tmp_path / "runs.jsonl", [green_run(1)]))
    assert judged.code == 3, judged
    assert "git fsck" in judged.err
    assert made.run("check", "--base", "HEAD", "--head", "HEAD").code == 3
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.94")
    made.repo.git("add", "policies/bands")
    assert made.repo.try_git("commit", "-q", "-m", "tighten").returncode != 0


def signed_by_git(made: PolicyRepo, who: str) -> bytes:
    """Let git sign a commit with somebody's key; give it as an envelope."""
    key = made.path.parent / "git-key"
    key.write_bytes((KEYS / who).read_bytes())
    key.chmod(0o600)
    made.repo.git(
        "-c", "gpg.format=ssh", "-c", f"user.signingKey={key}",
        "commit", "-q", "-S", "--allow-empty", "--no-verify", "-m", "signed by git",
    )  # fmt: skip
    raw = made.repo.git("cat-file", "commit", "HEAD") + "\n"
    before, _, rest = raw.partition("gpgsig ")
    armor, end, after = rest.partition("-----END SSH SIGNATURE-----\n")
    armoured = "".join(f"{line.strip()}\n" for line in (armor + end).splitlines())
    made.repo.git("reset", "-q", "--soft", "HEAD^")
    payload = before + after.removeprefix(" \n")
    return enveloped(payload.encode(), armoured)


def enveloped(payload: bytes, armoured: str) -> bytes:
    return canonical_bytes(
        {
            "payload": b64encode(payload).decode(),
            "payloadType": "application/vnd.in-toto+json",
            "signatures": [{"keyid": "", "sig": b64encode(armoured.encode()).decode()}],
        }
    )


@pytest.mark.attack("B11", "commit", "check", "pre-push", "push", "gate")
@pytest.mark.parametrize("payload", ["of the commit", "of a real statement", "truly signed"])
def test_b11_a_git_commit_signature_of_the_right_person_approves_nothing(
    made: PolicyRepo, tmp_path: Path, payload: str
) -> None:
    """Git signs in its own namespace; the last way is a real statement signed as git would."""
    made.edit(BUDGET_PATH, *LOOSER)
    assert made.sign().code == 0
    forged = signed_by_git(made, "pat")
    if payload == "of the commit":
        statement = decoded(forged)
        made.repo.write(approval_path(digest(statement)), forged)
    else:
        made.approve("pat")
        (real,) = (
            path
            for path in (made.path / "policies/approvals").rglob("*.json")
            if str(path.relative_to(made.path)) in made.repo.git("status", "--porcelain", "-uall")
            and b'"pat"' in decoded(path.read_bytes())
        )
        envelope = real.read_bytes()
        signature = between(forged, b'"sig":"', b'"')
        if payload == "truly signed":
            pat = read_private_key((KEYS / "pat").read_bytes())
            signature = between(seal(decoded(envelope), pat, "git"), b'"sig":"', b'"')
        real.write_bytes(envelope.replace(between(envelope, b'"sig":"', b'"'), signature))
    why = "it is not JSON" if payload == "of the commit" else "it was made for 'git'"
    refused_everywhere(made, tmp_path, why)


def between(data: bytes, start: bytes, end: bytes) -> bytes:
    return data.partition(start)[2].partition(end)[0]


def decoded(envelope: bytes) -> bytes:
    return b64decode(between(envelope, b'"payload":"', b'"'))
