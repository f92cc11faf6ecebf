"""Real public logs, each with what it holds, as counted by hand in the file."""

from decimal import Decimal
from pathlib import Path

import pytest
from agentpolicy.base.errors import AgentPolicyError
from agentpolicy.loading.runs import read_runs
from agentpolicy.runs.coverage import Coverage, coverage_of

RUNS = Path(__file__).resolve().parents[5] / "shared" / "runs"
NOT_MEASURED = frozenset({"cost_usd", "latency_ms", "time_to_useful_ms", "tokens"})
"""What a log without any measurement lacks."""

SAMPLES: dict[str, tuple[str, int, int, int, str, frozenset[str]]] = {
    # format, runs, tool calls, tokens, cost, and which measurements no run has
    "tau_bench/gpt-4o-airline.10tasks_x4trials.json": (
        "tau-bench", 40, 152, 0, "0", NOT_MEASURED,
    ),
    "swe_agent/swe-agent-test-repo.traj": (
        "swe-agent", 1, 5, 7384, "0.019520000000000006", frozenset({"latency_ms"}),
    ),
    "swe_agent/marshmallow-1867_fc_replace.traj": ("swe-agent", 1, 13, 0, "0", NOT_MEASURED),
    "swe_agent/function_calling_simple.traj": ("swe-agent", 1, 5, 0, "0", NOT_MEASURED),
    "agent_inspect/before-1.jsonl": ("agent-inspect", 1, 1, 140, "0", frozenset({"cost_usd"})),
    "agent_inspect/after-1.jsonl": (
        "agent-inspect", 1, 1, 0, "0", frozenset({"cost_usd", "tokens"}),
    ),
    "agent_inspect/moderate-agent.trace.jsonl": (
        "agent-inspect", 1, 1, 0, "0", frozenset({"cost_usd", "tokens"}),
    ),
    "inspect_ai/2024-11-05T13-31-45-05-00_input-task_8zXjbRzCWrL9GXiXo2vus9.json": (
        "inspect", 1, 0, 99, "0", frozenset({"cost_usd", "latency_ms"}),
    ),
    "inspect_ai/2025-02-11T15-17-00-05-00_popularity_dPiJifoWeEQBrfWsAopzWr.eval": (
        "inspect", 10, 0, 640, "0", frozenset({"cost_usd"}),
    ),
    "inspect_ai/2025-05-12T20-28-13-04-00_no-samples.json": ("inspect", 3, 0, 0, "0", NOT_MEASURED),
    "inspect_ai/2025-05-12T20-28-13-04-00_popularity.json": (
        "inspect", 3, 0, 198, "0", frozenset({"cost_usd"}),
    ),
    "inspect_ai/2025-05-12T20-28-26-04-00_security-guide.json": (
        "inspect", 3, 0, 231, "0", frozenset({"cost_usd"}),
    ),
    "inspect_ai/log_formats.eval": (
        "inspect", 1, 0, 68, "0", frozenset({"cost_usd", "latency_ms"}),
    ),
    "inspect_ai/log_formats.json": (
        "inspect", 1, 0, 68, "0", frozenset({"cost_usd", "latency_ms"}),
    ),
    "inspect_ai/log_images_tc.json": (
        "inspect", 1, 0, 328, "0", frozenset({"cost_usd", "latency_ms"}),
    ),
    "inspect_ai/log_message_deduplication.eval": (
        "inspect", 1, 5, 0, "0", frozenset({"cost_usd", "tokens"}),
    ),
    "inspect_ai/log_tool_call_error.json": ("inspect", 4, 11, 0, "0", NOT_MEASURED),
    "otel/agentevals-dev_helm.json": ("otel", 1, 1, 3906, "0", frozenset({"cost_usd"})),
    "otel/tokenjam_otlp_sample.json": ("otel", 2, 1, 2820, "0.00513", frozenset()),
    "otel/agent-inspect_openinference.json": (
        "otel", 1, 1, 0, "0", frozenset({"cost_usd", "tokens"}),
    ),
    "tau2_bench/sim_49b22f0c.json": (
        "tau2-bench", 1, 0, 0, "0", frozenset({"cost_usd", "tokens"}),
    ),
    "claude_code/sample_session.json": ("anthropic", 1, 12, 0, "0", NOT_MEASURED),
    "claude_code/sample_session.jsonl": ("anthropic", 1, 2, 0, "0", NOT_MEASURED),
}  # fmt: skip


def seen(name: str) -> tuple[str, Coverage]:
    file = RUNS / name
    if not file.exists():
        pytest.skip("the sample runs are not beside this checkout")
    runs = read_runs([(name, file.read_bytes())])
    assert not runs.unreadable
    return runs.importer, coverage_of(runs)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_real_log_holds_what_was_counted_by_hand(name: str) -> None:
    importer, runs, calls, tokens, cost, missing = SAMPLES[name]
    found, coverage = seen(name)
    assert found == importer
    assert (coverage.runs, coverage.calls, coverage.tokens) == (runs, calls, tokens)
    assert coverage.cost_usd == Decimal(cost)
    assert {one for one in missing if coverage.fields[one]} == set()


NO_RUN = {
    "otel/agentevals-dev_eval_set_helm.json": "eval_set_id",
    "otel/agentevals-dev_evalset_helm_3_2026-02-23.json": "eval_set_id",
    "tau2_bench/voice_results.json": "there is no run to judge",
}
"""Files that hold what was expected, or what is common to runs that lie beside them."""


@pytest.mark.parametrize("name", NO_RUN)
def test_a_file_without_a_run_is_refused_in_one_sentence(name: str) -> None:
    if not (RUNS / name).exists():
        pytest.skip("the sample runs are not beside this checkout")
    with pytest.raises(AgentPolicyError, match=NO_RUN[name]) as error:
        seen(name)
    assert len(error.value.problems) == 1


def test_no_sample_is_left_out() -> None:
    if not RUNS.is_dir():
        pytest.skip("the sample runs are not beside this checkout")
    found = {file.relative_to(RUNS).as_posix() for file in RUNS.glob("*/*")}
    assert found == SAMPLES.keys() | NO_RUN.keys()


def test_a_results_file_and_its_simulations_are_one_set() -> None:
    files = sorted((RUNS / "tau2_bench").glob("*"))
    if not files:
        pytest.skip("the sample runs are not beside this checkout")
    runs = read_runs([(file.name, file.read_bytes()) for file in files])
    (record,) = runs.records
    assert (record.fixture_id, record.attempt) == ("40", 1)
    assert record.latency_ms is not None
    assert round(record.latency_ms) == 352875
