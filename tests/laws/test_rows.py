"""Every order row is right: turned round, or with another meaning of absence, it is found out.

The rows are read from the schemas, changed one at a time, and given to the classifier. What it
then calls tighter or neutral makes the real gate more willing, for every leaf that a gate reads.
So no leaf is there in vain either.
"""

import copy
import json
from collections.abc import Callable, Mapping
from itertools import islice

import pytest
from agentpolicy.documents.rows import ANY, X_ORDER, Kind, Reader, Row
from tests.laws import scenes
from tests.laws.held import BAND, BUDGET, Question, held
from tests.laws.leaves import VALUES, VARIED, Leaf, leaves
from tests.laws.policy_pairs import IDENTITY, Schemas
from tests.policies import SCHEMAS, declared_leaves

AT_MOST = 3_000
"""Pairs within which a wrong row must be found."""
READ = (Reader.RUN, Reader.RELEASE, Reader.ROUTE, Reader.WAIVER)
AT_ADMISSION = {
    f"{kind}/waiver-{rule}"
    for kind in ("band", "budget")
    for rule in ("max-open", "max-renewals", "approver")
}
"""Rules about waivers that are asked when one is added, and by no gate."""
ONE_VALUE = {"budget/per-run": "the schema knows one value"}
LEAVES = {
    leaf.rule: leaf
    for kind in VARIED
    for leaf in leaves(kind)
    if leaf.row.reader in READ and leaf.rule not in {*AT_ADMISSION, *ONE_VALUE, *IDENTITY}
}
FLIPPED = {
    Kind.MAX_LIMIT: Kind.MIN_LIMIT,
    Kind.MIN_LIMIT: Kind.MAX_LIMIT,
    Kind.SUBSET_OF: Kind.SUPERSET_OF,
    Kind.SUPERSET_OF: Kind.SUBSET_OF,
}
NO_LIMIT = {Kind.MAX_LIMIT: "1000", Kind.MIN_LIMIT: "-1000"}
NOTHING = {Kind.MAX_LIMIT: "0", Kind.MIN_LIMIT: "1000"}
WRITTEN_ALWAYS = {"budget/allowed-effects", "tools/effect"}
"""Leaves that are never absent while the object they are in is there."""


def turned(leaf: Leaf) -> Mapping[str, object]:
    """Turn a row round; one without a direction is taken for a record."""
    row = dict(leaf.row.as_json())
    if leaf.row.kind is Kind.CHAIN:
        row["chain"] = list(reversed(leaf.row.chain))
    elif leaf.row.kind in FLIPPED:
        row["kind"] = str(FLIPPED[leaf.row.kind])
        row.setdefault("absent", NO_LIMIT.get(leaf.row.kind, "[]"))
    else:
        row["kind"] = str(Kind.RECORD)
    return row


def otherwise_absent(leaf: Leaf) -> Mapping[str, object] | None:
    """Let absence mean the other end; None where there is no other."""
    row, kind, absent = dict(leaf.row.as_json()), leaf.row.kind, leaf.row.absent
    if leaf.rule in WRITTEN_ALWAYS or leaf.row.absent_same_as:
        return None
    match kind:
        case Kind.CHAIN:
            loosest = leaf.row.chain[-1]
            row["absent"] = loosest if absent != loosest else leaf.row.chain[0]
        case Kind.MAX_LIMIT | Kind.MIN_LIMIT:
            unit = "x" if str(VALUES[leaf.rule][0]).endswith("x") else ""
            ceiling = kind is Kind.MAX_LIMIT and absent is not None
            row["absent"] = NO_LIMIT[kind] if ceiling else NOTHING[kind] + unit
        case Kind.SUBSET_OF:
            row["absent"] = "[]" if absent == ANY else ANY
        case Kind.SUPERSET_OF:
            most = max((value for value in VALUES[leaf.rule] if value != "exact"), key=len)
            row["absent"] = json.dumps(most)
        case Kind.OPAQUE:
            row["absent"] = str(VALUES[leaf.rule][-1])
        case _:
            return None
    return row


