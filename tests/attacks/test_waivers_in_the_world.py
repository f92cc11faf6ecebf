"""Attacks with waivers on real repositories, judged by the gate against its own log."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from agentpolicy.base.instant import DAY, Instant, day_of, format_instant, parse_instant
from agentpolicy.gitio.refs import LOG_REF
from tests.attacks.roads import refused_everywhere
from tests.policy_repo import KEYS, PolicyRepo, Ran, begin, serve, write_runs

AGENT = "refund-agent"
FILE = "policies/waivers/w1.yaml"


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    return begin(tmp_path / "repo", gate=True)


def judge(
    made: PolicyRepo, tokens: int, fixture: str = "late", agent: str = AGENT, key: str = "ci"
) -> Ran:
    """Judge one run against a plain reference run, and record the verdict."""
    folder = made.path.parent
    for side, count in (("baseline", 1000), ("candidate", tokens)):
        run = {
            "run_id": f"{side}-{tokens}-{fixture}", "fixture_id": fixture, "attempt": 1,
            "agent": agent, "outcome": {"correct": True}, "latency_ms": 1000, "output": {"a": 1},
            "tokens": {"input": count, "output": 0}, "final_answer": "x" * 100, "tool_calls": [],
        }  # fmt: skip
        write_runs(folder / f"{side}.jsonl", [run])
    return made.run(
        "gate", "band", "--agent", agent, "--baseline", str(folder / "baseline.jsonl"),
        "--candidate", str(folder / "candidate.jsonl"), "--record", "--key", str(KEYS / key),
        "--format", "json",
    )  # fmt: skip


def grant(made: PolicyRepo, **changed: str) -> None:
    """Write, sign and land a waiver of 1,600 tokens."""
    failed = judge(made, 1600).json
    at = parse_instant(failed["evaluated_at"])
    write(made, failed["verdict"], at, changed)
    assert made.sign().code == 0
    assert made.approve("ria", "reviewer").code == 0


def landed(made: PolicyRepo, tmp_path: Path) -> str:
    """Land a waiver here and on a server, the log before the policy."""
    serve(made, tmp_path / "server.git")
    grant(made)
    assert made.commit("waive").code == 0
    made.repo.git("push", "-q", "origin", LOG_REF)
    made.repo.git("push", "-q", "origin", "main")
    return made.head


def write(made: PolicyRepo, verdict: str, at: Instant, changed: Mapping[str, str]) -> None:
    fields = {
        "id": "w1", "agent": AGENT, "field": "token_ratio.max",
        "cases": "[{fixture_id: late, measured: 1.6}]", "band": "1.4", "verdict": verdict,
        "reason": "citations", "change_link": "link", "owner": "alice",
        "granted_on": day_of(at).isoformat(),
        "expires_on": day_of(Instant(at + 10 * DAY)).isoformat(), **changed,
    }  # fmt: skip
    made.repo.write(FILE, "".join(f"{name}: {value}\n" for name, value in fields.items()))


@pytest.mark.attack("E7", "gate")
@pytest.mark.attack("E8", "gate")
def test_e07_e08_a_waiver_covers_its_own_agents_fixture_up_to_its_value_and_nothing_else(
    made: PolicyRepo,
) -> None:
    other = made.path / "policies/bands/other-agent.yaml"
    other.write_text((made.path / "policies/bands/refund-agent.yaml").read_text())
    grant(made)
    assert made.approve("pat").code == 0
    assert made.commit("waive").code == 0
    assert judge(made, 1600).json["decision"] == "pass_with_waivers"
    assert judge(made, 1601).json["decision"] == "fail"
    assert judge(made, 1600, fixture="later").json["decision"] == "fail"
    assert judge(made, 1600, agent="other-agent").json["decision"] == "fail"


@pytest.mark.attack("E5", "gate")
@pytest.mark.parametrize("how", ["the clock set back", "no log"])
def test_e05_a_waiver_counts_for_nobody_who_hides_how_late_it_is(
    made: PolicyRepo, how: str
) -> None:
    grant(made)
    assert made.commit("waive").code == 0
    at = parse_instant(judge(made, 1600).json["evaluated_at"])
    asked = Instant(at - 400) if how == "the clock set back" else at
    if how == "no log":
        for ref in (LOG_REF, "refs/agentpolicy/log-recorded"):
            made.repo.git("update-ref", "-d", ref)
    folder = made.path.parent
    judged = made.run(
        "gate", "band", "--agent", AGENT, "--baseline", str(folder / "baseline.jsonl"),
        "--candidate", str(folder / "candidate.jsonl"), "--as-of", format_instant(asked),
        "--format", "json",
    )  # fmt: skip
    # just after midnight the clock is set back to before the waiver was granted
    assert judged.code == (3 if day_of(asked) == day_of(at) else 1), judged
    assert '"pass_with_waivers"' not in judged.out


@pytest.mark.attack("E3", "gate")
def test_e03_a_sneaked_waiver_that_is_too_long_is_inactive_where_the_pin_begins_with_it(
    made: PolicyRepo,
) -> None:
    failed = judge(made, 1600).json
    at = parse_instant(failed["evaluated_at"])
    write(made, failed["verdict"], at, {"expires_on": day_of(Instant(at + 60 * DAY)).isoformat()})
    sneaked = made.sneak()
    assert judge(made, 1600).code == 3
    made.repo.git("config", "agentpolicy.root", f"{made.pin};commit={sneaked}")
    judged = judge(made, 1600)
    assert judged.code == 1, judged
    assert judged.json["decision"] == "fail"


def test_a_waiver_lands_on_the_server_together_with_the_log_that_holds_its_verdict(
    made: PolicyRepo, tmp_path: Path
) -> None:
    server = serve(made, tmp_path / "server.git")
    grant(made)
    assert made.commit("waive").code == 0
    alone = made.repo.try_git("push", "-q", "--no-verify", "origin", "main")
    assert alone.returncode != 0
    together = f"git push --atomic REMOTE refs/heads/main {LOG_REF}"
    assert together in alone.stderr.decode()
    made.repo.git(*together.replace("REMOTE", "origin").split()[1:])
    assert server.oid("refs/heads/main") == made.head


@pytest.mark.attack("E10", "push")
def test_a_verdict_that_its_owner_signed_supports_no_waiver_by_coming_along(
    made: PolicyRepo, tmp_path: Path
) -> None:
    server = serve(made, tmp_path / "server.git")
    failed = judge(made, 1600, key="alice").json
    write(made, failed["verdict"], parse_instant(failed["evaluated_at"]), {})
    made.sign()
    made.approve("ria", "reviewer")
    made.sneak("waive")
    pushed = made.repo.try_git("push", "-q", "--no-verify", "origin", "main", LOG_REF)
    assert pushed.returncode != 0
    assert b"waiver-verdict" in pushed.stderr
    assert server.git("for-each-ref", LOG_REF) == ""


@pytest.mark.attack("E4", "commit", "check", "pre-push", "push", "gate")
def test_e04_a_revoked_waiver_does_not_come_back_with_its_old_approval(
    made: PolicyRepo, tmp_path: Path
) -> None:
    granted = landed(made, tmp_path)
    year = day_of(parse_instant(judge(made, 1600).json["evaluated_at"])).year
    closed = f"policies/waivers/closed/{year}/w1.yaml"
    (made.path / closed).parent.mkdir(parents=True)
    made.repo.git("mv", FILE, closed)
    assert made.sign().code == 0
    assert made.commit("revoke").code == 0
    made.repo.git("push", "-q", "origin", "main")
    made.repo.git("checkout", granted, "--", "policies")
    refused_everywhere(made, tmp_path, "w1")


@pytest.mark.attack("A4", "commit", "check", "pre-push", "push", "gate")
@pytest.mark.attack("E1", "commit", "check", "pre-push", "push", "gate")
@pytest.mark.parametrize("how", ["deleted", "prolonged"])
def test_a04_e01_a_landed_waiver_is_neither_deleted_nor_prolonged_whoever_signs(
    made: PolicyRepo, tmp_path: Path, how: str
) -> None:
    landed(made, tmp_path)
    place = made.path / FILE
    if how == "deleted":
        place.unlink()
    else:
        lines = place.read_text().splitlines()
        last = day_of(Instant(parse_instant(f"{lines[-1].split()[1]}T00:00:00Z") + DAY))
        place.write_text("\n".join([*lines[:-1], f"expires_on: {last.isoformat()}"]) + "\n")
    made.sign()
    made.approve("ria", "reviewer")
    made.approve("pat")
    refused_everywhere(made, tmp_path, FILE)
