"""Every leaf of every document, every edit of it, and the direction it must go."""

from collections.abc import Iterator, Mapping
from decimal import Decimal

import pytest
from agentpolicy.documents.document import Value
from agentpolicy.documents.rows import X_ORDER, Kind, Reader, Row
from agentpolicy.order.compare import Strictness, compare
from tests.policies import SCHEMAS

N, T, L = Strictness.NEUTRAL, Strictness.TIGHTER, Strictness.LOOSER
I, U = Strictness.INCOMPARABLE, Strictness.UNKNOWN  # noqa: E741 - the five answers in one letter
MIRROR = {N: N, T: L, L: T, I: I, U: U}

LOW, HIGH = Decimal("0.90"), Decimal("0.94")
A, AB, AC = ("a",), ("a", "b"), ("a", "c")
DAY, LATER = "2026-03-01", "2026-04-01"

CEILING = ((HIGH, LOW, T), (None, HIGH, T), (HIGH, Decimal("0.940"), N))
FLOOR = ((LOW, HIGH, T), (None, LOW, T), (LOW, Decimal("0.9"), N))
REQUIRED = ((A, AB, T), (AB, AC, I), (None, A, T), (None, (), N), (AB, ("b", "a"), N))
ALLOWED = ((AB, A, T), (AB, AC, I), (AB, ("b", "a", "a"), N), (None, A, U))
RECORD = (("x", "y", N), (None, "x", N))
VERSION = ((1, 2, N), (None, 1, N))
OPAQUE = (("x", "y", I), (None, "x", I), ("x", "x", N))
GRADE = (("warn", "fail", T), (None, "warn", L), (None, "fail", N), ("fail", "note", U))
WEIGHT = ((1, 2, T), (None, 2, T), (None, Decimal("0.5"), L), (None, 1, N), (None, Decimal(1), N))
EXTRA_WEIGHT = ((1, 2, T), (None, 1, T), (None, 0, N))
GUARD = ((200, 100, T), (None, 100, T), (100, Decimal(100), N))
LEAST_COUNT = ((1, 3, T), (None, 3, T), (None, 1, N))
SIX = ("fixture_id", "field", "measured", "band", "reason", "change_link")
EVIDENCE = (
    (None, SIX, N),
    (None, (*SIX, "trace"), T),
    ((*SIX, "trace"), (*SIX, "screen"), I),
    (None, ("reason",), L),
    (SIX, ("trace",), I),
)
DAYS = ((30, 14, T), (None, 14, T), (None, 30, N), (None, 60, L))
RENEWALS = ((2, 1, T), (None, 1, T), (None, 2, N), (None, 3, L))
ACCEPTED = {"fixture_id": "f", "before": "sha256:1", "after": "sha256:2", "reason": "cited"}
MORE = {**ACCEPTED, "after": "sha256:3"}

