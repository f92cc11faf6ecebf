"""`runs`: what logs are and carry, and their import, with the real command line."""

import json
from pathlib import Path

import pytest
from tests.policy_repo import PolicyRepo, begin
from tests.repositories import make_repository

GOOD = [
    {"run_id": "r1", "fixture_id": "f1", "outcome": {"correct": True}, "cost_usd": "0.30"},
    {"run_id": "r2", "fixture_id": "f2", "tokens": {"input": 5, "output": 2}},
]


@pytest.fixture
def here(tmp_path: Path) -> PolicyRepo:
    return PolicyRepo(make_repository(tmp_path / "repo"))


def write(here: PolicyRepo, *lines: object) -> None:
    text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    here.repo.write("runs.jsonl", text)


def test_the_summary_says_what_a_log_was_taken_for_and_what_it_carries(here: PolicyRepo) -> None:
    write(here, *GOOD)
    page = here.must("runs", "summary", "runs.jsonl").out
    assert "2 runs of 2 fixtures" in page
    assert "runs.jsonl: agentpolicy run records" in page
    assert "cost: 0.3 USD in 1 run" in page
    assert "latency_ms                  0 of 2" in page
    told = json.loads(here.must("runs", "summary", "runs.jsonl", "--format", "json").out)
    assert told["carried"]["tokens"] == told["carried"]["cost_usd"] == 1
    assert told["carried"]["latency_ms"] == 0
    assert told["tokens"] == 7
    assert told["files"] == [{"path": "runs.jsonl", "format": "jsonl"}]


def test_the_summary_says_of_what_only_a_part_is_known(here: PolicyRepo) -> None:
    write(here, GOOD[0], {"run_id": "r3", "fixture_id": "f3", "at_least": {"cost_usd": "0.10"}})
    page = here.must("runs", "summary", "runs.jsonl").out
    assert "cost: 0.3 USD in 1 run" in page
    assert "cost_usd: only a part is known in 1 run" in page
    told = json.loads(here.must("runs", "summary", "runs.jsonl", "--format", "json").out)
    assert told["at_least"] == {"cost_usd": 1}


def test_every_unreadable_record_is_listed_with_its_place(here: PolicyRepo) -> None:
    write(here, GOOD[0], '{"run_id": "r9"', GOOD[1], '{"run_id": "r8", "fixture_id": "f8", "x": 1}')
    ran = here.run("runs", "validate", "runs.jsonl")
    assert ran.code == 2
    assert "runs.jsonl:2:" in ran.err
    assert "runs.jsonl:4:" in ran.err
    assert "Traceback" not in ran.err
    told = json.loads(here.run("runs", "validate", "runs.jsonl", "--format", "json").out)
    assert [one["location"]["line"] for one in told["problems"]] == [2, 4]
    write(here, *GOOD)
    assert here.must("runs", "validate", "runs.jsonl").out == "2 runs read, no problems\n"


def test_what_is_imported_is_the_same_evidence(here: PolicyRepo) -> None:
    call = {"id": "1", "function": {"name": "search", "arguments": '{"q": 1}'}}
    messages = [
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "found"},
    ]
    here.repo.write(
        "tau.json", json.dumps([{"task_id": 3, "trial": 0, "reward": 1.0, "traj": messages}])
    )
    line = here.must("runs", "import", "tau.json", "--set", "agent=airline").out
    (record,) = map(json.loads, line.splitlines())
    assert record["fixture_id"] == "3"
    assert record["agent"] == "airline"
    assert record["tool_calls"][0]["result"] == "found"
    here.must("runs", "import", "tau.json", "--set", "agent=airline", "-o", "own.jsonl")
    assert (here.path / "own.jsonl").read_text() == line
    assert here.must("runs", "import", "own.jsonl").out == line


def test_an_import_never_writes_over_a_file(here: PolicyRepo) -> None:
    write(here, *GOOD)
    ran = here.run("runs", "import", "runs.jsonl", "-o", "runs.jsonl")
    assert ran.code == 2
    assert "there already" in ran.err


def test_the_gate_tells_what_it_could_not_read_and_does_not_pass(tmp_path: Path) -> None:
    made = begin(tmp_path / "repo")
    green = {
        "run_id": "r", "fixture_id": "f", "task_type": "schedule_meeting",
        "variant": "multi_attendee_cross_tz", "outcome": {"correct": True}, "cost_usd": "0.30",
        "latency_ms": 1000, "steps": 6, "tool_calls": [],
    }  # fmt: skip
    (made.path / "runs.jsonl").write_text(json.dumps(green) + '\n{"run_id"\n')
    asked = ("gate", "budget", "--budget", "schedule-meeting", "--runs", "runs.jsonl")
    ran = made.run(*asked)
    assert ran.code == 3
    assert "INCONCLUSIVE" in ran.out
    assert "unreadable_records" in ran.out
    assert "runs.jsonl:2:" in ran.err
    told = json.loads(made.run(*asked, "--format", "json").out)
    assert told["unreadable"][0]["location"]["line"] == 2
