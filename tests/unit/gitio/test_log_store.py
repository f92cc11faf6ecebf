"""The log on real repositories: nothing is lost, nothing is rewritten unseen."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from agentpolicy.base.canonical import canonical_bytes
from agentpolicy.base.errors import UndecidedError
from agentpolicy.base.instant import Instant
from agentpolicy.gitio import log_store
from agentpolicy.gitio.log_reader import RECORDED_REF
from agentpolicy.gitio.log_store import Addition, Appended, Writer, append, read_log
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.refs import LOG_REF, update_ref
from agentpolicy.gitio.repository import Repository
from agentpolicy.provenance.log import TAMPERED, VerifiedLog
from agentpolicy.provenance.records import (
    NO_RECORDS,
    Draft,
    RecordKind,
    numbered,
    segment_bytes,
    writer_name,
)
from agentpolicy.provenance.segment import EVIDENCE_FILE, POLICY_COMMIT_FILE
from tests.repositories import GitRepository, clone, make_repository
from tests.verdict_log import NOON, TOKEN, Pen, authority, drafted, signer_of, verdict

TRUST = authority()
SEGMENT = "segment.jsonl"
ENVELOPE = "segment.dsse.json"
PROGRAM = """
import os, sys
from pathlib import Path
from agentpolicy.base.instant import Instant
from agentpolicy.gitio.log_store import Addition, Writer, append
from agentpolicy.gitio.refs import update_ref
from agentpolicy.gitio.repository import open_repository
from tests.verdict_log import NOON, authority, drafted, signer_of, verdict

where, token, tree, count = sys.argv[1:]
repository, writer = open_repository(Path(where), os.environ), Writer(signer_of("ci"), token)
for number in range(int(count)):
    drafts = drafted(verdict(tree=tree, at=Instant(NOON + number)))
    append(repository, writer, authority(), Addition(drafts, {}, tree), NOON)
"""
"""What each of several jobs runs at the same time."""


@pytest.fixture(params=["sha1", "sha256"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> GitRepository:
    made = make_repository(tmp_path / "repo", object_format=request.param)
    made.commit_files({"policies/bands/refund-agent.yaml": "band_version: 3\n"}, "policy")
    return made


@pytest.fixture
def plain(tmp_path: Path) -> GitRepository:
    made = make_repository(tmp_path / "plain")
    made.commit_files({"policies/bands/refund-agent.yaml": "band_version: 3\n"}, "policy")
    return made


def policies_of(made: GitRepository) -> str:
    return made.oid("main:policies")


def add(made: GitRepository, number: int = 0, *, who: str = "ci", token: str = TOKEN) -> Appended:
    """Record a verdict under the policy of `main`."""
    tree = policies_of(made)
    statement = verdict(commit=made.oid("main"), tree=tree, at=Instant(NOON + number))
    files = {
        POLICY_COMMIT_FILE: made.git("cat-file", "commit", "main").encode() + b"\n",
        EVIDENCE_FILE: canonical_bytes({"evidence": []}) + b"\n",
    }
    addition = Addition(drafted(statement), files, tree)
    return append(made.open(), Writer(signer_of(who), token), TRUST, addition, NOON)


def read(made: GitRepository) -> VerifiedLog:
    log = read_log(made.open(), TRUST)
    assert log is not None
    return log


def forget(made: GitRepository) -> None:
    """Take away this repository's own memory, as in anybody else's."""
    made.git("update-ref", "-d", RECORDED_REF)


def altered(made: GitRepository, commit: str, files: Mapping[str, bytes | None]) -> str:
    """Make the tree of a log commit with some files replaced or taken out."""
    lines = made.git("ls-tree", commit).splitlines()
    kept = [line for line in lines if line.partition("\t")[2] not in files]
    for name, data in files.items():
        if data is not None:
            blob = made.git("hash-object", "-w", "--stdin", stdin=data)
            kept.append(f"100644 blob {blob}\t{name}")
    return made.git("mktree", stdin="".join(line + "\n" for line in kept).encode())


def commit_of(made: GitRepository, tree: str, *parents: str) -> str:
    named = [word for parent in parents for word in ("-p", parent)]
    return made.git("commit-tree", tree, *named, "-m", "log")


def rewrite(made: GitRepository, at: int, files: Mapping[str, bytes | None]) -> None:
    """Write the log anew with one commit's files changed, and move the branch to it."""
    tip = ""
    for place, oid in enumerate(made.git("rev-list", "--reverse", LOG_REF).splitlines()):
        tree = altered(made, oid, files if place == at else {})
        tip = commit_of(made, tree, *([tip] if tip else []))
    made.git("update-ref", LOG_REF, tip)
    forget(made)


