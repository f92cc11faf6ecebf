"""The runtime guard stops a run at the first step past a ceiling, from any thread, and stays so."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import agentpolicy
import pytest
from agentpolicy import GuardTripped, RuntimeGuard


def calls_until_stopped(guard: RuntimeGuard, tool: str = "search") -> int:
    made = 0
    try:
        while made < 1000:
            guard.before_call(tool, {"n": made})
            made += 1
    except GuardTripped:
        return made
    raise AssertionError("nothing stopped it")


def test_a_run_may_make_as_many_calls_as_its_ceiling_and_no_more() -> None:
    guard = RuntimeGuard(steps=60)
    assert calls_until_stopped(guard) == 60
    tripped = guard.tripped
    assert tripped is not None
    assert (tripped.limit, tripped.ceiling, tripped.reached) == ("steps", Decimal(60), Decimal(61))
    assert str(tripped) == (
        "stopped by its runtime guard: 61 calls of tools, at most 60 are allowed"
    )


def test_identical_calls_are_counted_however_far_apart_they_stand() -> None:
    guard = RuntimeGuard(identical_calls=2)
    for _ in range(2):
        guard.before_call("search", {"a": 1, "b": [2]})
        guard.before_call("search", {"a": 1, "b": [3]})
        guard.before_call("fetch", {"a": 1, "b": [2]})
    with pytest.raises(GuardTripped, match="3 identical calls of search, at most 2"):
        guard.before_call("search", {"b": [2], "a": 1})


def test_arguments_of_any_kind_are_compared_and_never_break_the_loop() -> None:
    loop: list[object] = []
    loop.append(loop)
    for arguments in (None, "text", b"bytes", {1: "a", "b": 2}, {"x": object}, loop, "\ud800"):
        guard = RuntimeGuard(identical_calls=1)
        guard.before_call("t", arguments)
        with pytest.raises(GuardTripped):
            guard.before_call("t", arguments)


def test_tokens_and_money_are_added_up_exactly() -> None:
    guard = RuntimeGuard(tokens=100, cost_usd="0.30")
    for _ in range(3):
        guard.after_model(tokens=10, cost_usd="0.1")  # in floats this is 0.30000000000000004
    guard.after_model(tokens=70)
    assert (guard.used.tokens, guard.used.cost_usd) == (100, Decimal("0.3"))
    with pytest.raises(GuardTripped, match=r"at most 0\.30 are allowed"):
        guard.after_model(cost_usd=Decimal("0.000001"))


def test_a_stopped_run_stays_stopped() -> None:
    guard = RuntimeGuard(steps=1, tokens=1)
    guard.before_call("a")
    with pytest.raises(GuardTripped) as first:
        guard.before_call("b")
    with pytest.raises(GuardTripped) as second:
        guard.before_call("c")
    with pytest.raises(GuardTripped) as third:
        guard.after_model(tokens=1)
    assert first.value is second.value is third.value
    assert guard.used.steps == 2


def test_many_threads_together_get_no_call_more() -> None:
    guard = RuntimeGuard(steps=500, identical_calls=10_000)

    def work(_: int) -> int:
        made = 0
        try:
            for _ in range(200):
                guard.before_call("same")
                made += 1
        except GuardTripped:
            pass
        return made

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(work, range(8))) == 500
    finally:
        sys.setswitchinterval(interval)


@pytest.mark.parametrize(
    ("ceiling", "value"),
    [("cost_usd", 0.5), ("steps", 1.0), ("steps", True), ("tokens", "5"), ("cost_usd", [])],
)
def test_no_float_is_a_ceiling(ceiling: str, value: object) -> None:
    with pytest.raises(TypeError, match=ceiling):
        RuntimeGuard(**{ceiling: value})  # type: ignore[arg-type]  # that is the point
    with pytest.raises(TypeError):
        RuntimeGuard(steps=1).after_model(cost_usd=0.1)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["-1", "NaN", "Infinity", "much"])
def test_what_is_no_amount_of_money_is_refused(value: str) -> None:
    with pytest.raises(ValueError, match="cost_usd"):
        RuntimeGuard(cost_usd=value)
    guard = RuntimeGuard(steps=1)
    with pytest.raises(ValueError, match="cost_usd"):
        guard.after_model(cost_usd=value)


def test_a_guard_without_a_ceiling_is_no_guard() -> None:
    with pytest.raises(ValueError, match="guards nothing"):
        RuntimeGuard()


def test_a_ceiling_of_zero_lets_nothing_through() -> None:
    assert calls_until_stopped(RuntimeGuard(steps=0)) == 0


@pytest.mark.parametrize("text", ["[]", "{}", '{"limits": 3}', '{"limits": {"speed": 3}}', "x"])
def test_only_an_export_is_read(text: str) -> None:
    with pytest.raises(ValueError, match=r"guard export|Expecting value"):
        RuntimeGuard.from_json(text)


def test_an_export_makes_a_guard() -> None:
    export = {"format_version": 1, "limits": {"steps": 2, "cost_usd": "3.00"}}
    assert calls_until_stopped(RuntimeGuard.from_json(json.dumps(export))) == 2


def test_it_needs_nothing_but_python_and_loads_only_when_asked_for() -> None:
    code = (
        "import sys, agentpolicy; assert 'agentpolicy.runtime_guard' not in sys.modules\n"
        "agentpolicy.RuntimeGuard(steps=1).before_call('a')\n"
        "assert {n for n in sys.modules if n.startswith('agentpolicy')} "
        "== {'agentpolicy', 'agentpolicy.runtime_guard'}, sorted(sys.modules)\n"
        "assert not {'click', 'pydantic', 'msgspec', 'rapidfuzz'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="no_such_thing"):
        _ = agentpolicy.no_such_thing
