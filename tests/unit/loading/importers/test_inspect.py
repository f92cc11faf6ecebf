"""Inspect AI logs: partial logs, scorers' own calls, attachments, caches and retries."""

import io
import json
import zipfile
from decimal import Decimal
from typing import Any

import pytest
from agentpolicy.base.errors import InputError
from agentpolicy.loading.runs import read_runs
from agentpolicy.runs.record import AtLeast, Duration, Money, RunRecord
from agentpolicy.runs.run_set import RunSet

EVAL: dict[str, Any] = {
    "task": "refunds", "run_id": "R", "dataset": {"samples": 1, "sample_ids": [1]}, "config": {},
    "model": "openai/some-model",
}  # fmt: skip


def log(*samples: dict[str, Any], **changed: object) -> bytes:
    evaluation = {**EVAL, **changed}
    return json.dumps({"status": "success", "eval": evaluation, "samples": samples}).encode()


def read(*samples: dict[str, Any], **changed: object) -> RunSet:
    return read_runs([("log.json", log(*samples, **changed))])


def only(**fields: object) -> RunRecord:
    (record,) = read({"id": 1, "epoch": 1, **fields}).records
    return record


def usage(given: int, said: int, total: int, cached: int = 0) -> dict[str, Any]:
    return {
        "input_tokens": given, "output_tokens": said, "total_tokens": total,
        "input_tokens_cache_read": cached,
    }  # fmt: skip


def model(used: dict[str, Any] | None, **more: object) -> dict[str, Any]:
    return {"event": "model", "output": {"model": "m-1", "usage": used}, **more}


def tool(name: str, **more: object) -> dict[str, Any]:
    return {"event": "tool", "id": "1", "function": name, "arguments": {}, "result": "ok", **more}


def score(value: object) -> dict[str, Any]:
    return {"match": {"value": value}}


@pytest.mark.parametrize(
    ("value", "correct"),
    [
        ("C", True), (1, True), (1.0, True), (True, True), ("I", False), ("P", False),
        ("N", False), (0.5, False), (0, False), (False, False), (4, None), ("7/10", None),
        (None, None), ({"a": 1}, None),
    ],
)  # fmt: skip
def test_only_a_full_score_is_correct_and_an_own_scale_says_nothing(
    value: object, correct: bool | None
) -> None:
    outcome = only(scores=score(value)).outcome
    assert outcome is not None
    assert outcome.correct is correct


def test_every_scorer_must_agree_that_it_is_correct() -> None:
    both = {"a": {"value": "C"}, "b": {"value": "C"}}
    outcome = only(scores=both).outcome
    assert outcome is not None
    assert (outcome.correct, outcome.evaluator) == (True, "a+b")
    outcome = only(scores={**both, "c": {"value": "I"}}).outcome
    assert outcome is not None
    assert outcome.correct is False


def test_what_a_scorer_used_is_not_what_the_agent_used() -> None:
    scoring = {"event": "span_begin", "id": "S", "type": "scorer"}
    inner = {"event": "span_begin", "id": "T", "type": "tool", "parent_id": "S"}
    judge = usage(500, 500, 1000)
    record = only(
        events=[
            model(usage(10, 2, 12), span_id="A"),
            scoring,
            model(judge, span_id="S"),
            inner,
            tool("judge_tool", span_id="T"),
        ]
    )
    assert record.tokens is not None
    assert record.tokens.total == 12
    assert record.steps == 1
    assert record.tool_calls == ()


def test_a_scorer_of_an_old_log_is_a_step() -> None:
    begin, end = (
        {"event": "step", "type": "scorer", "action": action} for action in ("begin", "end")
    )
    events = [begin, model(usage(500, 500, 1000)), end, model(usage(10, 2, 12))]
    record = only(transcript={"events": events, "content": {}})
    assert record.tokens is not None
    assert record.tokens.total == 12


@pytest.mark.parametrize(
    ("used", "total"),
    [
        (usage(15235, 281, 15516, cached=9088), 15516),
        (usage(3, 10, 5771, cached=5758), 5771),
        (usage(3, 10, 999, cached=5758), None),
        (usage(3, 10, 13), 13),
    ],
)
def test_whether_input_holds_the_cached_tokens_is_told_by_the_sum(
    used: dict[str, Any], total: int | None
) -> None:
    tokens = only(events=[model(used)]).tokens
    assert tokens is not None
    assert tokens.total == total


def test_one_call_of_a_model_without_usage_leaves_the_tokens_unknown() -> None:
    record = only(events=[model(usage(1, 1, 2)), model(None)])
    assert (record.tokens, record.at_least) == (None, AtLeast(tokens=2))


def test_an_answer_from_a_cache_measures_neither_time_nor_tokens() -> None:
    fresh = only(events=[model(usage(1, 1, 2))], total_time=1.5)
    assert str(fresh.latency_ms) == "1500.0"
    assert fresh.tokens is not None
    cached = only(events=[model(usage(1, 1, 2), cache="read")], total_time=1.5)
    assert (cached.latency_ms, cached.tokens) == (None, None)


