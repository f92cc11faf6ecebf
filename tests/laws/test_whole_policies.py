"""The laws of strictness over whole policies, on the very pairs the theorem is held on.

A chain of changes that an owner may make alone leads to nothing looser; the way back is the
mirror; another spelling is no change, to the classifier and to the gate; and of what is called
looser a witness is found. That every leaf lets something through when it is loosened is the law of
the rows.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from itertools import islice
from random import Random

import pytest
from agentpolicy.documents.document import Snapshot
from agentpolicy.order.change import Effect, Finding
from agentpolicy.order.classify import ChangeClass, classify
from agentpolicy.workflows.witness import witness_of
from tests.laws.held import BAND, BUDGET, RELEASE, Held, Question, climbs, held, route_of
from tests.laws.policy_pairs import (
    OWNER_ONLY,
    RELEASE_THEMES,
    Pair,
    Policy,
    class_of,
    leaves_of,
    owner_only,
    pairs,
)
from tests.policies import SCHEMAS, document, snapshot

Record = Callable[[str, object], None]
MIRROR = {ChangeClass.TIGHTER: ChangeClass.LOOSER, ChangeClass.NEUTRAL: ChangeClass.NEUTRAL}
PAIRS, SEARCHED = 500, 3_000


def drawn(seed: int, amount: int) -> Iterator[Pair]:
    return islice(pairs(Random(seed), RELEASE_THEMES), amount)


def test_the_way_back_of_a_policy_is_the_mirror(record_property: Record) -> None:
    moved = 0
    for pair in drawn(1, PAIRS):
        there, back = class_of(pair.old, pair.new), class_of(pair.new, pair.old)
        assert back is MIRROR[there]
        moved += there is ChangeClass.TIGHTER
    assert moved >= PAIRS / 2
    record_property("did", {"of": "mirror", "counts": {"pairs": PAIRS, "tighter": moved}})


def test_a_chain_of_changes_an_owner_may_make_ends_in_nothing_looser(
    record_property: Record,
) -> None:
    random, links = Random(2), 0
    for pair in drawn(2, PAIRS):
        choice = leaves_of(pair.themes, RELEASE_THEMES)
        first = state = pair.old
        for _ in range(4):
            following = owner_only(random, state, choice, 1)
            links += following is not state
            state = following
        assert state is first or class_of(first, state) in OWNER_ONLY
    assert links >= 2 * PAIRS
    record_property("did", {"of": "chains", "counts": {"chains": PAIRS, "links": links}})


def respelled(value: object) -> object:
    """Write numbers with one more zero, and lists and keys in another order."""
    if isinstance(value, Mapping):
        return {key: respelled(below) for key, below in reversed(list(value.items()))}
    if isinstance(value, tuple):
        return tuple(respelled(item) for item in reversed(value))
    if isinstance(value, str) and value.endswith("x") and value[:-1].replace(".", "").isdigit():
        return f"{value[:-1]}0x"
    return value.scaleb(-1) * 10 if isinstance(value, Decimal) else value


def spelled_anew(policy: Policy) -> Policy:
    trees = {kind: respelled(tree) for kind, tree in policy.trees.items()}
    return Policy(trees)  # type: ignore[arg-type]  # a tree stays a tree


def rewritten(policy: Policy) -> Snapshot:
    documents = spelled_anew(policy).documents.values()
    return snapshot(*(document(one.path, one.tree, "other bytes") for one in documents))


@pytest.mark.parametrize("question", [BUDGET, BAND, RELEASE], ids=lambda one: one.name)
def test_another_spelling_is_no_change_to_the_classifier_nor_to_the_gate(
    question: Question, record_property: Record
) -> None:
    for one in islice(held(question, seed=3), PAIRS):
        policy = one.pair.old
        assert classify(policy.snapshot, rewritten(policy), SCHEMAS).change_class is (
            ChangeClass.NEUTRAL
        )
        again = question.judge(spelled_anew(policy), one.evidence)
        assert again.decision is one.old.decision
        assert route_of(again) is route_of(one.old)
    record_property("did", {"of": "respelled", "counts": {"policies": PAIRS}})


def loosened(one: Held) -> Finding | None:
    """Give the one leaf that the way back loosens, where the gate is then more willing."""
    if not climbs(one.new, one.old):
        return None
    findings = classify(one.pair.new.snapshot, one.pair.old.snapshot, SCHEMAS).findings
    looser = [found for found in findings if found.effect is Effect.LOOSER]
    return looser[0] if len(looser) == 1 else None


@pytest.mark.parametrize("question", [BUDGET, BAND], ids=lambda one: one.name)
def test_what_the_gate_lets_through_after_a_loosening_has_a_witness(
    question: Question, record_property: Record
) -> None:
    """The witness need not be the evidence of the search, and is not always found.

    Beside other limits, or under a grade that only warns, the simple evidence that is tried may
    show no difference. The share that is found says how much that is.
    """
    rules, without = Counter[str](), Counter[str]()
    for one in islice(held(question, seed=5), SEARCHED):
        finding = loosened(one)
        if finding is not None:
            rules[finding.rule] += 1
            found = witness_of(finding, one.pair.new.snapshot, one.pair.old.snapshot)
            without[finding.rule] += found is None
    seen, missed = rules.total(), without.total()
    counts = {"loosenings the gate shows": seen, "with a witness": seen - missed}
    record_property("did", {"of": "exactness", "counts": counts})
    assert len(rules) >= 10
    assert missed <= seen / 5, without
    assert all(without[rule] < rules[rule] for rule in rules if rules[rule] >= 10), without
