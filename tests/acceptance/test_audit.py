"""The auditor's questions, asked on the command line of real repositories."""

from dataclasses import replace
from pathlib import Path

import pytest
from agentpolicy.base.canonical import digest
from agentpolicy.base.errors import InputError
from agentpolicy.base.instant import Instant
from agentpolicy.gate.decision import Decision
from agentpolicy.gitio.log_reader import RECORDED_REF
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.refs import LOG_REF
from agentpolicy.gitio.signing import load_signer
from agentpolicy.provenance.reliance import gate_signed_verdicts
from agentpolicy.provenance.verdict import VerdictStatement
from agentpolicy.provenance.verdict_parts import PolicyUsed
from agentpolicy.workflows import audit
from agentpolicy.workflows.record import EvidenceFile, Recorded, record
from tests.policy_repo import BAND_PATH, KEYS, ROLES_PATH, PolicyRepo, begin
from tests.repositories import clone, make_repository
from tests.verdict_log import NOON, TOKEN, verdict

EVIDENCE = (EvidenceFile(digest(b"runs"), 4, ("runs.jsonl",)),)


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    return begin(tmp_path / "repo", gate=True)


def judged(
    made: PolicyRepo, decision: Decision = Decision.FAIL, *, at: int = 0
) -> VerdictStatement:
    """State a verdict under the policy at HEAD."""
    trust = audit.authority_in_force(made.repo.open(), NOON)
    return verdict(
        decision,
        at=Instant(NOON + at),
        commit=made.head,
        tree=made.repo.oid("HEAD:policies"),
        repository=trust.repository,
    )


def recorded(
    made: PolicyRepo, statement: VerdictStatement, *, who: str = "ci", token: str = TOKEN
) -> Recorded:
    repository = made.repo.open()
    with Objects(repository) as objects:
        raw = objects.commit(made.head).raw
    return record(
        repository,
        load_signer(str(KEYS / who), {}),
        statement.to_bytes(),
        made.repo.oid("HEAD:policies"),
        raw,
        EVIDENCE,
        token,
        NOON,
        authority=audit.authority_in_force(repository, NOON),
    )


def test_without_a_log_nothing_is_known(made: PolicyRepo) -> None:
    for question in ("query", "verify"):
        ran = made.run("audit", question, "--format", "json")
        assert ran.code == 3
        assert ran.json["complete"] is False


def test_in_a_fresh_repository_the_answer_is_one_sentence(made: PolicyRepo) -> None:
    for question in ("query", "verify"):
        ran = made.run("audit", question)
        assert (ran.code, ran.out) == (3, "")
        first, *rest = ran.err.splitlines()
        assert first.startswith("nothing recorded yet: ")
        assert [line.split()[1] for line in rest] == ["agentpolicy"]


def test_before_the_first_policy_nothing_is_recorded_either(tmp_path: Path) -> None:
    fresh = PolicyRepo(make_repository(tmp_path / "fresh"))
    fresh.must("init", f"--person=pat={KEYS / 'pat'}.pub", "--platform-owner=pat")
    ran = fresh.run("audit", "query")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("nothing recorded yet: no policy has landed on refs/heads/main")


def test_fetching_is_hinted_at_only_where_there_is_a_remote(
    made: PolicyRepo, tmp_path: Path
) -> None:
    questions = (["audit", "query"], ["audit", "query", "--commit", "nowhere"], ["diff", "nowhere"])
    for question in questions:
        assert "git fetch" not in made.run(*question).err
    there = PolicyRepo(clone(made.repo, tmp_path / "clone"))
    there.repo.git("config", "agentpolicy.root", made.pin)
    there.repo.git("remote", "rename", "origin", "upstream")
    for question in questions:
        assert "next: git fetch upstream" in there.run(*question).err


@pytest.mark.parametrize("name", ["zz", "", "sha256:", "sha512:ab", "a" * 65])
def test_what_is_no_digest_is_wrong_usage(made: PolicyRepo, name: str) -> None:
    ran = made.run("audit", "query", "--verdict", name)
    assert (ran.code, ran.out) == (2, "")
    assert repr(name) in ran.err


def test_without_a_trust_root_nobodys_signature_means_anything(made: PolicyRepo) -> None:
    recorded(made, judged(made))
    made.repo.git("config", "--unset", "agentpolicy.root")
    assert made.run("audit", "verify").code == 3