def test_a_sample_that_was_retried_shows_only_its_last_attempt() -> None:
    record = only(
        events=[model(usage(1, 1, 2) | {"total_cost": 0.2})],
        total_time=1,
        error_retries=[{"message": "x"}],
    )
    assert (record.latency_ms, record.tokens, record.cost_usd) == (None, None, None)
    assert record.at_least == AtLeast(Money("0.2"), 2, Duration(1000))


def test_the_cost_is_the_sum_where_every_call_has_its_price() -> None:
    priced = [usage(1, 1, 2) | {"total_cost": cost} for cost in (0.1, 0.2)]
    record = only(events=[model(one) for one in priced])
    assert (record.cost_usd, record.at_least) == (Decimal("0.3"), None)


@pytest.mark.parametrize("price", [None, 0, 0.0, "0.2", -1, True])
def test_a_cost_that_one_call_lacks_is_a_part_and_never_a_sum(price: object) -> None:
    unpriced = usage(1, 1, 2) | {"total_cost": price}
    priced = usage(1, 1, 2) | {"total_cost": 0.5}
    record = only(events=[model(priced), model(unpriced)])
    assert record.cost_usd is None
    assert record.at_least == AtLeast(Money("0.5"))


def test_what_a_cache_answered_is_no_part_of_what_was_used() -> None:
    dear = usage(100, 100, 200) | {"total_cost": 5}
    cheap = usage(1, 1, 2) | {"total_cost": 0.5}
    record = only(events=[model(dear, cache="read"), model(cheap)], total_time=9)
    assert (record.cost_usd, record.tokens, record.latency_ms) == (None, None, None)
    assert record.at_least == AtLeast(Money("0.5"), 2)


def test_calls_inside_other_calls_count() -> None:
    record = only(events=[tool("outer", events=[tool("inner", error={"type": "timeout"})])])
    assert [(call.name, call.status) for call in record.tool_calls or ()] == [
        ("outer", "ok"),
        ("inner", "error"),
    ]


def test_an_attachment_is_put_in_its_place() -> None:
    attached = {"ab": "the long text"}
    event = tool("write", arguments={"body": "attachment://ab", "to": ["attachment://ab"]})
    (call,) = only(events=[event], attachments=attached).tool_calls or ()
    assert call.args == {"body": "the long text", "to": ["the long text"]}


def test_a_sample_whose_attachment_is_not_there_is_put_aside() -> None:
    event = tool("write", arguments={"body": "attachment://ab"})
    runs = read({"id": 1, "events": [event]}, dataset={"sample_ids": [1, 2]})
    assert "does not hold 'attachment://ab'" in str(runs.unreadable[0])


def test_a_planned_sample_that_is_missing_is_a_run_that_shows_nothing() -> None:
    runs = read({"id": 2, "epoch": 1}, dataset={"sample_ids": [1, 2]}, config={"epochs": 2})
    shown = {(record.fixture_id, record.attempt): record.finished for record in runs.records}
    assert shown == {("1", 1): False, ("1", 2): False, ("2", 1): True, ("2", 2): False}


def test_a_log_without_its_samples_holds_no_finished_run() -> None:
    data = json.dumps({"status": "cancelled", "eval": EVAL, "samples": None}).encode()
    (record,) = read_runs([("log.json", data)]).records
    assert not record.finished


def test_ids_that_differ_only_in_their_type_collide() -> None:
    runs = read({"id": 1}, {"id": "1"})
    assert "stands twice" in str(runs.unreadable[0])


@pytest.mark.parametrize(
    ("fields", "status"),
    [({"error": {"message": "x"}}, "agent_error"), ({"limit": {"type": "token"}}, "limit")],
)
def test_how_a_sample_ended_is_told(fields: dict[str, Any], status: str) -> None:
    assert only(**fields).status == status


def archive(members: dict[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return held.getvalue()


def test_an_archive_is_the_same_log() -> None:
    sample = {"id": 1, "epoch": 1, "scores": score("C")}
    members = {
        "header.json": json.dumps({"eval": EVAL}).encode(),
        "samples/1_epoch_1.json": json.dumps(sample).encode(),
    }
    runs = read_runs([("log.eval", archive(members))])
    assert runs.importer == "inspect"
    assert runs.records == read(sample).records


def test_an_archive_that_was_cut_off_still_counts_what_was_planned() -> None:
    members = {"_journal/start.json": json.dumps({"eval": EVAL}).encode()}
    (record,) = read_runs([("log.eval", archive(members))]).records
    assert not record.finished


def test_a_damaged_archive_is_refused() -> None:
    whole = archive({"header.json": json.dumps({"eval": EVAL}).encode() * 100})
    with pytest.raises(InputError, match="damaged"):
        read_runs([("log.eval", whole[:-40])], input_format="inspect")


def test_events_that_do_not_hold_what_the_samples_sums_do_are_only_a_part() -> None:
    events = [model(usage(10, 2, 12) | {"total_cost": 0.5})]
    whole = only(events=events, model_usage={"m": usage(10, 2, 12)})
    assert (whole.tokens is not None, str(whole.cost_usd)) == (True, "0.5")
    for sums in ({"m": usage(30, 2, 32)}, {"m": usage(10, 2, 12), "n": usage(1, 0, 1)}):
        part = only(events=events, model_usage=sums)
        assert (part.tokens, part.cost_usd) == (None, None)
        assert part.at_least == AtLeast(Money("0.5"), 12)
