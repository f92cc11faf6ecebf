"""Every leaf of every document, in a whole document, under every edit there is of it."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal

import pytest
from agentpolicy.documents.document import DocumentKind, Value
from agentpolicy.documents.rows import Kind, Row
from agentpolicy.loading.schemas import rows_of
from agentpolicy.order.change import Effect
from agentpolicy.order.classify import ChangeReport, classify
from agentpolicy.order.compare import Strictness
from tests.leaf_edits import DIRECTIONS, both_ways
from tests.policies import SCHEMAS, document, snapshot

PATHS = {
    DocumentKind.ROLES: "policies/roles.yaml",
    DocumentKind.TOOLS: "policies/tools.yaml",
    DocumentKind.BAND: "policies/bands/agent.yaml",
    DocumentKind.BUDGET: "policies/budgets/task.yaml",
    DocumentKind.BASELINE: "policies/baselines/agent.yaml",
    DocumentKind.WAIVER: "policies/waivers/w1.yaml",
}
PRESENCE = {"set", "unset"}
NUMBERS = PRESENCE | {"increase", "decrease"}
SETS = PRESENCE | {"add", "remove", "change"}
EDITS: Mapping[Kind, set[str]] = {
    Kind.MAX_LIMIT: NUMBERS,
    Kind.MIN_LIMIT: NUMBERS,
    Kind.SUBSET_OF: SETS,
    Kind.SUPERSET_OF: SETS,
    Kind.ADDITIONS: SETS,
    Kind.CHAIN: PRESENCE | {"change"},
    Kind.OPAQUE: PRESENCE | {"change"},
    Kind.RECORD: PRESENCE | {"change"},
    Kind.ROOT: PRESENCE | {"change"},
    Kind.VERSION: PRESENCE | {"change"},
}
"""The edits there are of a leaf of each kind."""

LEAVES = [
    pytest.param(kind, pointer, row, id=f"{kind}{pointer}")
    for kind in DocumentKind
    for pointer, row in rows_of(kind).items()
]


def edit_of(kind: Kind, old: Value | None, new: Value | None) -> str:
    """Name an edit by what it does, whatever it amounts to."""
    if old is None or new is None:
        return "set" if old is None else "unset"
    if kind in (Kind.MAX_LIMIT, Kind.MIN_LIMIT):
        return "increase" if size(new) > size(old) else "decrease"
    if isinstance(old, tuple) and isinstance(new, tuple) and kind is not Kind.ROOT:
        lost, gained = [x for x in old if x not in new], [x for x in new if x not in old]
        if not (lost and gained):
            return "remove" if lost else "add"
    return "change"


def size(value: Value) -> Decimal:
    return Decimal(str(value).removesuffix("x"))


def tree_with(pointer: str, value: Value | None) -> Mapping[str, Value]:
    """Make the least tree that has a value at a pointer; entries of lists are named."""
    below: Value | None = value
    above = ""
    for key in reversed(pointer.split("/")[1:]):
        if above == "*" and key == "fixtures":
            assert isinstance(below, Mapping)
            (entry,) = below.values() if below else ({},)
            assert isinstance(entry, Mapping)
            below = ({"id": "f", **entry},)
        below = {} if below is None else {"entry" if key == "*" else key: below}
        above = key
    assert isinstance(below, Mapping)
    return below


def change(kind: DocumentKind, pointer: str, old: Value | None, new: Value | None) -> ChangeReport:
    path = PATHS[kind]
    before = document(path, in_context(kind, pointer, old), "one")
    after = document(path, in_context(kind, pointer, new), "other")
    return classify(snapshot(before), snapshot(after), SCHEMAS)


def in_context(kind: DocumentKind, pointer: str, value: Value | None) -> Mapping[str, Value]:
    """Put beside the leaf what the comparison of the whole needs."""
    tree = dict(tree_with(pointer, value))
    if kind is DocumentKind.BUDGET:
        identity: Mapping[str, Value] = {"task_type": "t", "variant": "v"}
        return {**identity, **tree} if pointer[1:] in identity else {**tree, **identity}
    if pointer.endswith("/tolerance"):
        rule: Mapping[str, Value] = {"rule": "normalised"}
        if value is not None:
            rule = {**rule, "tolerance": value}
        return tree_with(pointer.removesuffix("/tolerance"), rule)
    return tree


EFFECTS = {
    Kind.RECORD: {Strictness.NEUTRAL: {Effect.RECORD}},
    Kind.VERSION: {Strictness.NEUTRAL: {Effect.RECORD}},
    Kind.ROOT: {Strictness.INCOMPARABLE: {Effect.ROOT}},
}


def cases() -> Iterator[object]:
    for kind in DocumentKind:
        for pointer, row in rows_of(kind).items():
            for rule, old, new, expected in both_ways():
                if rule == row.rule:
                    case = f"{kind}{pointer}: {old} to {new}"
                    yield pytest.param(kind, pointer, row, old, new, expected, id=case)


@pytest.mark.parametrize(("kind", "pointer", "row", "old", "new", "expected"), list(cases()))
def test_in_a_whole_document_an_edit_amounts_to_what_the_table_says(
    kind: DocumentKind,
    pointer: str,
    row: Row,
    old: Value | None,
    new: Value | None,
    expected: Strictness,
) -> None:
    report = change(kind, pointer, old, new)
    found = {finding.effect for finding in report.findings if finding.rule == row.rule}
    if expected is Strictness.NEUTRAL and not found:
        return
    assert found == EFFECTS.get(row.kind, {}).get(expected, {Effect(expected.value)})
    others = {finding.effect for finding in report.findings if finding.rule != row.rule}
    beside_waivers = {Effect.INCOMPARABLE} if kind is DocumentKind.WAIVER else set()
    assert others <= {Effect.NEUTRAL, Effect.RECORD, Effect.ROOT, *beside_waivers}


@pytest.mark.parametrize(("kind", "pointer", "row"), LEAVES)
def test_the_table_has_every_edit_of_every_leaf(
    kind: DocumentKind, pointer: str, row: Row, record_property: Callable[[str, object], None]
) -> None:
    edits = {
        edit_of(row.kind, old, new)
        for rule, old, new, expected in both_ways()
        if rule == row.rule and (expected is not Strictness.UNKNOWN or None in (old, new))
    }
    counts = {"edits of leaves": len(EDITS[row.kind]), "covered": len(edits & EDITS[row.kind])}
    record_property("did", {"of": "coverage by reflection", "counts": counts})
    assert edits >= EDITS[row.kind], f"{row.rule} at {pointer} lacks edits in tests.leaf_edits"


def test_no_rule_of_the_table_is_of_a_leaf_that_is_gone() -> None:
    rules = {row.rule for kind in DocumentKind for row in rows_of(kind).values()}
    inner = {rule for rule in DIRECTIONS if rule not in rules}
    assert all(
        rule.startswith(
            ("roles/key", "roles/reset-", "waiver/", "band/content", "baseline/accepted")
        )
        for rule in inner
    )