def junk_upon(made: GitRepository, *parents: str, files: Mapping[str, bytes] | None = None) -> str:
    blob = made.git("hash-object", "-w", "--stdin", stdin=b"junk")
    tree = made.git("mktree", stdin=f"100644 blob {blob}\tREADME\n".encode())
    if files is not None:
        lines = [
            f"100644 blob {made.git('hash-object', '-w', '--stdin', stdin=data)}\t{name}\n"
            for name, data in sorted(files.items())
        ]
        tree = made.git("mktree", stdin="".join(lines).encode())
    return commit_of(made, tree, *parents)


def test_there_is_no_log_before_the_first_record(made: GitRepository) -> None:
    assert read_log(made.open(), TRUST) is None


def test_a_log_is_an_orphan_branch_that_holds_the_policies_tree_itself(made: GitRepository) -> None:
    appended = add(made)
    assert made.oid(LOG_REF) == appended.commit
    assert made.git("rev-list", "--parents", LOG_REF) == appended.commit
    assert made.oid(f"{LOG_REF}:policy") == policies_of(made)
    assert set(made.git("ls-tree", "--name-only", LOG_REF).split()) == {
        SEGMENT, ENVELOPE, "policy", POLICY_COMMIT_FILE, EVIDENCE_FILE,
    }  # fmt: skip


def test_what_was_recorded_is_read_back_in_order(made: GitRepository) -> None:
    appended = [add(made, number) for number in range(3)]
    log = read(made)
    assert log.complete
    assert [logged.commit for logged in log.records] == [one.commit for one in appended]
    assert log.state == appended[-1].state
    assert [logged.record.seq for logged in log.records] == [1, 2, 3]


def test_neither_the_work_tree_nor_the_index_nor_the_branch_is_touched(
    plain: GitRepository,
) -> None:
    plain.stage("new", "staged")
    before = plain.git("status", "--porcelain"), plain.oid("HEAD")
    add(plain)
    assert (plain.git("status", "--porcelain"), plain.oid("HEAD")) == before


def test_the_users_identity_and_signing_settings_do_not_matter(plain: GitRepository) -> None:
    plain.git("config", "commit.gpgSign", "true")
    plain.git("config", "user.useConfigOnly", "true")
    add(plain)
    assert plain.git("log", "-1", "--format=%an", LOG_REF) == "agentpolicy"


@pytest.mark.parametrize("name", [SEGMENT, POLICY_COMMIT_FILE, EVIDENCE_FILE])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_changed_or_removed_file_is_tampering(plain: GitRepository, name: str, at: int) -> None:
    for number in range(3):
        add(plain, number)
    for data in (b"{}\n", None):
        rewrite(plain, at, {name: data})
        log = read(plain)
        assert [problem.code for problem in log.tampered] == [TAMPERED]
        assert len(log.records) == 2


def test_another_policies_tree_is_tampering(plain: GitRepository) -> None:
    add(plain)
    lines = plain.git("ls-tree", LOG_REF).replace(policies_of(plain), plain.oid("main^{tree}"))
    tree = plain.git("mktree", stdin=(lines + "\n").encode())
    plain.git("update-ref", LOG_REF, commit_of(plain, tree))
    forget(plain)
    assert "policy/" in read(plain).tampered[0].message


def test_rewriting_the_branch_without_changing_a_file_shows_where_it_was_written(
    plain: GitRepository,
) -> None:
    add(plain)
    plain.git("update-ref", LOG_REF, commit_of(plain, plain.oid(f"{LOG_REF}^{{tree}}")))
    assert "was in the log" in read(plain).tampered[0].message
    forget(plain)
    assert read(plain).complete  # the very same records, in the very same order


def test_a_record_taken_out_of_the_middle_is_tampering(made: GitRepository) -> None:
    first, _, third = (add(made, number) for number in range(3))
    made.git(
        "update-ref", LOG_REF, commit_of(made, made.oid(f"{third.commit}^{{tree}}"), first.commit)
    )
    forget(made)
    log = read(made)
    assert log.tampered
    assert log.records[0].commit == first.commit


def test_records_cut_off_the_end_are_missed_where_they_were_written(made: GitRepository) -> None:
    first, _ = add(made), add(made, 1)
    made.git("update-ref", LOG_REF, first.commit)
    assert [problem.code for problem in read(made).tampered] == [TAMPERED]


