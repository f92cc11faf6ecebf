"""The exact bound, held against the definition: whole binomial sums in fractions."""

from fractions import Fraction
from math import comb

import pytest
from agentpolicy.gate.bound import P95_SHARE, surely_at_least, surely_at_most
from hypothesis import given
from hypothesis import strategies as st


def by_definition(count: int, runs: int, limit: Fraction) -> bool:
    """Ask whether a true rate on the limit shows so few in at most one set of twenty."""
    if limit == 1:
        return True
    part, whole = limit.numerator, limit.denominator
    ways = sum(comb(runs, i) * part**i * (whole - part) ** (runs - i) for i in range(count + 1))
    return bool(20 * ways <= whole**runs)


limits = st.sampled_from([Fraction(part, whole) for whole in (1, 20, 100) for part in range(whole)])


@given(data=st.data(), runs=st.integers(1, 300), limit=limits)
def test_the_bound_is_the_one_of_clopper_and_pearson(
    data: st.DataObject, runs: int, limit: Fraction
) -> None:
    near = int(runs * limit)
    count = data.draw(st.integers(0, runs) | st.integers(near // 2, near))
    assert surely_at_most(count, runs, limit) is by_definition(count, runs, limit)


@pytest.mark.parametrize(
    ("count", "runs", "limit", "inside"),
    [
        (0, 58, "0.05", False),
        (0, 59, "0.05", True),
        (1, 92, "0.05", False),
        (1, 93, "0.05", True),
        (22, 204, "0.15", False),
        (22, 205, "0.15", True),
        (0, 1, "0.95", True),
        (0, 1, "0.9499999999999999999999999999999999", False),
    ],
)
def test_known_bounds_come_out_to_the_run(count: int, runs: int, limit: str, inside: bool) -> None:
    assert surely_at_most(count, runs, Fraction(limit)) is inside


def test_a_rate_of_nothing_is_never_proved_and_a_rate_of_all_always_is() -> None:
    assert not surely_at_most(0, 1_000_000, Fraction(0))
    assert not surely_at_least(1_000_000, 1_000_000, Fraction(1))
    assert surely_at_most(5, 5, Fraction(1))
    assert surely_at_least(0, 5, Fraction(0))


def test_a_floor_is_the_ceiling_of_what_is_not_there() -> None:
    assert surely_at_least(59, 59, Fraction("0.95"))
    assert not surely_at_least(58, 58, Fraction("0.95"))


def test_a_95th_percentile_needs_fifty_nine_runs() -> None:
    fewest = next(runs for runs in range(1, 100) if surely_at_most(0, runs, P95_SHARE))
    assert fewest == 59


def test_a_million_runs_are_decided_next_to_the_bound() -> None:
    assert surely_at_most(149_410, 1_000_000, Fraction("0.15"))
    assert not surely_at_most(149_420, 1_000_000, Fraction("0.15"))


@given(data=st.data(), runs=st.integers(1, 200), limit=limits)
def test_a_proved_rate_is_also_inside_as_measured_unless_all_are_allowed(
    data: st.DataObject, runs: int, limit: Fraction
) -> None:
    count = data.draw(st.integers(0, runs))
    if surely_at_most(count, runs, limit):
        assert count <= runs * limit