def test_a_verdict_is_found_by_the_policy_commit_it_was_judged_under(made: PolicyRepo) -> None:
    first = made.head
    before = recorded(made, judged(made))
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.94")
    made.land("tighten")
    after = recorded(made, judged(made, Decision.PASS, at=60))
    for commit, verdict_id in (("HEAD", after), (made.head[:12], after), (first, before)):
        ran = made.must("audit", "query", "--commit", commit, "--format", "json")
        assert [found["verdict"] for found in ran.json["verdicts"]] == [verdict_id.verdict]
        assert ran.json["complete"] is True


def test_an_answer_says_what_was_decided_when_and_under_what(made: PolicyRepo) -> None:
    recorded(made, judged(made))
    found = made.must("audit", "query", "--format", "json").json["verdicts"][0]
    assert found["decision"] == "fail"
    assert found["agent"] == "refund-agent"
    assert found["evaluated_at"] == "2026-03-31T12:00:00Z"
    assert found["commit"] == made.head
    assert found["documents"][0]["path"] == BAND_PATH


def test_a_verdict_is_found_by_decision_agent_and_name(made: PolicyRepo) -> None:
    failed = recorded(made, judged(made))
    passed = recorded(made, judged(made, Decision.PASS, at=60))
    for args, wanted in (
        (("--decision", "fail"), [failed]),
        (("--agent", "refund-agent"), [failed, passed]),
        (("--agent", "nobody"), []),
        (("--verdict", passed.verdict[:20]), [passed]),
    ):
        ran = made.must("audit", "query", *args, "--format", "json")
        assert [one["verdict"] for one in ran.json["verdicts"]] == [one.verdict for one in wanted]


def test_a_commit_nobody_knows_is_wrong_usage(made: PolicyRepo) -> None:
    recorded(made, judged(made))
    assert made.run("audit", "query", "--commit", "no-such-branch").code == 2


def test_the_table_shows_names_that_the_next_question_takes(made: PolicyRepo) -> None:
    recorded(made, judged(made), who="alice")
    lines = made.must("audit", "query").out.splitlines()
    assert lines[1].endswith(" alice*")
    assert lines[2].startswith("* self-judged")
    again = made.must("audit", "query", "--verdict", lines[1].split()[0]).out
    assert again.splitlines() == lines


def test_somebody_elses_verdict_is_recorded_and_marked_and_supports_nothing(
    made: PolicyRepo,
) -> None:
    own = recorded(made, judged(made), who="alice")
    gates = recorded(made, judged(made, at=60))
    assert (own.self_judged, gates.self_judged) == (True, False)
    ran = made.must("audit", "query", "--format", "json")
    assert [one["self_judged"] for one in ran.json["verdicts"]] == [True, False]
    repository = made.repo.open()
    log = audit.log_of(repository, audit.authority_in_force(repository, NOON))
    assert gate_signed_verdicts(log.records) == {gates.verdict}


def without_gate(made: PolicyRepo) -> None:
    """Take the role gate away from everybody, and retire the key that held it."""
    key = (KEYS / "ci.pub").read_text().split()[1]
    made.edit(ROLES_PATH, f'{key}", since: 1', f'{key}", since: 1, until: 2')
    made.edit(ROLES_PATH, "  gate: {people: [ci], threshold: 1}\n", "")
    assert made.sign("alice").code == 0
    for who in ("pat", "priya"):
        assert made.approve(who).code == 0
    committed = made.commit("no gate")
    assert committed.code == 0, committed


def test_the_gates_verdicts_outlive_its_key_and_its_role(made: PolicyRepo) -> None:
    earlier = recorded(made, judged(made))
    without_gate(made)
    recorded(made, judged(made, at=60), who="alice")
    ran = made.must("audit", "query", "--format", "json")
    assert [one["self_judged"] for one in ran.json["verdicts"]] == [False, True]
    repository = made.repo.open()
    log = audit.log_of(repository, audit.authority_in_force(repository, NOON))
    assert gate_signed_verdicts(log.records) == {earlier.verdict}


def test_a_strangers_verdict_is_not_recorded(made: PolicyRepo, tmp_path: Path) -> None:
    other = begin(tmp_path / "other")
    with pytest.raises(InputError, match="nobody's"):
        recorded(other, judged(other))
    assert other.run("audit", "query").code == 3


