import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from agentpolicy.base.errors import AgentPolicyError, InputError, UndecidedError
from agentpolicy.loading.runs import detect, read_runs
from agentpolicy.runs.run_set import RunSet

SHARED = Path(__file__).resolve().parents[4] / "shared"


def line(number: int = 1, **fields: object) -> bytes:
    record = {"run_id": f"r{number}", "fixture_id": f"f{number}", **fields}
    return json.dumps(record).encode() + b"\n"


def read(*data: bytes, **options: object) -> RunSet:
    files = [(f"runs-{number}.jsonl", one) for number, one in enumerate(data)]
    input_format, labels = options.get("input_format"), options.get("set_fields")
    assert input_format is None or isinstance(input_format, str)
    assert labels is None or isinstance(labels, Mapping)
    return read_runs(files, input_format, labels)


def put_aside(runs: RunSet) -> str:
    (problem,) = runs.unreadable
    return str(problem)


def refusal(error: pytest.ExceptionInfo[AgentPolicyError]) -> str:
    (problem,) = error.value.problems
    return str(problem)


def test_each_line_is_one_run() -> None:
    runs = read(line(1) + b"\n" + line(2), line(3))
    assert [record.run_id for record in runs.records] == ["r1", "r2", "r3"]
    assert runs.importer == "jsonl"
    assert len(runs.files) == 2


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (b'{"run_id": "r2"', "cannot be read"),
        (line(2).strip() + b" {}", "trailing characters"),
        (b'{"run_id": "r2", "fixture_id": "f", "steps": NaN}', "malformed"),
        (b'{"run_id": "r2", "fixture_id": "f", "steps": -1}', "$.steps"),
        (b'{"run_id": "r2", "fixture_id": "f", "cost_usd": 0.5}', "written as text"),
        (b'{"run_id": "r2", "fixture_id": "f", "stepz": 1}', "stepz"),
        (b'{"run_id": "r2", "fixture_id": "f", "steps": 1, "steps": 2}', "'steps' stands twice"),
        (
            b'{"run_id": "r", "fixture_id": "f", "agent": "\\u003a", "steps": 1, "steps": 2}',
            "'steps' stands twice",
        ),
        (
            b'{"run_id": "r2", "fixture_id": "f", "output": {"a": {"b": 1, "b": 1}}}',
            "'b' stands twice",
        ),
        (
            b'{"run_id": "r2", "fixture_id": "f", "output": ' + b"[" * 500 + b"]" * 500 + b"}",
            "deep",
        ),
        (b'{"run_id": "r2", "fixture_id": "\xff"}', "UTF-8"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_malformed_line_is_put_aside_with_its_place(bad: bytes, says: str) -> None:
    runs = read(line(1) + bad + b"\n" + line(3))
    assert [record.run_id for record in runs.records] == ["r1", "r3"]
    assert put_aside(runs).startswith("runs-0.jsonl:2:")
    assert says in put_aside(runs)


def test_a_file_of_which_nothing_can_be_read_is_refused() -> None:
    with pytest.raises(InputError) as error:
        read(b"{" + line(1))
    assert refusal(error).startswith("runs-0.jsonl:1:")


def test_brackets_inside_text_are_not_depth() -> None:
    assert read(line(1, final_answer="[" * 500)).records[0].final_answer == "[" * 500


def test_equal_keys_of_different_objects_are_no_duplicates() -> None:
    calls = [{"name": "a", "args": {"name": "x: y", "q": None}}] * 2
    assert len(read(line(1, tool_calls=calls, scores=None)).records) == 1


def test_a_run_id_stands_once() -> None:
    runs = read(line(1), line(1, fixture_id="other"))
    assert [record.fixture_id for record in runs.records] == ["f1"]
    says = "runs-1.jsonl:1:1: run id 'r1' stands twice, first at runs-0.jsonl:1:1"
    assert says in put_aside(runs)


def test_an_attempt_at_a_fixture_stands_once() -> None:
    twice = read(line(1) + line(2, fixture_id="f1"))
    assert [record.run_id for record in twice.records] == ["r1"]
    assert "attempt 1 at fixture 'f1' stands twice" in put_aside(twice)
    assert len(read(line(1) + line(2, fixture_id="f1", attempt=2)).records) == 2


@pytest.mark.parametrize("data", [b"", b"\n \n", b"[]", b'{"run_id": "m", "fixtures": []}'])
def test_zero_runs_decide_nothing(data: bytes) -> None:
    with pytest.raises(UndecidedError, match="no run to judge"):
        read(data)


def test_a_label_that_no_log_carries_is_filled_in_and_remembered() -> None:
    runs = read(line(1) + line(2, variant="v"), set_fields={"task_type": "t", "variant": "v"})
    assert {(record.task_type, record.variant) for record in runs.records} == {("t", "v")}
    assert runs.hand_set == {"task_type", "variant"}
    assert read(line(1, task_type="t"), set_fields={"task_type": "t"}).hand_set == frozenset()


def test_a_label_may_not_contradict_the_log() -> None:
    with pytest.raises(InputError, match="says task_type 'other', --set says 't'"):
        read(line(1, task_type="other"), set_fields={"task_type": "t"})


@pytest.mark.parametrize("name", ["cost_usd", "outcome", "run_id", "status", "nonsense"])
def test_a_measurement_cannot_be_set_by_hand(name: str) -> None:
    with pytest.raises(InputError, match="cannot be set by hand"):
        read(line(1), set_fields={name: "1"})


def test_an_unknown_format_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="jsonl, manifest, tau-bench"):
        read(line(1), input_format="csv")


