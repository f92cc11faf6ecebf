"""Columns are only another way to hold runs: a budget answers the same about them."""

import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from agentpolicy.base.errors import InputError, UndecidedError
from agentpolicy.base.instant import parse_instant
from agentpolicy.documents.models.budget import Budget
from agentpolicy.gate.budget import BudgetResult, judge_budget
from agentpolicy.gate.budget_table import judge_table
from agentpolicy.loading.run_table import NotInColumnsError, read_table
from agentpolicy.loading.runs import read_runs
from agentpolicy.runs.amounts import AmountBook, Amounts
from agentpolicy.runs.evidence import nearest_rank
from agentpolicy.workflows.run_files import RunFiles
from tests.evidence import TASK, VARIANT, tools

AT = parse_instant("2026-03-10T12:00:00Z")
TOOLS = tools(search={"effect": "read"}, mail={"effect": "write"})
COSTS = ("0", "0.30", "0.3000000001", "0.6", "0.60", "1.20", "0.019520000000000006")
Run = dict[str, Any]


def record(random: Random, number: int) -> Run:
    """Make a run near every limit, with values missing here and there."""
    named = [random.choice(("search", "mail", "other")) for _ in range(random.randrange(4))]
    made: Run = {
        "run_id": f"r{number}", "fixture_id": f"f{number % 7}", "attempt": number // 7 + 1,
        "task_type": TASK, "variant": random.choice((VARIANT, VARIANT, "other")),
        "agent": "a", "subject": "s",
        "outcome": {
            "correct": random.choice((True, True, False, None)),
            "evaluator": random.choice(("human", "other", None)),
        },
        "tool_calls": [{"name": name, "args": {"q": [1, {"a": "é:"}]}} for name in named],
        "steps": random.randrange(4, 9), "cost_usd": random.choice(COSTS),
        "latency_ms": random.choice((1000, 20000, 20000.5, 40000, 20000.0000000001)),
        "time_to_useful_ms": 10, "final_answer": "x: y",
        "tokens": {
            "input": random.randrange(90, 110), "output": 0, "cached": random.choice((0, 5)),
            "basis": random.choice(("inclusive", "exclusive", "unknown")),
        },
        "status": random.choice(("completed",) * 5 + ("infra_error", "limit")),
    }  # fmt: skip
    for name in list(made):
        if name not in ("run_id", "fixture_id", "attempt", "task_type", "variant"):
            absent = random.random()
            if absent < 0.05:
                del made[name]
            elif absent < 0.1:
                made[name] = None
    if random.random() < 0.3:
        made["at_least"] = part(random, made)
    return made


def part(random: Random, made: Run) -> Run:
    """Make known parts of what is missing; now and then beside a whole, and larger than it."""
    known = {
        "cost_usd": random.choice((*COSTS, None)),
        "tokens": random.randrange(95, 110),
        "latency_ms": random.choice((20000, 20001, 40000.5)),
    }
    stray = random.random() < 0.1
    return {name: value for name, value in known.items() if stray or made.get(name) is None}


def budget(random: Random) -> Budget:
    limits: dict[str, Any] = {"allowed_effects": random.choice(([], ["mail"]))}
    for measure, soft, hard in (
        ("steps", "5", "7"), ("cost_usd", "0.30", "0.60"), ("latency_s", "20", "40"),
        ("tokens", "100", "105"),
    ):  # fmt: skip
        if random.random() < 0.7:
            limits[measure] = {"soft": Decimal(soft), "hard": Decimal(hard)}
    gate: dict[str, Any] = {"per_run": "hard breach fails the run"}
    aggregate = {"amber_rate_max": "0.4", "p95_cost_usd": "0.6", "pass_rate_min": "0.5"}
    gate["aggregate"] = {
        name: Decimal(limit) for name, limit in aggregate.items() if random.random() < 0.7
    } or {"amber_rate_max": Decimal("0.4")}
    if random.random() < 0.3:
        gate["decision"] = "bound"
    whole: dict[str, Any] = {
        "task_type": TASK, "variant": VARIANT, "budget": limits, "gate": gate,
    }  # fmt: skip
    if random.random() < 0.3:
        whole["evaluators"] = ("human",)
    return Budget.model_validate(whole)


def both(folder: Path, rule: Budget, text: str) -> tuple[BudgetResult, BudgetResult]:
    """Judge the same bytes as records and as columns."""
    file = folder / "runs.jsonl"
    file.write_text(text, encoding="utf-8")
    runs = read_runs([(file.as_posix(), file.read_bytes())])
    table, sizes = read_table([file])
    assert (table.digest, table.importer, table.runs) == (runs.digest, runs.importer, runs.runs)
    assert (table.missing, table.unreadable) == (runs.missing, runs.unreadable)
    assert (table.agents, table.subjects) == (runs.agents, runs.subjects)
    assert list(sizes.values()) == [len(file.read_bytes())]
    return (
        judge_budget(rule, TOOLS, runs, (), (), AT),
        judge_table(rule, TOOLS, table, (), (), AT),
    )


