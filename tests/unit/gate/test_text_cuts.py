"""A threshold between what is judged equivalent and what is not, or how the two overlap."""

from decimal import Decimal

import pytest
from agentpolicy.gate.text_cuts import Cuts, JudgedPair, cuts_of


def cuts(alike: list[str], other: list[str]) -> Cuts:
    pairs = [JudgedPair(Decimal(score), True) for score in alike]
    found = cuts_of(pairs + [JudgedPair(Decimal(score), False) for score in other])
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("alike", "other", "threshold"),
    [
        (["0.95", "0.97"], ["0.89", "0.2"], "0.92"),
        (["0.93"], ["0.92"], "0.93"),
        (["0.9003"], ["0.9001"], "0.9002"),
        (["0.9002"], ["0.9001"], "0.9002"),
        (["1"], ["0"], "0.5"),
    ],
)
def test_a_threshold_lies_above_all_others_and_stops_no_equivalent(
    alike: list[str], other: list[str], threshold: str
) -> None:
    found = cuts(alike, other)
    assert found.separable
    assert found.proposed is not None
    assert found.proposed.threshold == Decimal(threshold)
    assert (found.proposed.stopped, found.proposed.let_through) == (0, 0)
    assert found.highest_other < found.proposed.threshold <= found.lowest_equivalent


def test_an_overlap_is_told_with_what_each_cut_does() -> None:
    found = cuts(["0.88", "0.97", "0.93"], ["0.93", "0.5", "0.9"])
    assert not found.separable
    assert found.proposed is None
    assert (found.lowest_equivalent, found.highest_other) == (Decimal("0.88"), Decimal("0.93"))
    assert [(str(cut.threshold), cut.let_through, cut.stopped) for cut in found.cuts] == [
        ("0.88", 2, 0),
        ("0.9", 2, 1),
        ("0.93", 1, 1),
        ("0.9301", 0, 2),
    ]


def test_classes_that_touch_are_not_apart() -> None:
    found = cuts(["0.9", "0.95"], ["0.9"])
    assert not found.separable
    assert [(cut.let_through, cut.stopped) for cut in found.cuts] == [(1, 0), (0, 1)]


def test_the_bound_on_misses_is_exact() -> None:
    proposed = cuts(["0.9"] * 200, ["0.5"] * 59).proposed
    assert proposed is not None
    # 0.95 ** 59 < 1/20 <= 0.95 ** 58: of 59 pairs none missed proves at most 5 %.
    assert proposed.miss_rate_bound == Decimal("0.0496")
    assert (1 - proposed.miss_rate_bound) ** 59 <= Decimal("0.05")
    assert (1 - proposed.miss_rate_bound + Decimal("0.0001")) ** 59 > Decimal("0.05")
    assert proposed.alarm_rate_bound == Decimal("0.0149")


@pytest.mark.parametrize("kept", [True, False, None])
def test_one_kind_of_pair_alone_bounds_nothing(kept: bool | None) -> None:
    assert cuts_of([] if kept is None else [JudgedPair(Decimal("0.9"), kept)]) is None
