from agentpolicy.runs.run_set import RunSet, missing_of
from tests.evidence import run

ONE, TWO = "sha256:" + "1" * 64, "sha256:" + "2" * 64


def test_one_file_names_the_evidence() -> None:
    assert RunSet((), {"a": ONE}, {}).digest == ONE


def test_several_files_name_it_in_any_order_and_under_any_path() -> None:
    first = RunSet((), {"a": ONE, "b": TWO}, {}).digest
    assert first == RunSet((), {"y": TWO, "x": ONE}, {}).digest
    assert first not in {ONE, TWO}


def test_what_records_lack_is_counted_by_name() -> None:
    counts = missing_of([run(correct=True, cost_usd="1"), run(tokens=5)])
    assert counts["outcome.correct"] == 1
    assert counts["cost_usd"] == 1
    assert counts["tokens"] == 1
    assert "task_type" not in counts