def test_a_verdict_under_proposed_rules_is_not_recorded(made: PolicyRepo) -> None:
    proposed = PolicyUsed("proposed", judged(made).policy.documents)
    with pytest.raises(InputError, match="nobody approved"):
        recorded(made, replace(judged(made), policy=proposed))
    assert made.run("audit", "query").code == 3


def test_a_verdict_about_another_policy_is_not_recorded(made: PolicyRepo) -> None:
    for statement in (
        verdict(commit=made.head, tree="1" * 40, repository=judged(made).policy.repository or ""),
        verdict(commit=made.head, tree=made.repo.oid("HEAD:policies")),
    ):
        with pytest.raises(InputError, match="another policy"):
            recorded(made, statement)


def test_an_honest_log_verifies_here_and_in_a_clone(made: PolicyRepo, tmp_path: Path) -> None:
    for at in range(3):
        recorded(made, judged(made, at=at))
    there = clone(made.repo, tmp_path / "clone")
    there.git("fetch", "-q", "origin", f"{LOG_REF}:{LOG_REF}")
    there.git("config", "agentpolicy.root", made.pin)
    for where in (made, PolicyRepo(there)):
        ran = where.must("audit", "verify", "--format", "json")
        assert (ran.json["result"], ran.json["records"]) == ("ok", 3)


def test_tampering_is_said_first_and_is_exit_1(made: PolicyRepo) -> None:
    recorded(made, judged(made))
    first = made.repo.oid(LOG_REF)
    recorded(made, judged(made, at=60))
    last = recorded(made, judged(made, at=120)).commit
    tree = made.repo.oid(f"{last}^{{tree}}")
    cut = made.repo.git("commit-tree", tree, "-p", first, "-m", "log")
    made.repo.git("update-ref", LOG_REF, cut)
    made.repo.git("update-ref", "-d", RECORDED_REF)
    for question in ("query", "verify"):
        ran = made.run("audit", question, "--format", "json")
        assert ran.code == 1
        assert ran.json["complete"] is False
        assert ran.json["problems"][0]["code"] == "tampered"
        assert ran.err.startswith("the log was tampered with")


def test_records_cut_off_the_end_are_missed(made: PolicyRepo) -> None:
    recorded(made, judged(made))
    first = made.repo.oid(LOG_REF)
    recorded(made, judged(made, at=60))
    made.repo.git("update-ref", LOG_REF, first)
    assert made.run("audit", "verify").code == 1


def test_junk_on_the_log_branch_is_listed_and_changes_no_answer(made: PolicyRepo) -> None:
    recorded(made, judged(made))
    junk = made.repo.git(
        "commit-tree", made.repo.oid("HEAD^{tree}"), "-p", made.repo.oid(LOG_REF), "-m", "junk"
    )
    made.repo.git("update-ref", LOG_REF, junk)
    ran = made.must("audit", "query", "--format", "json")
    assert ran.json["complete"] is True
    assert [problem["code"] for problem in ran.json["foreign"]] == ["log-foreign"]
    assert len(ran.json["verdicts"]) == 1


def test_a_shallow_clone_says_that_it_cannot_tell(made: PolicyRepo, tmp_path: Path) -> None:
    for at in range(3):
        recorded(made, judged(made, at=at))
    there = clone(made.repo, tmp_path / "clone", "--single-branch", "--branch", "main")
    there.git("fetch", "-q", "--depth=1", "origin", f"{LOG_REF}:{LOG_REF}")
    there.git("config", "agentpolicy.root", made.pin)
    ran = PolicyRepo(there).run("audit", "query", "--format", "json")
    assert ran.code == 3
    assert ran.json["complete"] is False


def test_a_verdict_outlives_the_commit_it_was_judged_under(made: PolicyRepo) -> None:
    policies, commit = made.repo.oid("HEAD:policies"), made.head
    recorded(made, judged(made))
    made.repo.git("commit", "-q", "--amend", "--no-verify", "-m", "reworded")
    made.repo.git("reflog", "expire", "--expire=now", "--all")
    made.repo.git("gc", "-q", "--prune=now")
    assert made.repo.try_git("cat-file", "-e", commit).returncode != 0
    made.repo.git("cat-file", "-e", policies)
    ran = made.must("audit", "query", "--commit", commit, "--format", "json")
    assert len(ran.json["verdicts"]) == 1
    made.must("audit", "verify")