DIRECTIONS: Mapping[str, tuple[tuple[Value | None, Value | None, Strictness], ...]] = {
    "band/version": VERSION,
    "band/approved-by": RECORD,
    "band/approved-on": ((DAY, LATER, N), (None, DAY, N)),
    "band/text-threshold": FLOOR,
    "band/text-calibrated-on": RECORD,
    "band/required-keys": (
        *REQUIRED,
        ("exact", A, I),
        ("exact", ("exact",), I),
        (None, "exact", T),
        ((), "exact", T),
        ("exact", "exact", N),
    ),
    "band/optional-keys": (
        ("allowed", "forbidden", T),
        (None, "forbidden", T),
        (None, "allowed", N),
        ("forbidden", "sometimes", U),
    ),
    "band/tool-order": (
        ("any", "same_unless_idempotent", T),
        ("same_unless_idempotent", "exact", T),
        ("any", "exact", T),
        ("any", None, T),
        ("exact", None, N),
        ("exact", "roughly", U),
    ),
    "band/latency-p50-warn": (("3.0x", "1.5x", T), (None, "1.5x", T), ("1.5x", "1.50x", N)),
    "band/latency-p50-fail": (
        ("10x", "9x", T),
        (None, "3.0x", T),
        ("3.0x", "3x", N),
        ("3x", Decimal(2), U),
    ),
    "band/token-ratio-min": FLOOR,
    "band/token-ratio-max": CEILING,
    "band/text-scorer": (
        ("lexical-indel@1", "lexical-indel@2", I),
        (None, "lexical-indel@1", N),
        (None, "embedding@3", I),
    ),
    "band/text-class-threshold": FLOOR,
    "band/facts": (
        ("kept", "equal", T),
        ("off", "kept", T),
        (None, "kept", T),
        (None, "off", N),
        ("kept", "most", U),
    ),
    "band/required-content": (
        (("cites_source",), ("cites_source", {"contains": "ISO"}), T),
        (({"contains": "a"},), ({"contains": "b"},), I),
        (({"contains": "a"},), ({"absent": "a"},), I),
        (({"contains": "a"}, "must_refuse"), ("must_refuse", {"contains": "a"}), N),
        (({"contains": "a"},), ('{"contains": "a"}',), I),
        (None, ("must_refuse",), T),
        (None, (), N),
    ),
    "band/content-contains": OPAQUE,
    "band/content-absent": OPAQUE,
    "band/argument-rule": (
        ("normalised", "exact", T),
        ("similar(0.9)", "normalised", T),
        ("similar(1)", "normalised", T),
        ("ignored", "similar(0)", T),
        ("ignored", "exact", T),
        ("similar(0.85)", "similar(0.9)", T),
        ("similar(0)", "similar(1)", T),
        ("similar(0.90)", "similar(0.9)", N),
        (None, "exact", N),
        (None, "normalised", L),
        (None, "similar(0.99)", L),
        (None, "ignored", L),
        ("exact", "similar", U),
        ("exact", "similar()", U),
        ("exact", "similar(2)", U),
        ("exact", "alike(0.9)", U),
        ("exact", Decimal("0.9"), U),
    ),
    "band/argument-tolerance": (
        (HIGH, LOW, T),
        (None, LOW, L),
        (None, 0, N),
        (None, Decimal("0.00"), N),
    ),
    "band/latency-p95": (("3.0x", "2x", T), (None, "2x", T), ("2x", "2.0x", N)),
    "band/tool-calls-ratio": CEILING,
    "band/grade-text": GRADE,
    "band/grade-facts": GRADE,
    "band/grade-arguments": GRADE,
    "band/grade-latency-p50": GRADE,
    "band/grade-latency-p95": GRADE,
    "band/grade-token-ratio": GRADE,
    "band/grade-tool-calls-ratio": GRADE,
    "band/comparability-minimum": (
        ("partially comparable", "comparable", T),
        ("unknown", "partially comparable", T),
        (None, "comparable", T),
        (None, "unknown", N),
        ("unknown", "not comparable", U),
    ),
    "band/comparability-varies": (
        (AB, A, T),
        (AB, AC, I),
        (None, A, L),
        (None, (), N),
    ),
    "band/repeats": LEAST_COUNT,
    "band/sample-min": LEAST_COUNT,
    "band/routing-base": EXTRA_WEIGHT,
    "band/routing-crossing-weight": WEIGHT,
    "band/routing-criticality": WEIGHT,
    "band/routing-shortfall-weight": EXTRA_WEIGHT,
    "band/routing-nondeterminism": EXTRA_WEIGHT,
    "band/routing-fast-review-from": ((2, 1, T), (None, 1, L), (None, 0, N)),
    "band/routing-full-gate-from": CEILING,
    "band/drift-z-max": ((3, 2, T), (None, 2, T), (None, 4, L), (None, 3, N)),
    "band/drift-jaccard-min": (
        (LOW, HIGH, T),
        (None, LOW, T),
        (None, Decimal("0.4"), L),
        (None, Decimal("0.5"), N),
    ),
    "band/drift-warmup": ((10, 20, I), (None, 20, I), (None, 10, N)),
    "band/waiver-evidence": EVIDENCE,
    "band/waiver-max-days": DAYS,
    "band/waiver-max-renewals": RENEWALS,
    "band/waiver-max-open": ((3, 1, T), (None, 3, T), (3, 3, N)),
    "band/waiver-approver": (
        ("reviewer", "platform-owner", T),
        (None, "platform-owner", T),
        (None, "reviewer", N),
    ),
    "baseline/version": VERSION,
    "baseline/runs": OPAQUE,
    "baseline/fixture": OPAQUE,
    "baseline/fixture-class": OPAQUE,
    "baseline/fixture-criticality": OPAQUE,
    "baseline/fixture-task-type": OPAQUE,
    "baseline/fixture-variant": OPAQUE,
    "baseline/fixture-attempts": ((1, 3, I), (None, 3, I), (None, 1, N)),
    "baseline/re-baselined": (
        ((ACCEPTED,), ({**ACCEPTED, "reason": "better"},), I),
        ((ACCEPTED,), (MORE,), I),
        ((ACCEPTED, MORE), (MORE, ACCEPTED), N),
        (None, (), N),
    ),
    "baseline/accepted-fixture": OPAQUE,
    "baseline/accepted-before": OPAQUE,
    "baseline/accepted-after": OPAQUE,
    "baseline/accepted-reason": OPAQUE,
    "budget/version": VERSION,
    "budget/task-type": OPAQUE,
    "budget/variant": OPAQUE,
    "budget/steps-soft": CEILING,
    "budget/steps-hard": (*CEILING, (25, Decimal("25.0"), N), (25, "25", U), (25, True, U)),
    "budget/cost-soft": CEILING,
    "budget/cost-hard": CEILING,
    "budget/latency-soft": CEILING,
    "budget/latency-hard": CEILING,
    "budget/tokens-soft": CEILING,
    "budget/tokens-hard": CEILING,
    "budget/latency-measures": (
        ("total", "time_to_useful", I),
        (None, "time_to_useful", I),
        (None, "total", N),
    ),
    "budget/allowed-effects": (*ALLOWED, (A, "any", U)),
    "budget/evaluators": ((AB, A, T), (AB, AC, I), (None, A, T), (None, (), T), (A, "any", U)),
    "budget/per-run": OPAQUE,
    "budget/amber-rate-max": CEILING,
    "budget/p95-cost": CEILING,
    "budget/pass-rate-min": FLOOR,
    "budget/unsafe-rate-max": (
        (HIGH, LOW, T),
        (None, LOW, L),
        (None, 0, N),
        (None, Decimal("0.0"), N),
    ),
    "budget/sample-min": LEAST_COUNT,
    "budget/decision": (
        ("point", "bound", T),
        (None, "bound", T),
        (None, "point", N),
        ("point", "mean", U),
    ),
    "budget/guard-steps": GUARD,
    "budget/guard-tokens": GUARD,
    "budget/guard-cost": GUARD,
    "budget/guard-identical-calls": GUARD,
    "budget/value-per-success": ((LOW, HIGH, N), (None, LOW, N)),
    "budget/waiver-evidence": EVIDENCE,
    "budget/waiver-max-days": DAYS,
    "budget/waiver-max-renewals": RENEWALS,
    "budget/waiver-max-open": ((3, 1, T), (None, 3, T), (3, 3, N)),
    "budget/waiver-approver": (
        ("platform-owner", "reviewer", I),
        (None, "platform-owner", N),
    ),
    "budget/declared": ((DAY, LATER, N), (None, DAY, N)),
    "budget/review": RECORD,
    "tools/version": VERSION,
    "tools/effect": (
        ("read", "write", T),
        ("write", "destructive", T),
        ("read", "destructive", T),
        (None, "destructive", N),
        (None, "write", L),
        (None, "read", L),
        ("read", "reads", U),
    ),
    "tools/idempotent": (
        (True, False, T),
        (None, False, N),
        (None, True, L),
        (True, 1, U),
    ),
    "tools/requires": REQUIRED,
    "tools/identity-args": REQUIRED,
    "waiver/id": OPAQUE,
    "waiver/agent": OPAQUE,
    "waiver/task-type": OPAQUE,
    "waiver/variant": OPAQUE,
    "waiver/scope": OPAQUE,
    "waiver/metric": OPAQUE,
    "waiver/metric-measured": ((LOW, HIGH, I), (None, LOW, I)),
    "waiver/subject": OPAQUE,
    "waiver/field": OPAQUE,
    "waiver/cases": (
        (({"fixture_id": "f"},), ({"fixture_id": "g"},), I),
        (None, ({"fixture_id": "f"},), I),
    ),
    "waiver/fixture": OPAQUE,
    "waiver/measured": ((LOW, HIGH, I), (LOW, Decimal("0.9"), N), (1, "1", I), (None, LOW, I)),
    "waiver/band": ((LOW, HIGH, I), (None, "exact", I), (LOW, "0.9", I)),
    "waiver/verdict": OPAQUE,
    "waiver/reason": OPAQUE,
    "waiver/change-link": OPAQUE,
    "waiver/owner": OPAQUE,
    "waiver/granted-on": ((DAY, LATER, I), (None, DAY, I)),
    "waiver/expires-on": ((DAY, LATER, I), (None, DAY, I)),
    "waiver/renews": OPAQUE,
    "waiver/evidence": (({"a": "x"}, {"a": "y"}, I), (None, {"a": "x"}, I)),
    "roles/version": VERSION,
    "roles/repository": OPAQUE,
    "roles/url": OPAQUE,
    "roles/protected": ((AB, ("b", "a"), I), (None, A, I)),
    "roles/guarded": ((A, AB, I), (None, A, I)),
    "roles/handle": OPAQUE,
    "roles/keys": ((({"since": 1},), ({"since": 2},), I), (None, ({"since": 1},), I)),
    "roles/key-public": OPAQUE,
    "roles/key-since": ((1, 2, I), (None, 1, I)),
    "roles/key-until": ((1, 2, I), (None, 1, I)),
    "roles/role-people": ((A, AB, I), (None, A, I)),
    "roles/threshold": ((1, 2, I), (None, 1, I)),
    "roles/owners": (({"bands/a": A}, {"bands/a": AB}, I), (None, {"bands/a": A}, I)),
}
"""By rule: old value, new value (None: absent), and how strict the change is.

The way back is checked too, so `(LOW, HIGH, T)` also says that HIGH to LOW is looser.
"""


