"""Columns that were read before: the same columns, or none."""

import json
from pathlib import Path

import numpy as np
import pytest
from agentpolicy.base.instant import parse_instant
from agentpolicy.gate.budget_table import judge_table
from agentpolicy.loading.run_table import read_table
from agentpolicy.loading.table_store import TableStore
from tests.evidence import TASK, VARIANT, budget

AT = parse_instant("2026-03-10T12:00:00Z")
RULE = budget({"steps": {"soft": "4", "hard": "9"}}, amber_rate_max="0.5", p95_cost_usd="0.5")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "runs.jsonl"
    runs = [
        {
            "run_id": f"r{number}", "fixture_id": f"f{number}", "task_type": TASK,
            "variant": VARIANT, "outcome": {"correct": True, "evaluator": "human"},
            "tool_calls": [{"name": "search"}] if number % 3 else None, "steps": number % 11,
            "cost_usd": ("0.3", "0.3000000000001", None)[number % 3],
            "at_least": {"cost_usd": "0.1"} if number % 3 == 2 else None,
        }
        for number in range(50)
    ]  # fmt: skip
    file.write_text("".join(json.dumps(run) + "\n" for run in runs))
    return file


def kept(log: Path) -> TableStore:
    store = TableStore(log.parent / "columns")
    store.keep(*read_table([log]))
    return store


def test_kept_columns_have_the_answer_of_those_that_were_read(log: Path) -> None:
    found = kept(log).find([log])
    assert found is not None
    table, sizes = found
    read, read_sizes = read_table([log])
    assert sizes == read_sizes
    assert (table.digest, table.importer, table.missing) == (
        read.digest, read.importer, read.missing,
    )  # fmt: skip
    for one in (table, read):
        one.labels["fixture"].at(0)
    assert judge_table(RULE, None, table, (), (), AT) == judge_table(RULE, None, read, (), (), AT)


def test_a_log_that_changed_in_one_byte_is_not_found(log: Path) -> None:
    store = kept(log)
    log.write_bytes(log.read_bytes().replace(b'"0.3"', b'"0.4"', 1))
    assert store.find([log]) is None


def test_columns_that_other_code_read_are_not_found(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = kept(log)
    monkeypatch.setattr("agentpolicy.loading.table_store._READING", ("loading/run_rows.py",))
    assert store.find([log]) is None


def test_damaged_columns_are_none(log: Path) -> None:
    store = kept(log)
    (file,) = (log.parent / "columns").iterdir()
    whole = file.read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], whole[:200] + b"x" * 50 + whole[250:]):
        file.write_bytes(damaged)
        assert store.find([log]) is None
    np.savez(file, known=np.frombuffer(b"{}", dtype=np.uint8))
    assert store.find([log]) is None


def test_what_was_put_aside_is_not_kept(log: Path) -> None:
    log.write_text(log.read_text() + "{broken\n")
    store = kept(log)
    assert store.find([log]) is None


def test_a_folder_nobody_may_write_to_is_fine(log: Path) -> None:
    (log.parent / "file").write_text("")
    store = TableStore(log.parent / "file" / "columns")
    store.keep(*read_table([log]))
    assert store.find([log]) is None


def test_only_the_latest_logs_are_kept(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentpolicy.loading.table_store.MOST", 2)
    for number in range(3):
        log.write_text(log.read_text().replace("r0", f"r0{number}", 1))
        kept(log)
    store = kept(log)
    assert len(list((log.parent / "columns").iterdir())) == 2
    assert store.find([log]) is not None