def test_a_forced_format_is_not_second_guessed() -> None:
    with pytest.raises(InputError):
        read(line(1), input_format="tau-bench")


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b'[{"task_id": 0, "trial": 0, "traj": []}]', "tau-bench"),
        (b'[{"task_id": 0}]', "jsonl"),
        (b'\n{\n"run_id": "m", "fixtures": []}', "manifest"),
        (line(1), "jsonl"),
        (line(1, final_answer='say "fixtures"') + line(2), "jsonl"),
        (b"not json", "jsonl"),
    ],
)
def test_the_importer_is_seen_from_the_bytes(data: bytes, name: str) -> None:
    assert detect(data).name == name


def test_what_every_record_lacks_is_counted() -> None:
    assert read(line(1, cost_usd="1") + line(2)).missing["cost_usd"] == 1


def test_the_manifest_is_read_as_it_stands() -> None:
    printed = """
    {
      "run_id": "instructions-b",
      "instructions_ref": "reviewer-agent@9f3c",
      "model": "<fixed model id>",
      "temperature": 0,
      "seed": 42,
      "fixtures": [
        {
          "task_id": "refund-missing-order-id",
          "tool_calls": [
            {"name": "lookup_order", "args": {"order_id": null}},
            {"name": "ask_user", "args": {"field": "order_id"}}
          ],
          "final_answer": "I need the order number before I can check the refund policy.",
          "refused": false
        }
      ]
    }
    """
    runs = read(printed.encode())
    (record,) = runs.records
    assert runs.importer == "manifest"
    assert record.run_id == "instructions-b/refund-missing-order-id"
    assert (record.fixture_id, record.attempt) == ("refund-missing-order-id", 1)
    assert [call.name for call in record.tool_calls or ()] == ["lookup_order", "ask_user"]
    assert (record.tool_calls or ())[0].args == {"order_id": None}
    assert record.refused is False
    assert record.subject == "reviewer-agent@9f3c"
    assert record.sampling == {"temperature": 0, "seed": 42}


def test_the_manifest_of_the_source_document_is_read() -> None:
    source = SHARED / "sources" / "behaviour-diff.txt"
    if not source.exists():
        pytest.skip("the source documents are not beside this checkout")
    text = source.read_text(encoding="utf-8")
    start = text.index('{\n  "run_id"')
    value, _ = json.JSONDecoder().raw_decode(text[start:])
    assert read(json.dumps(value).encode()).importer == "manifest"


def test_a_fixture_stands_once_in_a_manifest() -> None:
    fixture = {"task_id": "t", "tool_calls": []}
    runs = read(json.dumps({"run_id": "m", "fixtures": [fixture, fixture]}).encode())
    assert "stands twice" in put_aside(runs)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'{"run_id": "m", "run_id": "n", "fixtures": []}', "'run_id' stands twice"),
        (b'{"run_id": "m", "temperature": NaN, "fixtures": []}', "NaN"),
        (b'{"run_id": "m", "fixtures": [{"task_id": "t", "odd": 1}]}', "odd"),
        (b'{"run_id": "m",\n "fixtures": [}', "runs-0.jsonl:2:"),
        (b'{"run_id": "m", "fixtures": [{"task_id": "\\ud800"}]}', "surrogates"),
    ],
)
def test_a_malformed_manifest_is_refused(data: bytes, says: str) -> None:
    with pytest.raises(InputError) as error:
        read(data, input_format="manifest")
    assert says in refusal(error)
