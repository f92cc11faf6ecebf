"""Whether repeats differ beyond the noise floor."""

import pytest
from agentpolicy.gate.spread import unsteady
from agentpolicy.runs.record import RunRecord
from tests.evidence import calls, fixture, run


def said(*answers: str | None) -> list[RunRecord]:
    return [run(attempt=number, final_answer=answer) for number, answer in enumerate(answers)]


@pytest.mark.parametrize(
    ("references", "attempts", "expected"),
    [
        (["xx"], ["xx", "xx"], False),
        (["xx"], ["xx", "xy"], True),
        (["xx", "xy"], ["xx", "xy"], False),
        (["xx", "xy"], ["yy", "yx"], False),
        (["xx", "xy"], ["xx", "yy"], True),
        (["xx"], ["yy"], False),
        (["xx"], [None, "yy"], False),
        (["xx"], [], False),
    ],
)
def test_answers_spread_further_than_the_references_do(
    references: list[str], attempts: list[str | None], expected: bool
) -> None:
    assert unsteady([fixture(said(*references), *said(*attempts))]) is expected


def test_routes_spread_further_than_the_references_do() -> None:
    one, two = (run(tool_calls=calls(*names)) for names in (["a", "b"], ["b", "a"]))
    assert unsteady([fixture([one], one, two)])
    assert not unsteady([fixture([one, two], one, two)])
    assert not unsteady([fixture([one], two)])
    assert not unsteady([fixture([one], one, run())])
