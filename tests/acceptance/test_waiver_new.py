"""`waiver new` copies what was measured, and writes nothing that could not be admitted."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from agentpolicy.base.instant import DAY, Instant, day_of, parse_instant
from agentpolicy.workflows.waiver import WaiverRequest, new_waiver
from tests.policy_repo import KEYS, PolicyRepo, Ran, begin, write_runs

AGENT = "refund-agent"
FILE = "policies/waivers/w1.yaml"
Attempt = dict[str, Any]


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    return begin(tmp_path / "repo", gate=True)


@dataclass(frozen=True)
class Verdict:
    """What a gate answered, when, and by what name it is recorded."""

    digest: str
    decision: str
    at: Instant

    def day(self, days: int) -> str:
        return day_of(Instant(self.at + days * DAY)).isoformat()


def attempt(side: str, fixture: str, number: int = 1, **changed: object) -> Attempt:
    return {
        "run_id": f"{side}-{fixture}-{number}", "fixture_id": fixture, "attempt": number,
        "agent": AGENT, "outcome": {"correct": True}, "latency_ms": 1000,
        "tokens": {"input": 900, "output": 100}, "output": {"a": 1}, "final_answer": "x" * 100,
        "tool_calls": [], **changed,
    }  # fmt: skip


def spent(tokens: int, fixture: str = "late", number: int = 1) -> Attempt:
    return attempt("c", fixture, number, tokens={"input": tokens, "output": 0})


def answered(alike: int, number: int) -> Attempt:
    return attempt("c", "late", number, final_answer="x" * alike + "y" * (100 - alike))


def judge(made: PolicyRepo, *candidate: Attempt, key: str = "ci") -> Verdict:
    """Judge and record some candidate runs against plain reference runs."""
    fixtures = sorted({run["fixture_id"] for run in candidate})
    reference = [attempt("b", fixture) for fixture in fixtures]
    files = [
        str(write_runs(made.path.parent / f"{name}.jsonl", runs))
        for name, runs in (("baseline", reference), ("candidate", list(candidate)))
    ]
    answer = made.run(
        "gate", "band", "--agent", AGENT, "--baseline", files[0], "--candidate", files[1],
        "--record", "--key", str(KEYS / key), "--format", "json",
    ).json  # fmt: skip
    return Verdict(answer["verdict"], answer["decision"], parse_instant(answer["evaluated_at"]))


def ask(
    made: PolicyRepo,
    verdict: Verdict,
    field: str = "token_ratio.max",
    fixtures: Sequence[str] = ("late",),
    changed: Mapping[str, str] | None = None,
) -> Ran:
    words = {
        "from-verdict": verdict.digest, "field": field, "owner": "alice", "id": "w1",
        "reason": "reads: more # than before", "change-link": "https://git.example.com/1",
        "expires-on": verdict.day(10), **(changed or {}),
    }  # fmt: skip
    options = [word for name, value in words.items() for word in (f"--{name}", value)]
    named = [word for fixture in fixtures for word in ("--fixture", fixture)]
    return made.run("waiver", "new", *options, *named)


def test_what_was_measured_and_the_limit_come_from_the_verdict(made: PolicyRepo) -> None:
    verdict = judge(made, spent(1600))
    ran = ask(made, verdict)
    assert ran.code == 0, ran
    assert "next: agentpolicy sign policies/waivers/w1.yaml --key KEY" in ran.err
    assert "--role reviewer" in ran.err
    assert (
        (made.path / FILE).read_text()
        == f"""\
id: w1
agent: refund-agent
field: token_ratio.max
cases:
  - {{fixture_id: "late", measured: 1.6}}