def test_a_deleted_log_is_missed_where_it_was_written(made: GitRepository) -> None:
    add(made)
    made.git("update-ref", "-d", LOG_REF)
    assert [problem.code for problem in read(made).tampered] == [TAMPERED]


def test_nothing_is_appended_to_a_log_that_was_tampered_with(plain: GitRepository) -> None:
    add(plain)
    rewrite(plain, 0, {SEGMENT: b"{}\n"})
    tip = plain.oid(LOG_REF)
    with pytest.raises(UndecidedError, match="tampered"):
        add(plain, 1)
    assert plain.oid(LOG_REF) == tip


def test_junk_is_skipped_and_what_comes_after_it_counts(made: GitRepository) -> None:
    add(made)
    made.git("update-ref", LOG_REF, junk_upon(made, made.oid(LOG_REF)))
    add(made, 1)
    log = read(made)
    assert log.complete
    assert len(log.records) == 2
    assert len(log.foreign) == 1


def test_an_old_log_commit_put_on_top_again_is_skipped_and_what_comes_after_counts(
    plain: GitRepository,
) -> None:
    first, second = add(plain), add(plain, 1)
    again = commit_of(plain, plain.oid(f"{first.commit}^{{tree}}"), second.commit)
    plain.git("update-ref", LOG_REF, again)
    add(plain, 2)
    log = read(plain)
    assert log.complete
    assert [logged.record.seq for logged in log.records] == [1, 2, 3]


@pytest.mark.parametrize("mode", ["120000", "160000", "100755"])
def test_a_log_commit_of_anything_but_plain_files_is_skipped(
    plain: GitRepository, mode: str
) -> None:
    add(plain)
    lines = plain.git("ls-tree", LOG_REF).splitlines()
    kept = [line for line in lines if not line.endswith(ENVELOPE)]
    blob = plain.oid("main" if mode == "160000" else f"{LOG_REF}:{ENVELOPE}")
    kind = "commit" if mode == "160000" else "blob"
    kept.append(f"{mode} {kind} {blob}\t{ENVELOPE}")
    tree = plain.git("mktree", stdin="".join(line + "\n" for line in kept).encode())
    plain.git("update-ref", LOG_REF, commit_of(plain, tree, plain.oid(LOG_REF)))
    log = read(plain)
    assert log.complete
    assert len(log.foreign) == 1


@pytest.mark.parametrize("what", ["repeated names", "a folder named as a file"])
def test_a_commit_of_a_tree_that_git_itself_would_not_write_is_skipped(
    plain: GitRepository, what: str
) -> None:
    add(plain)
    blob = bytes.fromhex(plain.oid(f"{LOG_REF}:{ENVELOPE}"))
    folder = bytes.fromhex(policies_of(plain))
    name = ENVELOPE.encode()
    entries = [blob, blob] if what == "repeated names" else [folder]
    raw = b"".join(b"100644 %s\0%s" % (name, oid) for oid in entries)
    tree = plain.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=raw)
    who = "a <a> 0 +0000"
    text = f"tree {tree}\nparent {plain.oid(LOG_REF)}\nauthor {who}\ncommitter {who}\n\n"
    junk = plain.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=text.encode())
    plain.git("update-ref", LOG_REF, junk)
    log = read(plain)
    assert log.complete
    assert len(log.foreign) == 1


def test_merging_something_else_over_the_log_hides_nothing(plain: GitRepository) -> None:
    first, second = add(plain), add(plain, 1)
    merge = junk_upon(plain, first.commit, second.commit)
    plain.git("update-ref", LOG_REF, merge)
    forget(plain)
    log = read(plain)
    assert "merge" in log.tampered[0].message


def test_merging_the_projects_history_into_the_log_is_only_skipped(plain: GitRepository) -> None:
    add(plain)
    plain.git("update-ref", LOG_REF, junk_upon(plain, plain.oid(LOG_REF), plain.oid("main")))
    log = read(plain)
    assert log.complete
    assert len(log.records) == 1


def test_a_record_of_an_unknown_kind_makes_the_answer_unknown(plain: GitRepository) -> None:
    pen = Pen()
    record = numbered([Draft(RecordKind.OPENED, {"candidate": "x"})], pen.writer, NO_RECORDS)[0]
    odd = segment_bytes([record]).replace(b'"opened"', b'"oracle"')
    files = pen.seal(None, odd).files
    assert files is not None
    plain.git("update-ref", LOG_REF, junk_upon(plain, files=files))
    log = read(plain)
    assert [problem.code for problem in log.unknown] == ["log-kind-unknown"]
    add(plain, token="f" * 32)
    assert len(read(plain).records) == 2


