"""A record that nobody could read is a planned run that shows nothing, and nothing passes."""

from dataclasses import replace

from agentpolicy.base.errors import Problem
from agentpolicy.base.instant import parse_instant
from agentpolicy.documents.models.band import Band
from agentpolicy.gate.band import judge_band
from agentpolicy.gate.budget import judge_budget
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.partition import Outcome
from agentpolicy.runs.run_set import RunSet
from tests.evidence import band, budget, run, run_set

AT = parse_instant("2026-03-10T12:00:00Z")
GARBLED = Problem("run-malformed", "this run cannot be read", "correct this record")


def garbled(runs: RunSet, count: int = 1) -> RunSet:
    return replace(runs, unreadable=(GARBLED,) * count)


def passing(count: int) -> RunSet:
    return run_set(*(run(f"f{one}", correct=True, tool_calls=()) for one in range(count)))


def test_one_unreadable_record_among_thousands_keeps_a_budget_open() -> None:
    rule = budget(pass_rate_min="0.5")
    assert judge_budget(rule, None, passing(2000)).decision is Decision.PASS
    judged = judge_budget(rule, None, garbled(passing(2000)))
    assert judged.decision is Decision.INCONCLUSIVE
    assert judged.runs == 2001
    assert judged.partition[Outcome.UNDECIDED] == 1


def test_what_fails_whatever_the_unreadable_ones_were_still_fails() -> None:
    failing = run_set(*(run(f"f{one}", correct=False, tool_calls=()) for one in range(10)))
    rule = budget(pass_rate_min="0.5")
    assert judge_budget(rule, None, garbled(failing)).decision is Decision.FAIL


def test_what_the_unreadable_ones_could_mend_does_not_fail() -> None:
    failing = run_set(run("f", correct=False, tool_calls=()))
    rule = budget(pass_rate_min="0.5")
    assert judge_budget(rule, None, garbled(failing)).decision is Decision.INCONCLUSIVE


def judged(rule: Band, baseline: RunSet, candidate: RunSet) -> Decision:
    return judge_band(rule, None, baseline, candidate, "a", (), (), AT).decision


def test_an_unreadable_record_on_either_side_keeps_a_band_open() -> None:
    rule = band(required_keys="exact")
    reference, trial = (
        run_set(run(side=side, output={"a": 1}, tool_calls=())) for side in ("b", "c")
    )
    assert judged(rule, reference, trial) is Decision.PASS
    assert judged(rule, garbled(reference), trial) is Decision.INCONCLUSIVE
    assert judged(rule, reference, garbled(trial)) is Decision.INCONCLUSIVE


def test_a_crossing_beside_an_unreadable_record_fails() -> None:
    rule = band(required_keys="exact")
    reference, trial = run_set(run(side="b", output={"a": 1})), run_set(run(output={"b": 1}))
    assert judged(rule, garbled(reference), garbled(trial)) is Decision.FAIL
