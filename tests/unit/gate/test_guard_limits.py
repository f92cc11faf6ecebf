"""The ceilings of a runtime guard lie above the gate's own limits."""

from decimal import Decimal

from agentpolicy.documents.models.budget import Budget
from agentpolicy.gate.guard_limits import guard_limits
from hypothesis import given
from hypothesis import strategies as st
from tests.evidence import budget

LIMITS = {"steps": {"hard": "25"}, "cost_usd": {"hard": "1.50"}, "tokens": {"soft": "9"}}


def guarded(**guard: int) -> Budget:
    tree = budget(LIMITS).model_dump(exclude_none=True) | {"runtime_guard": guard}
    return Budget.model_validate(tree)


def test_what_the_budget_says_is_exported_beside_the_limit_below_it() -> None:
    found = guard_limits(guarded(steps=60, identical_calls=5), None)
    assert [(one.name, one.text, one.hard, one.declared) for one in found.ceilings] == [
        ("steps", "60", Decimal(25), True),
        ("identical_calls", "5", None, True),
    ]
    assert found.unguarded == ("cost_usd",)


def test_a_headroom_fills_what_the_budget_leaves_out() -> None:
    found = guard_limits(guarded(steps=60), Decimal("1.5"))
    assert [(one.name, one.text, one.declared) for one in found.ceilings] == [
        ("steps", "60", True),
        ("cost_usd", "2.25", False),
    ]
    assert found.unguarded == ("identical_calls",)


@given(
    hard=st.decimals("0", "1000", places=2),
    headroom=st.decimals("1.01", "3", places=2),
)
def test_every_ceiling_is_above_the_hard_limit(hard: Decimal, headroom: Decimal) -> None:
    limits = {"steps": {"hard": hard}, "tokens": {"hard": hard}, "cost_usd": {"hard": hard}}
    for one in guard_limits(budget(limits), headroom).ceilings:
        assert one.hard is not None
        assert one.limit > one.hard