def lines(records: list[Run]) -> str:
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records)


@pytest.mark.parametrize("seed", range(40))
def test_columns_and_records_of_the_same_runs_have_the_same_answer(
    tmp_path: Path, seed: int
) -> None:
    random = Random(seed)
    records = [record(random, number) for number in range(random.randrange(10, 200))]
    records[0]["variant"] = VARIANT
    one, other = both(tmp_path, budget(random), lines(records))
    assert one == other


@pytest.mark.parametrize(
    "bad",
    [
        "{broken",
        '{"run_id": "x", "fixture_id": "x", "steps": 1, "steps": 2}',
        '{"run_id": "x", "fixture_id": "x", "cost_usd": 0.5}',
        '{"run_id": "x", "fixture_id": "x", "cost_usd": "-1"}',
        '{"run_id": "x", "fixture_id": "x", "latency_ms": true}',
        '{"run_id": "x", "fixture_id": "x", "stepz": 1}',
        '{"run_id": "x", "fixture_id": "x", "at_least": {"steps": 1}}',
        '{"run_id": "x", "fixture_id": "x", "at_least": {"cost_usd": "-1"}}',
        '{"run_id": "x", "fixture_id": "x", "cost_usd": "1", "at_least": {"cost_usd": "2"}}',
        '{"run_id": "x", "fixture_id": "x", "final_answer": 5}',
    ],
)
def test_a_record_that_cannot_be_read_is_put_aside_with_the_same_place(
    tmp_path: Path, bad: str
) -> None:
    good = [record(Random(3), 0) | {"variant": VARIANT}, record(Random(4), 1)]
    rule = budget(Random(5))
    one, other = both(tmp_path, rule, lines(good[:1]) + bad + "\n" + lines(good[1:]))
    assert one == other
    assert any(check.id == "unreadable_records" for check in other.checks)


def test_runs_that_say_nothing_of_their_task_are_not_judged(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text('{"run_id": "r", "fixture_id": "f"}\n')
    table, _ = read_table([file])
    with pytest.raises(UndecidedError, match="1 of 1 runs do not say their task_type"):
        judge_table(budget(Random(1)), TOOLS, table, (), (), AT)


@pytest.mark.parametrize("changed", [{"run_id": "r0"}, {"fixture_id": "f0", "attempt": 1}])
def test_what_stands_twice_is_left_to_the_exact_reader(
    tmp_path: Path, changed: Mapping[str, object]
) -> None:
    file = tmp_path / "runs.jsonl"
    twice = [record(Random(1), 0), {**record(Random(1), 1), **changed}]
    file.write_text(lines(twice))
    with pytest.raises(NotInColumnsError):
        read_table([file])


def test_a_large_file_without_a_readable_record_is_refused_as_a_small_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text('{"run_id": "x", "fixture_id": "x", "stepz": 1}\n' * 3)
    monkeypatch.setattr("agentpolicy.workflows.run_files.LARGE", 100)
    with pytest.raises(InputError) as error:
        RunFiles((file,)).read_many()
    assert [one.position.line for one in error.value.problems if one.position] == [1, 2, 3]


def test_several_files_and_a_last_line_without_its_end_are_one_set(tmp_path: Path) -> None:
    random = Random(2)
    records = [record(random, number) for number in range(9)]
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    first.write_text(lines(records[:4]))
    second.write_text(lines(records[4:]).rstrip("\n"))
    table, _ = read_table([first, second])
    whole = read_runs([(one.name, one.read_bytes()) for one in (first, second)])
    assert (table.runs, table.digest) == (9, whole.digest)


def test_chunks_end_with_whole_lines_whatever_their_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(6)
    records = [record(random, number) for number in range(50)]
    file = tmp_path / "runs.jsonl"
    file.write_text(lines(records))
    told: list[int] = []
    monkeypatch.setattr("agentpolicy.loading.run_table.CHUNK", 37)
    table, _ = read_table([file], told.append)
    assert table.runs == 50
    assert sum(told) == file.stat().st_size


@pytest.mark.parametrize("seed", range(50))
def test_a_column_ranks_and_counts_as_the_amounts_themselves(seed: int) -> None:
    random = Random(seed)
    spelled = [random.choice((*COSTS, None, "4611686018.5")) for _ in range(random.randrange(30))]
    book = AmountBook()
    units = book.units(spelled)
    column = Amounts(units, tuple(book.finer))
    amounts = [None if one is None else Decimal(one) for one in spelled]
    assert [column.at(row) for row in range(column.runs)] == amounts
    for percent in (1, 50, 95, 100):
        assert column.percentile(percent) == nearest_rank(amounts, percent)
    for limit in map(Decimal, ("0", "0.3", "0.30000000005", "0.6", "99999999999")):
        above = sum(amount is None or amount > limit for amount in amounts)
        assert column.maybe_above(limit) == above
