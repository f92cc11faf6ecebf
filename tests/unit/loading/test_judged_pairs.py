"""Judged pairs, one a line."""

import json
from decimal import Decimal

import pytest
from agentpolicy.base.errors import InputError
from agentpolicy.gate.text_cuts import JudgedPair
from agentpolicy.loading.judged_pairs import read_judged_pairs


def read(*lines: object, scorer: str | None = None) -> tuple[JudgedPair, ...]:
    text = "".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in lines)
    return read_judged_pairs("pairs.jsonl", text.encode(), scorer)


def test_texts_are_scored_here() -> None:
    assert read({"before": "abcd", "after": "abce", "equivalent": True}) == (
        JudgedPair(Decimal("0.75"), True),
    )


def test_a_score_is_taken_as_recorded_and_cut_to_four_places() -> None:
    line = '{"id": "1", "score": 0.92349, "equivalent": false}'
    assert read(line, scorer="other@2") == (JudgedPair(Decimal("0.9234"), False),)


def test_another_scorer_s_score_counts_and_not_the_texts() -> None:
    both = '{"before": "a", "after": "b", "score": 0.5, "equivalent": true}'
    assert read(both, scorer="other@2")[0].score == Decimal("0.5")
    assert read(both)[0].score == 0


def test_a_score_of_an_unnamed_scorer_means_nothing() -> None:
    with pytest.raises(InputError) as refused:
        read({"score": 0.5, "equivalent": True})
    assert "--scorer" in refused.value.problems[0].hint


@pytest.mark.parametrize(
    "line",
    [
        '{"before": "a", "after": "b"}',
        '{"before": "a", "after": "b", "equivalent": "yes"}',
        '{"before": "a", "equivalent": true}',
        '{"before": 1, "after": 2, "equivalent": true}',
        '{"before": "a", "after": "b", "equivalent": true, "judge": "ann"}',
        '{"score": 1.5, "equivalent": true}',
        '{"score": NaN, "equivalent": true}',
        '{"score": true, "equivalent": true}',
        "[]",
        "{",
    ],
)
def test_every_line_that_is_no_judged_pair_is_refused_with_its_place(line: str) -> None:
    scorer = "other@2" if "score" in line else None
    with pytest.raises(InputError) as refused:
        read({"before": "a", "after": "b", "score": 0.5, "equivalent": True}, line, scorer=scorer)
    assert str(refused.value.problems[0].position).startswith("pairs.jsonl:2:")
