"""The theorem: what an owner may change alone never makes the gate more willing.

The oracle is the real gate, called on both policies of a pair. No change that is classed tighter
or neutral moves a decision up fail < inconclusive < pass_with_waivers < pass, nor the route of an
accepted release toward `no_op`.
"""

from collections.abc import Callable

import pytest
from tests.laws.held import BAND, BUDGET, RELEASE, Question, Search, held

EVERYDAY = (
    *((BUDGET, seed, 2_500) for seed in range(4)),
    *((BAND, seed, 2_500) for seed in range(4)),
    *((RELEASE, seed, 1_500) for seed in range(2)),
)
"""20,000 pairs of runs and 3,000 of releases."""
AT_LENGTH = (
    *((BUDGET, seed, 12_500) for seed in range(100, 140)),
    *((BAND, seed, 12_500) for seed in range(100, 140)),
    *((RELEASE, seed, 7_500) for seed in range(100, 140)),
)
"""1,000,000 pairs of runs and 300,000 of releases, by seeds so that workers can share them."""


def named(value: object) -> str | None:
    return value.name if isinstance(value, Question) else None


def hold(question: Question, seed: int, amount: int, record: Callable[[str, object], None]) -> None:
    """Hold the theorem on a seed's pairs, and refuse a search that could not have found much."""
    search = Search()
    for one in held(question, seed):
        assert not one.climbs, one
        search.note(one.old, one.new)
        if search.pairs == amount:
            break
    record("did", {"of": f"soundness, {question.name}", "counts": search.did})
    for accepted in (search.old_accepts, search.new_accepts):
        assert amount / 5 <= accepted <= amount * 19 / 20, search
    assert search.moved >= amount / 50, search
    assert search.waived >= amount / 200, search
    assert search.close >= amount / 20, search


@pytest.mark.parametrize(("question", "seed", "amount"), EVERYDAY, ids=named)
def test_no_tightening_makes_the_gate_more_willing(
    question: Question, seed: int, amount: int, record_property: Callable[[str, object], None]
) -> None:
    hold(question, seed, amount, record_property)


@pytest.mark.long
@pytest.mark.parametrize(("question", "seed", "amount"), AT_LENGTH, ids=named)
def test_no_tightening_makes_the_gate_more_willing_at_length(
    question: Question, seed: int, amount: int, record_property: Callable[[str, object], None]
) -> None:
    hold(question, seed, amount, record_property)