band: 1.4
verdict: {verdict.digest}
reason: "reads: more # than before"
change_link: "https://git.example.com/1"
owner: alice
granted_on: {verdict.day(0)}
expires_on: {verdict.day(10)}
"""
    )


def test_it_lands_with_a_signature_and_the_reviewer_and_then_lets_the_runs_pass(
    made: PolicyRepo,
) -> None:
    assert ask(made, judge(made, spent(1600))).code == 0
    assert made.sign().code == 0
    assert made.commit("without the reviewer").code == 1
    assert made.approve("ria", "reviewer").code == 0
    assert made.commit("waive").code == 0
    assert judge(made, spent(1600)).decision == "pass_with_waivers"
    assert judge(made, spent(1601)).decision == "fail"


def proposed(made: PolicyRepo, folder: Path) -> Ran:
    """Judge the last candidate under a proposed policies folder."""
    runs = made.path.parent
    return made.run(
        "gate", "band", "--agent", AGENT, "--baseline", str(runs / "baseline.jsonl"),
        "--candidate", str(runs / "candidate.jsonl"), "--proposed", str(folder),
    )  # fmt: skip


def test_a_proposed_waiver_is_confirmed_by_the_log_of_its_repository(made: PolicyRepo) -> None:
    assert ask(made, judge(made, spent(1600))).code == 0
    ran = proposed(made, made.path / "policies")
    assert ran.code == 0, ran
    assert ran.out.startswith("PASS WITH 1 WAIVER")


def test_a_proposed_waiver_outside_a_repository_says_why_nothing_confirms_it(
    made: PolicyRepo, tmp_path: Path
) -> None:
    assert ask(made, judge(made, spent(1600))).code == 0
    shutil.copytree(made.path / "policies", tmp_path / "elsewhere" / "policies")
    ran = proposed(made, tmp_path / "elsewhere" / "policies")
    assert (ran.code, ran.out) == (3, "")
    assert "it lies in no git repository" in ran.err
    assert "git fetch" not in ran.err


def test_a_proposed_waiver_in_a_repository_without_a_log_says_so(made: PolicyRepo) -> None:
    assert ask(made, judge(made, spent(1600))).code == 0
    for ref in ("refs/heads/agentpolicy/log", "refs/agentpolicy/log-recorded"):
        made.repo.git("update-ref", "-d", ref)
    ran = proposed(made, made.path / "policies")
    assert ran.code == 3
    assert "nothing recorded yet" in ran.err
    assert "git fetch" not in ran.err


def test_the_first_digits_of_a_verdict_name_it(made: PolicyRepo) -> None:
    verdict = judge(made, spent(1600))
    short = verdict.digest.removeprefix("sha256:")[:12]
    assert ask(made, verdict, changed={"from-verdict": short}).code == 0
    assert verdict.digest in (made.path / FILE).read_text()


def test_of_several_attempts_the_worst_is_copied(made: PolicyRepo) -> None:
    verdict = judge(made, answered(90, 1), answered(80, 2))
    assert ask(made, verdict, "text_similarity.threshold").code == 0
    assert '{fixture_id: "late", measured: 0.8}' in (made.path / FILE).read_text()


def test_each_fixture_has_its_own_measured_value(made: PolicyRepo) -> None:
    verdict = judge(made, spent(1500, "one"), spent(1600, "two"))
    assert ask(made, verdict, fixtures=("one", "two")).code == 0
    assert (
        '"one", measured: 1.5}\n  - {fixture_id: "two", measured: 1.6}'
        in (made.path / FILE).read_text()
    )


def test_a_sequence_of_tools_is_named_by_digest(made: PolicyRepo) -> None:
    calls = [{"name": "calendar.search", "args": {}, "status": "ok"}]
    verdict = judge(made, attempt("c", "late", tool_calls=calls))
    assert ask(made, verdict, "tool_order").code == 0
    assert "measured: sha256:" in (made.path / FILE).read_text()


@pytest.mark.parametrize(
    ("field", "fixture", "words"),
    [
        ("token_ratio.max", "other", "it shows token_ratio.max on late"),
        ("token_ratio.min", "late", "no crossing of token_ratio.min on late"),
    ],
)
def test_what_did_not_cross_is_refused_with_what_did(
    made: PolicyRepo, field: str, fixture: str, words: str
) -> None:
    ran = ask(made, judge(made, spent(1600), spent(1000, "other")), field, (fixture,))
    assert ran.code == 2
    assert words in ran.err
    assert not (made.path / FILE).exists()


def test_a_field_that_is_never_waivable_is_refused(made: PolicyRepo) -> None:
    ran = ask(made, judge(made, spent(1600)), "required_keys")
    assert ran.code == 1
    assert "required_keys is never waivable" in ran.err


def test_a_verdict_of_somebody_who_is_not_the_gate_supports_no_waiver(made: PolicyRepo) -> None:
    ran = ask(made, judge(made, spent(1600), key="alice"))
    assert ran.code == 1
    assert "signed by the gate" in ran.err
    assert not (made.path / FILE).exists()


def test_a_verdict_that_passed_supports_no_waiver(made: PolicyRepo) -> None:
    assert ask(made, judge(made, spent(1600))).code == 0
    assert made.sign().code == made.approve("ria", "reviewer").code == made.commit().code == 0
    ran = ask(made, judge(made, spent(1600)), changed={"id": "w2"})
    assert ran.code == 1
    assert "the verdict is pass_with_waivers" in ran.err


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"owner": "mallory"}, "mallory is not a listed person"),
        ({"expires-on": "2999-01-01"}, "lasts 30 days at most"),
    ],
)
def test_what_admission_would_refuse_is_refused_before_anybody_signs(
    made: PolicyRepo, changed: Mapping[str, str], words: str
) -> None:
    ran = ask(made, judge(made, spent(1600)), changed=changed)
    assert ran.code == 1
    assert words in ran.err
    assert not (made.path / FILE).exists()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"expires-on": "soon"}, "'soon' is not a date"),
        ({"expires-on": "2020-01-01"}, "granted_on"),
        ({"id": "../w1"}, "policies/waivers"),
        ({"from-verdict": "sha256:00"}, "no recorded verdict is called"),
        ({"from-verdict": "nonsense"}, "no recorded verdict is called"),
    ],
)
def test_what_cannot_be_read_is_wrong_usage(
    made: PolicyRepo, changed: Mapping[str, str], words: str
) -> None:
    ran = ask(made, judge(made, spent(1600)), changed=changed)
    assert ran.code == 2, ran
    assert words in ran.err


def test_nothing_edits_a_waiver(made: PolicyRepo) -> None:
    verdict = judge(made, spent(1600))
    assert ask(made, verdict).code == 0
    before = (made.path / FILE).read_text()
    ran = ask(made, verdict, changed={"reason": "another"})
    assert ran.code == 2
    assert "nothing edits a waiver" in ran.err
    assert (made.path / FILE).read_text() == before


def test_without_a_log_it_cannot_be_decided(made: PolicyRepo) -> None:
    ran = ask(made, Verdict("sha256:" + "0" * 64, "fail", Instant(1_800_000_000)))
    assert ran.code == 3
    assert "no verdict log" in ran.err


@pytest.mark.parametrize(("days", "old"), [(14, False), (15, True)])
def test_a_verdict_supports_new_waivers_for_14_days(
    made: PolicyRepo, days: int, *, old: bool
) -> None:
    verdict = judge(made, spent(1600))
    later = Instant(verdict.at + days * DAY)
    asked = WaiverRequest(
        verdict.digest, "token_ratio.max", ("late",), "why", "link", "alice", verdict.day(20)
    )
    written = new_waiver(made.repo.open(), asked, later)
    assert [problem.code for problem in written.problems] == (["verdict-old"] if old else [])
    assert written.path == f"policies/waivers/refund-agent-token_ratio-max-{verdict.day(days)}.yaml"


def test_a_crossing_whose_size_is_not_known_cannot_be_waived(made: PolicyRepo) -> None:
    unmeasured = attempt("c", "late", 4)
    del unmeasured["tokens"]
    verdict = judge(made, *(spent(1000 * n, number=n - 1) for n in (2, 3, 4)), unmeasured)
    ran = ask(made, verdict)
    assert ran.code == 2
    assert "how far late crossed token_ratio.max is not known" in ran.err
