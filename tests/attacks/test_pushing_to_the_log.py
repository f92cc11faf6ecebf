"""Attacks on the verdict log through a push, against a server that has the hook."""

import re
import time
from pathlib import Path

import pytest
from agentpolicy.base.instant import Instant
from agentpolicy.gitio.log_store import Addition, Writer, append
from agentpolicy.gitio.refs import LOG_REF
from agentpolicy.gitio.signing import load_signer
from agentpolicy.provenance.segment import ENVELOPE_FILE
from agentpolicy.trust.authority import Authority
from agentpolicy.trust.envelope import Signer
from agentpolicy.workflows.audit import authority_in_force
from tests.policy_repo import (
    BUDGET_PATH,
    ROLES_PATH,
    PolicyRepo,
    begin,
    green_run,
    serve,
    write_runs,
)
from tests.repositories import GitRepository
from tests.ssh_keys import keygen
from tests.verdict_log import TOKEN, drafted, signer_of, verdict


def now() -> Instant:
    """Ask the clock that the server's hook asks; tests may run long after they were collected."""
    return Instant(int(time.time()))  # noqa: TID251 - as it says


PUSH = ("push", "-q", "origin", LOG_REF)


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    return begin(tmp_path / "repo", gate=True)


@pytest.fixture
def server(made: PolicyRepo, tmp_path: Path) -> GitRepository:
    return serve(made, tmp_path / "server.git")


def roles_of(made: PolicyRepo) -> Authority:
    return authority_in_force(made.repo.open(), now())


@pytest.fixture
def stranger(tmp_path: Path) -> Signer:
    keygen(tmp_path / "stranger")
    return load_signer(str(tmp_path / "stranger"), {})


def add(made: PolicyRepo, who: str | Signer = "ci", *, at: int = 0) -> str:
    """Put a verdict into the log here, signed by anybody, and give the log commit."""
    roles, tree = roles_of(made), made.repo.oid("HEAD:policies")
    statement = verdict(
        at=Instant(now() + at), commit=made.head, tree=tree, repository=roles.repository
    )
    writer = Writer(signer_of(who) if isinstance(who, str) else who, TOKEN)
    addition = Addition(drafted(statement), {}, tree)
    return append(made.repo.open(), writer, roles, addition, now()).commit


def refused(made: PolicyRepo, server: GitRepository, *args: str) -> bool:
    """Push the log past the local hook; say whether the server refused, leaving all as it was."""
    before = server.git("for-each-ref")
    pushed = made.repo.try_git(*PUSH, "--no-verify", *args)
    assert (pushed.returncode != 0) == (server.git("for-each-ref") == before)
    return pushed.returncode != 0 and b"log-unsound" in pushed.stderr


def junk_upon(made: PolicyRepo, parent: str, tree: str = "HEAD^{tree}") -> None:
    """Move the log here to a commit upon another with any tree at all."""
    junk = made.repo.git("commit-tree", made.repo.oid(tree), "-p", parent, "-m", "log")
    made.repo.git("update-ref", LOG_REF, junk)


def test_what_listed_people_recorded_is_taken_and_more_of_it_later(
    made: PolicyRepo, server: GitRepository
) -> None:
    for who, at in (("ci", 0), ("alice", 1), ("ci", 2)):
        added = add(made, who, at=at)
        made.repo.git(*PUSH)
        assert server.oid(LOG_REF) == added


def test_junk_is_refused(made: PolicyRepo, server: GitRepository) -> None:
    first = add(made)
    made.repo.git(*PUSH)
    junk_upon(made, first)
    assert refused(made, server)


def test_a_strangers_well_formed_record_is_refused(
    made: PolicyRepo, server: GitRepository, stranger: Signer
) -> None:
    add(made)
    made.repo.git(*PUSH)
    add(made, stranger)
    assert refused(made, server)


def test_changed_bytes_of_a_listed_signer_are_refused(
    made: PolicyRepo, server: GitRepository
) -> None:
    first = add(made)
    made.repo.git(*PUSH)
    second = add(made, at=1)
    blob = made.repo.git("hash-object", "-w", "--stdin", stdin=b"{}\n")
    lines = made.repo.git("ls-tree", second).splitlines()
    changed = [
        f"100644 blob {blob}\tsegment.jsonl" if line.endswith("segment.jsonl") else line
        for line in lines
    ]
    assert changed != lines
    tree = made.repo.git("mktree", stdin="".join(line + "\n" for line in changed).encode())
    junk_upon(made, first, tree)
    assert refused(made, server)


def test_a_chain_with_a_link_taken_out_is_refused(made: PolicyRepo, server: GitRepository) -> None:
    first = add(made)
    made.repo.git(*PUSH)
    add(made, at=1)
    last = add(made, at=2)
    junk_upon(made, first, f"{last}^{{tree}}")
    assert refused(made, server)


def test_a_whole_log_is_verified_where_there_was_none(
    made: PolicyRepo, server: GitRepository
) -> None:
    junk_upon(made, add(made))
    assert refused(made, server)


def test_junk_that_already_stands_on_the_server_blocks_nobody(
    made: PolicyRepo, server: GitRepository
) -> None:
    junk_upon(made, add(made))
    hook = server.path / "hooks" / "pre-receive"
    kept = hook.read_bytes()
    hook.unlink()
    made.repo.git(*PUSH, "--no-verify")
    hook.write_bytes(kept)
    hook.chmod(0o755)
    added = add(made, at=1)
    made.repo.git(*PUSH)
    assert server.oid(LOG_REF) == added