def with_row(rule: str, row: Mapping[str, object]) -> Schemas:
    """Put a row in the place of the one that a leaf declares."""
    schemas = copy.deepcopy(dict(SCHEMAS))
    for leaf in declared_leaves(schemas):
        if leaf[X_ORDER]["rule"] == rule:
            leaf[X_ORDER] = Row.from_json(row).as_json()
    return schemas


_ROUTED = ("band/routing-full-gate-from", "band/text-threshold", "band/grade-text")
COMPANIONS: Mapping[str, tuple[str, ...]] = {
    "band/routing-base": _ROUTED,
    "band/routing-criticality": _ROUTED,
    "band/routing-crossing-weight": _ROUTED,
    "band/routing-shortfall-weight": _ROUTED,
    "band/waiver-evidence": ("band/text-threshold",),
    "band/waiver-max-days": ("band/text-threshold",),
    "budget/waiver-evidence": ("budget/amber-rate-max", "budget/steps-soft"),
    "budget/waiver-max-days": ("budget/amber-rate-max", "budget/steps-soft"),
    "band/argument-tolerance": ("band/argument-rule",),
    "tools/idempotent": ("band/tool-order",),
    "tools/identity-args": ("band/argument-rule",),
    "tools/requires": ("band/tool-order",),
}
"""Leaves that must be written too for a leaf to make a difference."""
SEEN_IN = {
    "band/waiver-evidence": "answers",
    "band/waiver-max-days": "answers",
    "tools/identity-args": "arguments",
}
"""The theme whose evidence shows a leaf, where it is not the first that has it."""


SCENES = {"tools/idempotent": scenes.EXCHANGED, "band/argument-tolerance": scenes.COUNTS}
"""Scenes for leaves that a wide search seldom comes to."""


def question_about(rule: str) -> Question:
    """Ask about the theme that a rule is seen in."""
    whole = BUDGET if any(rule in rules for rules in BUDGET.themes.values()) else BAND
    first = next(name for name, rules in whole.themes.items() if rule in rules)
    question = whole.among(SEEN_IN.get(rule, first)).moving(rule)
    if rule in COMPANIONS:
        question = question.writing(rule, *COMPANIONS[rule])
    return question.within(SCENES[rule]) if rule in SCENES else question


def search(leaf: Leaf, row: Mapping[str, object]) -> int | None:
    """Count the pairs until a wrong row is found out; None where it is not."""
    question = question_about(leaf.rule).classed_by(with_row(leaf.rule, row))
    tried = enumerate(islice(held(question, seed=1), AT_MOST), start=1)
    return next((number for number, one in tried if one.climbs), None)


Record = Callable[[str, object], None]
COUNTED = (Kind.VERSION,)
"""Kinds that admission counts and nothing orders."""
WITHIN = {"band/content-contains", "band/content-absent"}
"""Leaves inside a list that is compared as a whole."""


@pytest.mark.parametrize("leaf", [leaf for kind in VARIED for leaf in leaves(kind)])
def test_every_leaf_is_written_in_some_theme(leaf: Leaf) -> None:
    """A new field cannot come in without the theorem being asked about it."""
    if leaf.row.kind in COUNTED or leaf.rule in WITHIN:
        return
    themes = [*BUDGET.themes.values(), *BAND.themes.values()]
    assert leaf.rule in VALUES
    assert leaf.rule in IDENTITY or any(leaf.rule in rules for rules in themes)


@pytest.mark.parametrize("leaf", LEAVES.values(), ids=LEAVES)
def test_a_row_turned_round_is_found_out(leaf: Leaf, record_property: Record) -> None:
    number = search(leaf, turned(leaf))
    assert number is not None
    counts = {"pairs until each was found": number}
    record_property("did", {"of": f"rows turned round, all {len(LEAVES)}", "counts": counts})


ABSENT = {rule: row for rule, leaf in LEAVES.items() if (row := otherwise_absent(leaf)) is not None}


@pytest.mark.parametrize("rule", ABSENT)
def test_another_meaning_of_absence_is_found_out(rule: str, record_property: Record) -> None:
    number = search(LEAVES[rule], ABSENT[rule])
    assert number is not None
    counts = {"pairs until each was found": number}
    record_property("did", {"of": f"meanings of absence, all {len(ABSENT)}", "counts": counts})
