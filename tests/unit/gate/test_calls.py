"""How many tools are called, median over median."""

from decimal import Decimal

import pytest
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions import calls as calls_ratio
from agentpolicy.runs.record import RunRecord
from tests.evidence import calls, fields, fixture, run

PASS, FAIL, OPEN = Decision.PASS, Decision.FAIL, Decision.INCONCLUSIVE


def counted(count: int | None) -> RunRecord:
    return run(tool_calls=None if count is None else calls(*["look"] * count))


@pytest.mark.parametrize(
    ("before", "after", "result", "measured"),
    [
        ([2], [3], PASS, "1.5"),
        ([2], [4], FAIL, "2"),
        ([3], [5], FAIL, "1.6667"),
        ([4], [0], PASS, "0"),
        ([0], [0], PASS, None),
        ([0], [1], FAIL, None),
        ([1, 2, 9], [3, 3, 3], PASS, "1.5"),
        ([2], [None], OPEN, None),
        ([None], [1], OPEN, None),
        ([2, 2, 2], [4, 4, None], FAIL, "2"),
        ([2, 2, 2], [3, 3, None], PASS, "1.5"),
    ],
)
def test_tool_calls_compare_median_to_median(
    before: list[int | None], after: list[int | None], result: Decision, measured: str | None
) -> None:
    pair = fixture([counted(one) for one in before], *[counted(one) for one in after])
    (finding,) = calls_ratio.judge(fields(tool_calls_ratio=Decimal("1.5")), pair)
    assert (finding.result, finding.measured) == (result, measured)


def test_an_absent_ratio_is_not_judged() -> None:
    assert not list(calls_ratio.judge(fields(), fixture([counted(1)], counted(9))))