def rows_in(node: object) -> Iterator[Row]:
    if isinstance(node, Mapping):
        if X_ORDER in node:
            yield Row.from_json(node[X_ORDER])
        node = list(node.values())
    if isinstance(node, list):
        for part in node:
            yield from rows_in(part)


def rows() -> Iterator[Row]:
    for schema in SCHEMAS.values():
        yield from rows_in(schema)


ROWS = {row.rule: row for row in rows()}
CASES = [
    pytest.param(ROWS[rule], *case, id=f"{rule}: {case[0]} to {case[1]}")
    for rule, cases in DIRECTIONS.items()
    for case in cases
    if rule in ROWS
]


@pytest.mark.parametrize(("row", "old", "new", "expected"), CASES)
def test_an_edit_of_a_leaf_goes_the_way_the_table_says(
    row: Row, old: Value | None, new: Value | None, expected: Strictness
) -> None:
    assert compare(row, old, new) is expected


@pytest.mark.parametrize(("row", "old", "new", "expected"), CASES)
def test_the_way_back_is_the_mirror(
    row: Row, old: Value | None, new: Value | None, expected: Strictness
) -> None:
    assert compare(row, new, old) is MIRROR[expected]


def test_every_leaf_of_the_schemas_stands_in_the_table_and_nothing_else() -> None:
    assert set(DIRECTIONS) == set(ROWS)


