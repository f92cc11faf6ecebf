"""What the baseline document says of the fixtures, and nobody else."""

from collections.abc import Sequence
from typing import Any

import pytest
from agentpolicy.base.errors import InputError
from agentpolicy.base.instant import parse_instant
from agentpolicy.documents.models.baseline import Baseline
from agentpolicy.gate.band import BandResult, judge_band
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.pairing import Fixture, pair_up
from agentpolicy.runs.run_set import RunSet
from tests.evidence import band, baseline, run, run_set

AT = parse_instant("2026-03-10T12:00:00Z")
PASS, OPEN = Decision.PASS, Decision.INCONCLUSIVE


def before(*names: str, attempts: int = 1) -> RunSet:
    return run_set(
        *(run(name, one, "b", tool_calls=()) for name in names for one in range(attempts))
    )


def after(*names: str, attempts: int = 1, **known: Any) -> RunSet:  # noqa: ANN401 - any field of a run
    records = (
        run(name, one, **{"tool_calls": (), **known}) for name in names for one in range(attempts)
    )
    return run_set(*records)


def judged(references: RunSet, tried: RunSet, document: Baseline | None) -> BandResult:
    return judge_band(band(), None, references, tried, "a", (), (), AT, document)


def test_the_document_says_of_which_class_and_how_critical_a_fixture_is() -> None:
    runs = before("f")
    entry = {"id": "f", "class": "formatting", "criticality": "critical", "attempts": 3}
    accepted = {"fixture_id": "f", "before": "sha256:" + "1" * 64, "after": "sha256:" + "2" * 64}
    (fixture,) = pair_up("a", runs, after("f"), baseline(runs, entry, accepted=[accepted]))
    assert (fixture.fixture_class, fixture.criticality, fixture.expected) == (
        "formatting", "critical", 3,
    )  # fmt: skip
    assert fixture.accepted == {accepted["after"]}


def test_without_a_document_the_answer_is_unpinned() -> None:
    runs = before("f")
    assert not judged(runs, after("f"), None).pinned
    pinned = judged(runs, after("f"), baseline(runs, {"id": "f"}))
    assert (pinned.pinned, pinned.baseline, pinned.decision) == (True, "version 1", PASS)


def test_other_reference_runs_than_the_document_names_are_refused() -> None:
    document = baseline(before("f", "g"), {"id": "f"})
    with pytest.raises(InputError, match="the baseline document in force names sha256:"):
        judged(before("f"), after("f"), document)


@pytest.mark.parametrize("side", ["baseline", "candidate"])
def test_a_fixture_that_the_document_does_not_name_is_refused(side: str) -> None:
    runs = before("f", "g") if side == "baseline" else before("f")
    tried = after("f", "g") if side == "candidate" else after("f")
    with pytest.raises(InputError, match="the baseline document does not name fixture 'g'"):
        judged(runs, tried, baseline(runs, {"id": "f"}))


def test_a_planned_fixture_that_the_candidate_left_out_is_open() -> None:
    runs = before("f")
    result = judged(runs, after("f"), baseline(runs, {"id": "f"}, {"id": "g"}))
    assert (result.decision, result.missing_fixtures, result.fixtures) == (OPEN, ("g",), 2)


def test_a_planned_fixture_without_a_reference_run_is_open_though_the_candidate_has_it() -> None:
    runs = before("f")
    result = judged(runs, after("f", "g"), baseline(runs, {"id": "f"}, {"id": "g"}))
    assert (result.decision, result.missing_fixtures) == (OPEN, ())
    assert {one.result for one in result.by_field["tool_order"]} == {PASS, OPEN}


def test_the_expected_attempts_are_needed_and_more_are_judged() -> None:
    runs = before("f")
    document = baseline(runs, {"id": "f", "attempts": 2})
    assert judged(runs, after("f"), document).decision is OPEN
    for attempts in (2, 3):
        result = judged(runs, after("f", attempts=attempts), document)
        assert (result.decision, len(result.by_field["tool_order"])) == (PASS, attempts)


def test_more_reference_attempts_ask_no_more_of_a_candidate() -> None:
    runs = before("f", attempts=3)
    assert judged(runs, after("f"), baseline(runs, {"id": "f"})).decision is PASS


def test_what_a_candidate_says_of_its_task_changes_nothing() -> None:
    runs = before("f")
    document = baseline(runs, {"id": "f", "task_type": "meeting", "variant": "default"})
    odd = judged(runs, after("f", task_type="x", variant="y", cohort_id=None), document)
    assert odd.decision is PASS


def test_the_order_of_the_document_changes_nothing() -> None:
    runs = before("f", "g")
    entries: Sequence[dict[str, str]] = [{"id": "f"}, {"id": "g"}]
    one, two = (
        pair_up("a", runs, after("f", "g"), baseline(runs, *order))
        for order in (entries, entries[::-1])
    )
    assert one == two
    assert [fixture.id for fixture in one] == ["f", "g"]


def test_reference_texts_are_those_of_the_baseline_and_the_accepted_ones() -> None:
    runs = run_set(run("f", side="b", final_answer="old"))
    tried = run_set(run("f", final_answer="new"), run("f", 2, final_answer="other"))
    new = {"fixture_id": "f", "before": "sha256:" + "1" * 64}
    new["after"] = "sha256:11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437"
    (fixture,) = pair_up("a", runs, tried, baseline(runs, {"id": "f"}, accepted=[new]))
    assert isinstance(fixture, Fixture)
    assert fixture.texts == ("old", "new")
