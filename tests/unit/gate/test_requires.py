"""Prerequisites, judged on the candidate alone."""

from typing import Any

import pytest
from agentpolicy.gate.catalogue import catalogue_of
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions import requires
from agentpolicy.gate.finding import Finding
from agentpolicy.runs.record import RunRecord, ToolCall
from tests.evidence import calls, fixture, run, tools

PASS, FAIL, OPEN = Decision.PASS, Decision.FAIL, Decision.INCONCLUSIVE
CATALOGUE = catalogue_of(
    tools(
        search={"effect": "read", "idempotent": True},
        fetch={"effect": "read", "idempotent": True},
        counter={"effect": "read"},
        write={"effect": "write", "idempotent": True, "requires": ("fetch",)},
        wipe={"effect": "destructive", "idempotent": True},
    )
)


def only(findings: Any) -> Finding:  # noqa: ANN401 - any iterator of findings
    (finding,) = findings
    assert isinstance(finding, Finding)
    return finding


def called(*named: str | ToolCall) -> RunRecord:
    return run(tool_calls=calls(*named))


def required(*attempts: RunRecord) -> list[Decision]:
    return [finding.result for finding in requires.judge(fixture([run()], *attempts), CATALOGUE)]


def test_a_prerequisite_must_have_succeeded_before() -> None:
    assert required(called("fetch", "write")) == [PASS]
    assert required(called("write", "fetch")) == [FAIL]
    assert required(called("write")) == [FAIL]
    assert required(called("search")) == [PASS]


@pytest.mark.parametrize(("status", "result"), [("ok", PASS), ("error", FAIL), (None, OPEN)])
def test_only_a_call_known_to_have_succeeded_counts(status: str | None, result: Decision) -> None:
    assert required(called(ToolCall("fetch", {}, status), "write")) == [result]


def test_a_later_certain_breach_beats_an_earlier_doubt() -> None:
    doubtful = ToolCall("fetch", {}, None)
    other = catalogue_of(
        tools(
            write={"effect": "write", "requires": ("fetch",)},
            pay={"effect": "write", "requires": ("check",)},
        )
    )
    found = requires.judge(fixture([run()], called(doubtful, "write", "pay")), other)
    assert only(found).result is FAIL


@pytest.mark.parametrize("effect", ["read", "write", "destructive"])
def test_a_prerequisite_is_one_whatever_its_own_effect(effect: str) -> None:
    other = catalogue_of(
        tools(write={"effect": "write", "requires": ("fetch",)}, fetch={"effect": effect})
    )
    found = requires.judge(fixture([run()], called("write", "fetch")), other)
    assert only(found).result is FAIL


def test_prerequisites_hold_though_the_reference_breaks_them() -> None:
    broken = fixture([called("write")], called("write"))
    assert only(requires.judge(broken, CATALOGUE)).result is FAIL
