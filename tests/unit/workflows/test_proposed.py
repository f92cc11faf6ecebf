"""A proposed change is ready to sign, and touches nothing else."""

from decimal import Decimal

import pytest
from agentpolicy.base.errors import AgentPolicyError
from agentpolicy.loading.document import read_document
from agentpolicy.order.change import ChangeClass
from agentpolicy.workflows.numbers.proposed import propose
from tests.policy_repo import BUDGET, BUDGET_PATH

DOCUMENT = read_document(BUDGET_PATH, BUDGET.encode())


def test_every_other_byte_of_the_file_stays() -> None:
    found = propose({("budget", "steps", "hard"): 20}, DOCUMENT)
    assert found.yaml == BUDGET.replace("hard: 25", "hard: 20")
    assert found.change_class is ChangeClass.TIGHTER
    assert [line for line in found.changes if line.startswith("+ ")] == [
        "+  steps:      { soft: 12,   hard: 20 }"
    ]


def test_a_change_is_classed_as_it_will_be_when_it_is_signed() -> None:
    assert propose({("budget", "steps", "hard"): 30}, DOCUMENT).change_class is ChangeClass.LOOSER
    same = propose({("budget", "steps", "hard"): 25}, DOCUMENT)
    assert (same.change_class, same.changes) == (ChangeClass.NEUTRAL, ())


def test_new_keys_are_written_and_others_taken_out() -> None:
    found = propose(
        {("budget", "tokens", "hard"): 900, ("budget", "steps", "soft"): None}, DOCUMENT
    )
    tree = read_document(BUDGET_PATH, found.yaml.encode()).tree["budget"]
    assert isinstance(tree, dict)
    assert tree["tokens"] == {"hard": 900}
    assert tree["steps"] == {"hard": 25}


def test_without_a_file_the_lines_are_yaml() -> None:
    found = propose(
        {
            ("budget", "steps", "soft"): 6,
            ("budget", "steps", "hard"): 9,
            ("budget", "cost_usd", "hard"): Decimal("0.60"),
            ("budget", "tokens", "soft"): None,
        },
        None,
    )
    assert found.yaml == "budget:\n  steps: {soft: 6, hard: 9}\n  cost_usd: {hard: 0.60}\n"
    assert found.change_class is None


def test_a_change_that_contradicts_the_rest_of_the_file_is_not_proposed() -> None:
    with pytest.raises(AgentPolicyError):
        propose({("budget", "steps", "hard"): 5}, DOCUMENT)
