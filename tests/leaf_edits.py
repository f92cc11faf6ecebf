"""What each edit of each leaf must amount to, written by hand beside the rows it checks."""

from collections.abc import Mapping
from decimal import Decimal

from agentpolicy.documents.document import Value
from agentpolicy.order.compare import Strictness

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
    (SIX, (*SIX, "trace"), T),
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
    "band/noise-floor": ((HIGH, LOW, N), (None, HIGH, N)),
    "band/noise-floor-measured-on": RECORD,
    "band/noise-floor-scorer": RECORD,
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
    "band/drift-long-context": ((10, 20, I), (None, 20, I), (20, 20, N)),
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
        (None, (ACCEPTED,), L),
        ((ACCEPTED,), None, I),
        ((ACCEPTED,), (MORE, ACCEPTED), L),
        ((MORE, ACCEPTED), (ACCEPTED,), I),
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
    "roles/resets": ((({"version": 2},), ({"version": 3},), I), (None, ({"version": 2},), I)),
    "roles/reset-version": ((1, 2, I), (None, 1, I)),
    "roles/reset-replaces": OPAQUE,
    "roles/key-compromised": ((True, False, I), (None, True, I)),
    "roles/key-public": OPAQUE,
    "roles/key-since": ((1, 2, I), (None, 1, I)),
    "roles/key-until": ((1, 2, I), (None, 1, I)),
    "roles/role-people": ((A, AB, I), (None, A, I)),
    "roles/threshold": ((1, 2, I), (None, 1, I)),
    "roles/owners": (({"bands/a": A}, {"bands/a": AB}, I), (None, {"bands/a": A}, I)),
}
"""By rule: old value, new value (None: absent), and how strict the change is.

The way back is checked too, so `(LOW, HIGH, T)` also says that HIGH to LOW is looser; but not of
what a baseline accepts, where adding is the only edit with a direction.
"""

ONE_WAY = frozenset({"baseline/re-baselined"})
"""Rules whose way back is no mirror, so that both ways are written in the table."""


def both_ways() -> tuple[tuple[str, Value | None, Value | None, Strictness], ...]:
    """List every edit of the table, and of those that have a mirror the way back."""
    there = [
        (rule, old, new, expected)
        for rule, cases in DIRECTIONS.items()
        for old, new, expected in cases
    ]
    back = [
        (rule, new, old, MIRROR[expected])
        for rule, old, new, expected in there
        if rule not in ONE_WAY
    ]
    return (*there, *back)