@pytest.mark.parametrize("rule", sorted(DIRECTIONS))
def test_the_table_changes_and_unsets_every_leaf(rule: str) -> None:
    cases = DIRECTIONS[rule]
    assert any(old is not None and new is not None and old != new for old, new, _ in cases)
    assert any((old is None) != (new is None) for old, new, _ in cases)


def test_one_rule_is_one_row() -> None:
    by_rule: dict[str, Row] = {}
    for row in rows():
        assert by_rule.setdefault(row.rule, row) == row


def test_accepting_more_loosens_and_taking_it_back_has_no_direction() -> None:
    row = ROWS["baseline/re-baselined"]
    assert compare(row, (ACCEPTED,), (MORE, ACCEPTED)) is L
    assert compare(row, None, (ACCEPTED,)) is L
    assert compare(row, (MORE, ACCEPTED), (ACCEPTED,)) is I
    assert compare(row, (ACCEPTED,), None) is I
    assert compare(row, (ACCEPTED,), "all") is U


def row_of(kind: Kind, absent: str | None = None, chain: tuple[str, ...] = ()) -> Row:
    return Row("test/leaf", kind, Reader.RUN, "A leaf.", absent=absent, chain=chain)


@pytest.mark.parametrize("kind", [Kind.MAX_LIMIT, Kind.MIN_LIMIT])
@pytest.mark.parametrize(
    "value", [True, "0.9", "1.5", "x", (), {}, Decimal("NaN"), Decimal("Infinity")]
)
def test_what_is_no_limit_is_unknown_even_beside_no_limit(kind: Kind, value: Value) -> None:
    assert compare(row_of(kind), None, value) is U
    assert compare(row_of(kind), value, 1) is U


