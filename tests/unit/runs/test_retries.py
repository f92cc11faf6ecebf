"""Retries are what the record says, and nothing else."""

from agentpolicy.runs.record import ToolCall
from agentpolicy.runs.retries import without_retried


def failed(name: str = "pay", **known: str) -> ToolCall:
    return ToolCall(name, {}, **{"status": "timeout", "attempt_id": "t1", **known})  # type: ignore[arg-type]  # text fields


def retry(name: str = "pay", of: str = "t1") -> ToolCall:
    return ToolCall(name, {}, status="ok", retry_of=of, attempt_id="t2")


def test_a_failed_call_gives_way_to_its_retry() -> None:
    again = retry()
    assert without_retried([failed(), again]) == (again,)
    by_call = failed(call_id="c1", attempt_id="")
    assert without_retried([by_call, retry(of="c1")]) == (retry(of="c1"),)


def test_a_chain_of_retries_ends_in_the_last() -> None:
    middle = ToolCall("pay", {}, status="error", retry_of="t1", attempt_id="t2")
    last = ToolCall("pay", {}, status="ok", retry_of="t2")
    assert without_retried([failed(), middle, last]) == (last,)


def test_equal_names_make_no_retry() -> None:
    calls = (failed(), ToolCall("pay", {}, status="ok"))
    assert without_retried(calls) == calls


def test_a_call_that_worked_or_may_have_is_never_left_out() -> None:
    for status in ("ok", None):
        calls = (ToolCall("pay", {}, status=status, attempt_id="t1"), retry())
        assert without_retried(calls) == calls


def test_another_tool_is_no_retry() -> None:
    calls = (failed("refund"), retry())
    assert without_retried(calls) == calls


def test_an_unknown_or_a_later_call_is_not_retried() -> None:
    calls = (retry(), failed())
    assert without_retried(calls) == calls


def test_a_call_that_others_build_on_stays() -> None:
    calls = (failed(call_id="c1"), retry(), ToolCall("note", {}, depends_on=("c1",)))
    assert without_retried(calls) == calls
