"""The runs of the guided run show what the page says of them, whatever the seed."""

import pytest
from agentpolicy.base.instant import Instant
from agentpolicy.documents.models.band import Band
from agentpolicy.documents.models.budget import Budget
from agentpolicy.documents.models.tools import Tools
from agentpolicy.gate.band import judge_band
from agentpolicy.gate.budget import judge_budget
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.partition import Outcome
from agentpolicy.loading.document import read_document
from agentpolicy.loading.runs import read_runs
from agentpolicy.runs.run_set import RunSet
from agentpolicy.workflows.demo.documents import BAND_PATH, BUDGET_PATH, FIRST_POLICY
from agentpolicy.workflows.demo.evidence import LATE, run_files

TREES = {path: read_document(path, text.encode()).tree for path, text in FIRST_POLICY.items()}
TOOLS = Tools.model_validate(TREES["policies/tools.yaml"])
SEEDS = pytest.mark.parametrize("seed", range(40))


def runs(seed: int, name: str) -> RunSet:
    return read_runs([(name, run_files(seed)[name].encode())])


def test_the_same_seed_gives_the_same_bytes_and_another_gives_others() -> None:
    assert run_files(7) == run_files(7)
    assert run_files(7)["refund-baseline.jsonl"] != run_files(8)["refund-baseline.jsonl"]


@SEEDS
def test_the_scheduling_runs_fail_only_by_how_many_pass_a_soft_limit(seed: int) -> None:
    result = judge_budget(
        Budget.model_validate(TREES[BUDGET_PATH]), TOOLS, runs(seed, "schedule-meeting.jsonl")
    )
    failing = [check.id for check in result.checks if check.result is Decision.FAIL]
    assert failing == ["amber_rate_max"]
    assert result.partition[Outcome.UNDECIDED] == 3
    assert sum(result.partition.values()) == result.runs == 100


@SEEDS
def test_the_new_refund_agent_crosses_one_limit_on_one_fixture(seed: int) -> None:
    result = judge_band(
        Band.model_validate(TREES[BAND_PATH]),
        TOOLS,
        runs(seed, "refund-baseline.jsonl"),
        runs(seed, "refund-candidate.jsonl"),
        "refund-agent",
        (),
        frozenset(),
        Instant(0),
    )
    crossed = [(finding.field, finding.fixture_id) for finding in result.crossings]
    assert crossed == [("token_ratio.max", LATE)]
    assert {finding.result for finding in result.findings} == {Decision.PASS, Decision.FAIL}