def test_an_object_that_is_missing_makes_the_answer_unknown(plain: GitRepository) -> None:
    for number in range(3):
        add(plain, number)
    blob = plain.oid(f"{LOG_REF}~1:{SEGMENT}")
    (plain.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    log = read(plain)
    assert [problem.code for problem in log.unknown] == ["object-missing"]
    assert not log.tampered
    assert len(log.records) == 2


def test_a_shallow_clone_knows_that_it_does_not_know(plain: GitRepository, tmp_path: Path) -> None:
    for number in range(3):
        add(plain, number)
    branch = LOG_REF.removeprefix("refs/heads/")
    shallow = clone(plain, tmp_path / "shallow", "--depth=1", "--branch", branch)
    log = read(shallow)
    assert [problem.code for problem in log.unknown] == ["object-missing"]
    assert "unshallow" in log.unknown[0].hint
    assert not log.tampered
    assert len(log.records) == 1


def test_nothing_is_appended_where_the_end_of_the_log_cannot_be_read(plain: GitRepository) -> None:
    add(plain)
    blob = plain.oid(f"{LOG_REF}:{SEGMENT}")
    (plain.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(UndecidedError, match="not in this repository"):
        add(plain, 1)


def test_the_policies_outlive_their_branch_and_garbage_collection(made: GitRepository) -> None:
    add(made)
    policies, blob = policies_of(made), made.oid("main:policies/bands/refund-agent.yaml")
    commit = made.oid("main")
    made.git("checkout", "-q", "--orphan", "other")
    made.git("rm", "-rqf", ".")
    made.commit("unrelated")
    made.git("branch", "-q", "-D", "main")
    made.git("reflog", "expire", "--expire=now", "--all")
    made.git("gc", "-q", "--prune=now")
    assert made.try_git("cat-file", "-e", commit).returncode != 0
    assert read(made).complete
    with Objects(made.open()) as objects:
        assert objects.blob(blob) == b"band_version: 3\n"
        assert objects.tree(policies)
    raw = made.git("show", f"{LOG_REF}:{POLICY_COMMIT_FILE}") + "\n"
    assert made.git("hash-object", "-t", "commit", "--stdin", stdin=raw.encode()) == commit


def test_a_linked_worktree_and_a_bare_clone_see_the_same_log(
    plain: GitRepository, tmp_path: Path
) -> None:
    add(plain)
    plain.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    bare = clone(plain, tmp_path / "bare", "--bare")
    for other in (GitRepository(tmp_path / "side", plain.environ), bare):
        assert read(other).records == read(plain).records


def test_a_lost_append_is_an_error_and_never_a_record(
    plain: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_late(_repository: Repository, _ref: str, _new: str, _old: str | None) -> bool:
        return False

    monkeypatch.setattr(log_store, "update_ref", too_late)
    monkeypatch.setattr(log_store, "TRIES", 3)
    with pytest.raises(UndecidedError, match="nothing was recorded"):
        add(plain)
    assert read_log(plain.open(), TRUST) is None


def test_a_branch_in_the_way_of_the_log_is_an_error(plain: GitRepository) -> None:
    plain.git("branch", "agentpolicy")
    with pytest.raises(UndecidedError):
        add(plain)


def test_whoever_is_overtaken_begins_anew_upon_what_came_first(
    plain: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    overtaken: list[str] = []

    def overtaking(repository: Repository, ref: str, new: str, old: str | None) -> bool:
        if not overtaken:
            overtaken.append(new)
            add(plain, 1, who="alice", token="a" * 32)
        return update_ref(repository, ref, new, old)

    monkeypatch.setattr(log_store, "update_ref", overtaking)
    add(plain)
    log = read(plain)
    assert log.complete
    assert [logged.person for logged in log.records] == ["alice", "ci"]


def test_parallel_jobs_lose_nothing(plain: GitRepository) -> None:
    jobs, each = 8, 5
    tree = policies_of(plain)
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(plain.path), f"{job:032x}", tree, str(each)],
            cwd=Path(__file__).parents[3],
            env=plain.environ,
        )
        for job in range(jobs)
    ]
    assert [process.wait(timeout=300) for process in started] == [0] * jobs
    log = read(plain)
    assert log.complete
    assert not log.foreign
    expected = {
        (writer_name(signer_of("ci").public_key, f"{job:032x}"), seq)
        for job in range(jobs)
        for seq in range(1, each + 1)
    }
    assert {(logged.record.writer, logged.record.seq) for logged in log.records} == expected
    assert len(log.records) == jobs * each