def test_a_signature_under_roles_that_come_along_in_the_same_push_counts(
    made: PolicyRepo, server: GitRepository, stranger: Signer
) -> None:
    line = stranger.public_key.line
    roles = (made.path / ROLES_PATH).read_text()
    entry = f'people:\n  newcomer:\n    keys:\n      - {{public: "{line}", since: 2}}\n'
    made.repo.write(ROLES_PATH, roles.replace("people:\n", entry, 1))
    assert made.sign("pat").code == 0
    assert made.approve("priya").code == 0
    made.approve("pat")
    assert made.commit("a newcomer").code == 0
    added = add(made, stranger)
    assert refused(made, server)
    made.repo.git("push", "-q", "origin", LOG_REF, "main")
    assert server.oid(LOG_REF) == added


def retire_alice(made: PolicyRepo) -> None:
    """Land and push a trust root in which her key counts no more."""
    key = signer_of("alice").public_key.line
    made.edit(ROLES_PATH, f'{key}", since: 1}}', f'{key}", since: 1, until: 2}}')
    made.edit(ROLES_PATH, "[alice]", "[pat]")
    made.edit(ROLES_PATH, "[alice]", "[pat]")
    for ran in (made.sign("ria"), made.approve("pat"), made.approve("priya")):
        assert ran.code == 0, ran
    assert made.commit("alice's key leaked").code == 0
    made.repo.git("push", "-q", "origin", "main")


def move_the_pin(made: PolicyRepo, server: GitRepository) -> None:
    """Let the pin move to the tip, here and on the server."""
    made.must("verify-history")
    server.git("config", "agentpolicy.root", made.pin)


@pytest.mark.parametrize("pin_moved", [False, True])
def test_a_retired_key_adds_nothing_though_the_log_does_not_show_its_retirement_yet(
    made: PolicyRepo, server: GitRepository, pin_moved: bool
) -> None:
    add(made, "alice")
    made.repo.git(*PUSH)
    retire_alice(made)
    if pin_moved:
        move_the_pin(made, server)
    tip, tree = made.repo.oid(LOG_REF), made.repo.oid("HEAD~1:policies")
    before = verdict(
        at=now(), commit=made.repo.oid("HEAD~1"), tree=tree, repository=roles_of(made).repository
    )
    addition = Addition(drafted(before), {}, tree)
    writer = Writer(signer_of("alice"), "ab" * 16)
    append(made.repo.open(), writer, roles_of(made), addition, now())
    assert refused(made, server)
    assert server.oid(LOG_REF) == tip


def test_a_log_that_a_retired_key_began_grows_where_the_pin_has_moved_past_it(
    made: PolicyRepo, server: GitRepository
) -> None:
    add(made, "alice")
    made.repo.git(*PUSH)
    retire_alice(made)
    move_the_pin(made, server)
    added = add(made, "ci", at=1)
    made.repo.git(*PUSH)
    assert server.oid(LOG_REF) == added


def test_nothing_is_written_on_the_server_but_the_ref(
    made: PolicyRepo, server: GitRepository
) -> None:
    add(made)
    made.repo.git(*PUSH)
    refs = server.git("for-each-ref", "--format=%(refname)").splitlines()
    assert refs == [LOG_REF, "refs/heads/main"]
    assert ENVELOPE_FILE in server.git("ls-tree", "--name-only", LOG_REF)


@pytest.mark.attack("E11", "push")
@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (3_600, b"ahead of the clock"),
        (2_300_000_000, b"ahead of the clock"),
        (-86_500, b"over a day late"),
    ],
)
def test_e11_a_record_of_another_time_is_refused_and_blocks_nobody(
    made: PolicyRepo, server: GitRepository, seconds: int, words: bytes
) -> None:
    first = add(made)
    made.repo.git(*PUSH)
    add(made, at=seconds)
    pushed = made.repo.try_git(*PUSH, "--no-verify")
    assert pushed.returncode != 0
    assert words in pushed.stderr
    assert server.oid(LOG_REF) == first
    made.repo.git("update-ref", LOG_REF, first)
    made.repo.git("update-ref", "refs/agentpolicy/log-recorded", first)
    added = add(made, "alice", at=1)
    made.repo.git(*PUSH)
    assert server.oid(LOG_REF) == added


@pytest.mark.attack("E11", "push")
@pytest.mark.parametrize("seconds", [250, -86_000])
def test_a_record_of_about_now_is_taken(
    made: PolicyRepo, server: GitRepository, seconds: int
) -> None:
    add(made)
    made.repo.git(*PUSH)
    added = add(made, at=seconds)
    made.repo.git(*PUSH)
    assert server.oid(LOG_REF) == added


def test_an_old_log_may_move_to_a_new_server_as_a_whole(
    made: PolicyRepo, server: GitRepository
) -> None:
    added = add(made, at=-9_000_000)
    made.repo.git(*PUSH)
    assert server.oid(LOG_REF) == added


@pytest.mark.attack("E11", "commit", "push", "gate")
def test_e11_a_policy_commit_dated_far_ahead_or_back_is_a_commit_like_any_other(
    made: PolicyRepo, server: GitRepository, tmp_path: Path
) -> None:
    for number, date in (("0.10", "4070908800 +0000"), ("0.05", "100000000 +0000")):
        text = (made.path / BUDGET_PATH).read_text()
        made.repo.write(
            BUDGET_PATH, re.sub("amber_rate_max: [0-9.]+", f"amber_rate_max: {number}", text)
        )
        assert made.sign().code == 0
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        made.repo.git("add", "-A")
        made.repo.git("commit", "-q", "-m", "tighten", env=dates)
        made.repo.git("push", "-q", "origin", "main")
        assert server.oid("refs/heads/main") == made.head
        judged = made.gate(write_runs(tmp_path / "runs.jsonl", [green_run(1)]))
        assert judged.json["policy"]["state"] == "in_force"
