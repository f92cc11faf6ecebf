"""The class of a change, derived in words from counts that anybody can check."""

import pytest
from agentpolicy.report.diff_derivation import derivation
from tests.golden import Example

BECAUSE = [
    ("admitted/budget-steps-hard/lowered", "tighter",
     "1 finding tightens and none goes the other way"),
    ("admitted/mixed/a-record-beside-a-tightening", "tighter",
     "1 finding tightens and the others move no rule"),
    ("refused/budget-steps-hard/raised", "looser",
     "1 finding loosens and none goes the other way"),
    ("refused/mixed/lower-and-higher-that-both-loosen", "looser",
     "2 findings loosen and none goes the other way"),
    ("refused/mixed/soft-raised-while-hard-falls", "incomparable",
     "1 finding loosens and 1 finding tightens"),
    ("refused/band-required-keys/exact-to-list", "incomparable", "1 finding has no order"),
    ("refused/roles-threshold/lowered", "incomparable", "1 finding is of the trust root"),
    ("admitted/document-rewritten/trailing-zeros", "neutral", "no finding moves a rule"),
    ("refused/document-unreadable/a-key-twice", "unknown", "1 finding cannot be classed"),
]  # fmt: skip
FOLLOWS = {
    "neutral": "nothing is accepted or refused that was not before",
    "tighter": "nothing is accepted that was not before",
    "looser": "something can be accepted that was not, so others must agree",
    "incomparable": "something can be accepted that was not, and no tightening beside it takes "
    "that back, so others must agree",
    "unknown": "what nobody can class is taken for a loosening",
}


@pytest.mark.parametrize(("name", "change_class", "because"), BECAUSE)
def test_the_sentence_counts_what_moves_the_class_and_says_what_follows(
    name: str, change_class: str, because: str
) -> None:
    sentence = f"{change_class}, since {because}: {FOLLOWS[change_class]}"
    assert list(derivation(Example(name).report)) == [sentence]


def test_several_documents_are_each_derived() -> None:
    lines = list(derivation(Example("refused/mixed/one-document-tighter-another-looser").report))
    assert lines[0].startswith("incomparable, since 1 finding loosens and 1 finding tightens")
    assert lines[1:] == [
        "policies/bands/agent.yaml: tighter, since 1 finding tightens and none goes the other way",
        "policies/budgets/task.yaml: looser, since 1 finding loosens and none goes the other way",
    ]


def test_no_change_needs_no_derivation() -> None:
    report = Example("admitted/document-rewritten/comments").report
    assert list(derivation(type(report)(report.change_class, (), report.compared))) == []