@pytest.mark.parametrize("kind", [Kind.SUBSET_OF, Kind.SUPERSET_OF])
@pytest.mark.parametrize("value", [1, True, {}, (1,), ("a", 1), (("a",),), "any"])
def test_what_is_no_set_of_names_is_unknown(kind: Kind, value: Value) -> None:
    assert compare(row_of(kind), ("a",), value) is U


def test_an_absent_set_of_allowed_things_is_not_guessed_to_be_empty() -> None:
    assert compare(row_of(Kind.SUBSET_OF), ("a",), None) is U


def test_an_absent_set_of_allowed_things_may_stand_for_all_of_them() -> None:
    row = row_of(Kind.SUBSET_OF, absent="any")
    assert compare(row, None, None) is N
    assert compare(row, None, ("any",)) is T


def test_an_absent_set_may_stand_for_a_written_one() -> None:
    row = row_of(Kind.SUPERSET_OF, absent='["a", "b"]')
    assert compare(row, None, ("b", "a")) is N
    assert compare(row, None, ()) is L
    assert compare(row, None, "exact") is I


def test_a_share_within_a_level_is_compared_exactly() -> None:
    row = row_of(Kind.CHAIN, chain=("exact", "similar()"))
    tiny = f"similar(0.{'3' * 33}1)"
    assert compare(row, tiny, f"similar(0.{'3' * 33}2)") is T


def test_a_chain_without_a_meaning_for_absence_cannot_place_it() -> None:
    assert compare(row_of(Kind.CHAIN, chain=("strict", "loose")), "strict", None) is U


def test_a_multiple_may_stand_for_absence() -> None:
    row = row_of(Kind.MAX_LIMIT, absent="3.0x")
    assert compare(row, None, "3x") is N
    assert compare(row, None, "2.9x") is T
    assert compare(row, None, Decimal(2)) is U


def test_an_absence_that_stands_for_no_number_is_unknown() -> None:
    assert compare(row_of(Kind.MAX_LIMIT, absent="plenty"), None, 1) is U


def test_an_opaque_default_written_out_is_no_change() -> None:
    row = row_of(Kind.OPAQUE, absent="lexical-indel@1")
    assert compare(row, None, "lexical-indel@1") is N
    assert compare(row, None, "lexical-indel@2") is I


def test_a_number_and_its_text_are_different_opaque_values() -> None:
    assert compare(row_of(Kind.OPAQUE), 1, "1") is I
    assert compare(row_of(Kind.OPAQUE), True, "true") is I
    assert compare(row_of(Kind.OPAQUE), 1, True) is I


def test_limits_are_compared_exactly() -> None:
    row = row_of(Kind.MAX_LIMIT)
    tiny = Decimal("0.3000000000000000000000000000000001")
    assert compare(row, tiny, Decimal("0.3")) is T
    assert compare(row, 2**53, 2**53 + 1) is L
