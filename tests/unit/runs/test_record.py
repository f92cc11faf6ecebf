import json
from collections.abc import Mapping
from decimal import Decimal

import msgspec
import pytest
from agentpolicy.runs.record import DECODER, ENCODER, RunRecord, Tokens
from agentpolicy.runs.schema import run_schema
from hypothesis import given
from hypothesis import strategies as st
from jsonschema_rs import Draft7Validator

AMOUNTS = st.decimals(0, 2**53 - 1, allow_nan=False, allow_infinity=False, places=10)
NUMBERS = st.sampled_from(["0", "12000", "12.5", "1e3", "0.1e-7", "1E-30", "9007199254740991"])
JSON_TEXTS = st.recursive(
    NUMBERS
    | st.sampled_from(["null", "true", '"é"', '"1e3"', "-0.0", "-7", "18446744073709551615"]),
    lambda inner: (
        st.lists(inner).map(lambda items: f"[{','.join(items)}]")
        | st.lists(inner).map(
            lambda items: "{" + ",".join(f'"k{n}":{item}' for n, item in enumerate(items)) + "}"
        )
    ),
    max_leaves=8,
)


def read(**fields: object) -> RunRecord:
    return DECODER.decode(json.dumps({"run_id": "r", "fixture_id": "f", **fields}))


def test_a_missing_value_is_missing_and_never_zero() -> None:
    record = read()
    assert (record.steps, record.cost_usd, record.latency_ms, record.tokens) == (None,) * 4
    assert record.outcome is None
    assert record.tool_calls is None
    assert record.output is msgspec.UNSET


def test_no_structured_output_is_told_apart_from_an_output_nobody_recorded() -> None:
    assert read(output=None).output is None
    assert read().output is msgspec.UNSET


def test_money_is_exact() -> None:
    assert read(cost_usd="0.10").cost_usd == Decimal("0.1")
    assert read(latency_ms=12.5).latency_ms == Decimal("12.5")


@pytest.mark.parametrize(
    "fields",
    [
        {"cost_usd": 0.3},
        {"cost_usd": "-0.30"},
        {"cost_usd": "NaN"},
        {"cost_usd": "1e3"},
        {"cost_usd": "1_000"},
        {"cost_usd": " 1"},
        {"cost_usd": "9007199254740992"},
        {"latency_ms": -1},
        {"latency_ms": "12"},
        {"latency_ms": True},
        {"latency_ms": 1e40},
        {"steps": -1},
        {"steps": 1.5},
        {"steps": True},
        {"steps": 2**53},
        {"attempt": -1},
        {"tokens": {"input": -1}},
        {"tokens": {"input": 2**53}},
        {"at_least": {"cost_usd": 0.3}},
        {"at_least": {"cost_usd": "-0.30"}},
        {"at_least": {"tokens": -1}},
        {"at_least": {"steps": 3}},
        {"cost_usd": "0.29", "at_least": {"cost_usd": "0.30"}},
        {"latency_ms": 4, "at_least": {"latency_ms": 5}},
        {"tokens": {"input": 5, "output": 4}, "at_least": {"tokens": 10}},
        {"outcome": {"correct": "yes"}},
        {"outcome": {"correct": 1}},
        {"status": "done"},
        {"run_id": ""},
        {"unheard_of": 1},
        {"tool_calls": [{"name": "a", "unheard_of": 1}]},
        {"tool_calls": [{"name": "a", "depends_on": ["c9"]}]},
        {"tool_calls": [{"name": "a", "call_id": "c1", "depends_on": ["c1"]}]},
    ],
    ids=str,
)
def test_what_is_no_measurement_is_refused(fields: Mapping[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        read(**fields)


@given(AMOUNTS.map(lambda amount: format(amount, "f")), NUMBERS, NUMBERS, JSON_TEXTS, JSON_TEXTS)
def test_a_record_that_is_written_reads_back_as_the_same_record(
    cost: str, latency: str, delay: str, answer: str, result: str
) -> None:
    call = f'{{"name": "a", "result": {result}, "selected_delay_ms": {delay}}}'
    record = DECODER.decode(
        f'{{"run_id": "r", "fixture_id": "f", "cost_usd": "{cost}", "latency_ms": {latency},'
        f'"output": {answer}, "tool_calls": [{call}], "at_least": {{"cost_usd": "{cost}"}}}}'
    )
    again = DECODER.decode(ENCODER.encode(record))
    assert repr(again) == repr(record)  # tells 1, true and 1.0 apart, which are equal in Python


@pytest.mark.parametrize("text", ["NaN", "Infinity", "1e400", "1e99999999999", f"1e{'9' * 40}"])
def test_a_number_out_of_range_is_refused_anywhere(text: str) -> None:
    with pytest.raises(msgspec.MsgspecError):
        DECODER.decode(f'{{"run_id": "r", "fixture_id": "f", "output": [{text}]}}')


@pytest.mark.parametrize(
    ("tokens", "total"),
    [
        (Tokens(10, 5, 0), 15),
        (Tokens(10, 5), 15),
        (Tokens(10, 5, 4, "inclusive"), 15),
        (Tokens(10, 5, 4, "exclusive"), 19),
        (Tokens(10, 5, None, "exclusive"), None),
        (Tokens(10, 5, 4), None),
        (Tokens(10, 5, 0, "unknown"), None),
        (Tokens(10), None),
        (Tokens(None, 5), None),
    ],
)
def test_tokens_add_up_only_on_a_stated_basis(tokens: Tokens, total: int | None) -> None:
    assert tokens.total == total


@pytest.mark.parametrize(
    ("fields", "finished"),
    [
        ({}, True),
        ({"status": "completed"}, True),
        ({"status": "limit"}, True),
        ({"status": "agent_error"}, True),
        ({"status": "infra_error"}, False),
        ({"status": "cancelled"}, False),
        ({"status": "completed", "infra_error": "connection reset"}, False),
    ],
)
def test_a_run_without_a_status_is_finished(
    fields: Mapping[str, object], *, finished: bool
) -> None:
    assert read(**fields).finished is finished


def test_the_schema_takes_what_the_reader_takes() -> None:
    schema = run_schema()
    validator = Draft7Validator(schema)
    record: dict[str, object] = {
        "run_id": "r",
        "fixture_id": "f",
        "outcome": {"correct": True},
        "tool_calls": [{"name": "a", "args": {"n": 1}, "status": "ok"}],
        "cost_usd": "0.30",
        "latency_ms": 12.5,
        "tokens": {"input": 1, "output": 2},
        "at_least": {"cost_usd": "0.30", "tokens": 3, "latency_ms": 1},
    }
    read(**record)
    assert validator.is_valid(record)
    assert not validator.is_valid(record | {"cost_usd": 0.3})
    assert not validator.is_valid(record | {"latency_ms": -1})
    assert not validator.is_valid(record | {"unheard_of": 1})
