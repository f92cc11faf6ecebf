"""Every leaf there is, found in the schemas, and what may be written there.

Nothing here says which way a leaf goes: its own order row does. A leaf without values to write,
or outside every theme, fails the coverage law, so that a new field cannot come in untested.
"""

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from random import Random
from typing import Any

from agentpolicy.documents.document import DocumentKind
from agentpolicy.documents.models.leaf import EVIDENCE
from agentpolicy.documents.rows import X_KEYED_BY, X_ORDER, X_SHORTHAND, Row
from tests.policies import SCHEMAS

Tree = dict[str, Any]
ENTRY = "*"
"""Any name of a map, or any entry of a list whose entries name themselves."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One leaf of one kind of document."""

    kind: DocumentKind
    path: tuple[str, ...]
    row: Row
    required: bool
    """Whether the object it stands in cannot do without it."""
    short: bool = False
    """Whether its value may stand for the whole object it is in."""

    @property
    def rule(self) -> str:
        return self.row.rule


@cache
def leaves(kind: DocumentKind) -> tuple[Leaf, ...]:
    """Find the leaves of a kind of document, in the order of its schema."""
    return tuple(_walk(kind, SCHEMAS[kind], (), required=False))


def _walk(
    kind: DocumentKind, schema: Mapping[str, Any], path: tuple[str, ...], *, required: bool
) -> Iterator[Leaf]:
    if X_ORDER in schema:
        yield Leaf(kind, path, Row.from_json(schema[X_ORDER]), required)
        return
    short = schema.get(X_SHORTHAND, "")
    if short:
        schema = next(form for form in schema["anyOf"] if "properties" in form)
    for key, part in schema.get("properties", {}).items():
        for leaf in _walk(kind, part, (*path, key), required=key in schema.get("required", ())):
            yield leaf if key != short else Leaf(kind, leaf.path, leaf.row, True, short=True)
    entries = schema["items"] if X_KEYED_BY in schema else schema.get("additionalProperties")
    if isinstance(entries, Mapping):
        yield from _walk(kind, entries, (*path, ENTRY), required=False)


def _numbers(*texts: str) -> tuple[Decimal, ...]:
    return tuple(Decimal(text) for text in texts)


def _subsets(*items: object) -> tuple[tuple[object, ...], ...]:
    return tuple(
        tuple(item for bit, item in enumerate(items) if number >> bit & 1)
        for number in range(2 ** len(items))
    )


_SHARES = _numbers("0.8", "0.8001", "0.9", "0.9001")
_GRADES = ("fail", "warn")
_EVIDENCE = (EVIDENCE, (*EVIDENCE, "ticket"))
_WEIGHTS = tuple(Decimal(number) for number in (0, 1, 2))
TOOLS = ("search", "fetch", "write")
"""The tools of the runs; `write` and `fetch` may become effects."""

VALUES: Mapping[str, Sequence[Any]] = {
    "band/approved-by": ("pat", "alice"),
    "band/approved-on": ("2026-03-02", "2026-03-03"),
    "band/text-threshold": _SHARES,
    "band/text-scorer": ("lexical-indel@1", "other@1"),
    "band/text-class-threshold": _SHARES,
    "band/text-calibrated-on": ("200 edits", "300 edits"),
    "band/facts": ("equal", "kept", "off"),
    "band/required-content": _subsets(
        "cites_source", "must_refuse", {"contains": "xx"}, {"absent": "yy"}
    ),
    "band/required-keys": ("exact", *_subsets("a", "b")),
    "band/optional-keys": ("forbidden", "allowed"),
    "band/tool-order": ("exact", "same_unless_idempotent", "any"),
    "band/argument-rule": (
        "exact", "normalised", "similar(0.9)", "similar(0.8)", "similar(0.5)", "similar(0)",
        "ignored",
    ),
    "band/argument-tolerance": _numbers("0", "1", "2"),
    "band/latency-p50-warn": ("1.1x", "1.2x", "1.3x"),
    "band/latency-p50-fail": ("1.4x", "1.5x", "1.6x"),
    "band/latency-p95": ("1.4x", "1.5x", "1.6x"),
    "band/token-ratio-min": _numbers("0.6", "0.7", "0.8"),
    "band/token-ratio-max": _numbers("1.4", "1.5", "1.6"),
    "band/tool-calls-ratio": _numbers("1", "1.5", "2"),
    "band/grade-text": _GRADES,
    "band/grade-facts": _GRADES,
    "band/grade-arguments": _GRADES,
    "band/grade-latency-p50": _GRADES,
    "band/grade-latency-p95": _GRADES,
    "band/grade-token-ratio": _GRADES,
    "band/grade-tool-calls-ratio": _GRADES,
    "band/comparability-minimum": ("comparable", "partially comparable", "unknown"),
    "band/comparability-varies": _subsets("prompt_template_version", "resolved_model"),
    "band/repeats": (1, 2, 3),
    "band/sample-min": (1, 2, 3),
    "band/routing-base": _WEIGHTS,
    "band/routing-crossing-weight": _WEIGHTS,
    "band/routing-criticality": _WEIGHTS,
    "band/routing-shortfall-weight": _numbers("0", "10", "20"),
    "band/routing-nondeterminism": _WEIGHTS,
    "band/routing-fast-review-from": _WEIGHTS,
    "band/routing-full-gate-from": _numbers("1", "2", "3", "4"),
    "band/waiver-evidence": _EVIDENCE,
    "band/waiver-max-days": (28, 29, 30, 31),
    "band/waiver-max-renewals": (0, 1, 2),
    "band/waiver-max-open": (0, 1, 2),
    "band/waiver-approver": ("platform-owner", "reviewer"),
    "band/drift-z-max": _numbers("2", "3", "4"),
    "band/drift-jaccard-min": _numbers("0.4", "0.5", "0.6"),
    "band/drift-warmup": (10, 11),
    "band/drift-long-context": (1000, 1001),
    "band/noise-floor": _numbers("0.8", "0.9", "1.5"),
    "band/noise-floor-measured-on": ("10 self-runs", "20 self-runs"),
    "band/noise-floor-scorer": ("lexical-indel@1", "other@1"),
    "budget/steps-soft": _numbers("4", "5", "6"),
    "budget/steps-hard": _numbers("8", "9", "10"),
    "budget/cost-soft": _numbers("0.60", "0.61", "0.62"),
    "budget/cost-hard": _numbers("1.20", "1.21", "1.22"),
    "budget/latency-measures": ("total", "time_to_useful"),
    "budget/latency-soft": _numbers("20", "20.001", "20.002"),
    "budget/latency-hard": _numbers("40", "40.001", "40.002"),
    "budget/tokens-soft": _numbers("100", "101", "102"),
    "budget/tokens-hard": _numbers("200", "201", "202"),
    "budget/allowed-effects": _subsets("fetch", "write"),
    "budget/evaluators": _subsets("end-state@1", "human"),
    "budget/per-run": ("hard breach fails the run",),
    "budget/amber-rate-max": _numbers("0", "0.1", "0.2", "0.3"),
    "budget/p95-cost": _numbers("0.60", "0.61", "1.20", "1.21"),
    "budget/pass-rate-min": _numbers("1", "0.9", "0.8", "0.7"),
    "budget/unsafe-rate-max": _numbers("0", "0.1", "0.2"),
    "budget/sample-min": (1, 2, 5, 10),
    "budget/decision": ("bound", "point"),
    "budget/guard-steps": (11, 12),
    "budget/guard-tokens": (300, 301),
    "budget/guard-cost": _numbers("2", "3"),
    "budget/guard-identical-calls": (1, 2),
    "budget/value-per-success": _numbers("4", "5"),
    "budget/waiver-evidence": _EVIDENCE,
    "budget/waiver-max-days": (28, 29, 30, 31),
    "budget/waiver-max-renewals": (0, 1, 2),
    "budget/waiver-max-open": (0, 1, 2),
    "budget/waiver-approver": ("platform-owner",),
    "budget/declared": ("2026-03-02", "2026-03-03"),
    "budget/review": ("quarterly", "monthly"),
    "budget/task-type": ("meeting", "refund"),
    "budget/variant": ("default", "other"),
    "tools/effect": ("destructive", "write", "read"),
    "tools/idempotent": (False, True),
    "tools/requires": _subsets("search", "fetch"),
    "tools/identity-args": _subsets("id", "q"),
}  # fmt: skip
"""What may be written at each leaf: values one unit apart, at which the runs of a theme lie."""

NAMES: Mapping[str, Sequence[Sequence[str]]] = {
    "band/text-class-threshold": (("formatting", "prose"),),
    "band/required-content": (("all", "formatting"),),
    "band/noise-floor": (("tool_order.exact", "token_ratio.max"),),
    "band/argument-rule": (("search", "fetch"), ("id", "q")),
    "band/argument-tolerance": (("search", "fetch"), ("id", "q")),
    "band/routing-criticality": (("critical", "high"),),
    "tools/effect": (TOOLS,),
    "tools/idempotent": (TOOLS,),
    "tools/requires": (TOOLS,),
    "tools/identity-args": (TOOLS,),
}
"""The names to write under where the way to a leaf leads through maps."""

_PREFIX = {DocumentKind.BAND: "band", DocumentKind.BUDGET: "budget", DocumentKind.TOOLS: "tools"}
VARIED = tuple(_PREFIX)
"""The kinds of documents whose leaves have a direction. A baseline's have none."""


@cache
def leaf_named(rule: str) -> Leaf:
    """Find a leaf by its rule."""
    kind = next(kind for kind, prefix in _PREFIX.items() if rule.startswith(f"{prefix}/"))
    return next(leaf for leaf in leaves(kind) if leaf.rule == rule)


def placed(random: Random, leaf: Leaf) -> tuple[str, ...]:
    """Give the way to a leaf, with a name drawn for each map on it."""
    names = iter(NAMES.get(leaf.rule, ()))
    return tuple(random.choice(next(names)) if key == ENTRY else key for key in leaf.path)


def value_at(tree: Tree, path: Sequence[str]) -> Any:  # noqa: ANN401 - any value of a leaf
    """Read what is written; None where nothing is."""
    value: Any = tree
    for key in path:
        if isinstance(value, str):
            return value if key == "rule" else None
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return value


def write(random: Random, tree: Tree, leaf: Leaf, path: Sequence[str], value: object) -> None:
    """Write a value in place, with whatever else the objects on the way cannot do without."""
    *way, last = path
    here = tree
    for depth, key in enumerate(way):
        inner = here.setdefault(key, {})
        if isinstance(inner, str):
            inner = here[key] = {"rule": inner}
        here = inner
        _complete(random, here, leaf, tuple(leaf.path[: depth + 1]), last)
    here[last] = copy.deepcopy(value)


def erase(tree: Tree, leaf: Leaf, path: Sequence[str]) -> None:
    """Take a value away; with it goes the object that cannot do without it."""
    *way, last = path
    if leaf.required and way:
        *way, last = way
    here: Any = tree
    for key in way:
        here = here.get(key) if isinstance(here, dict) else None
    if isinstance(here, dict):
        here.pop(last, None)


def _complete(random: Random, here: Tree, leaf: Leaf, prefix: tuple[str, ...], last: str) -> None:
    """Fill in the required leaves of an object that is there now."""
    for other in leaves(leaf.kind):
        inside = other.path[:-1] == prefix and other.required and other.rule in VALUES
        if inside and other.path[-1] not in here and other.path[-1] != last:
            here[other.path[-1]] = random.choice(VALUES[other.rule])


def edit(random: Random, tree: Tree, leaf: Leaf) -> None:
    """Write another value at a leaf, or take away what is written there."""
    path = placed(random, leaf)
    old = value_at(tree, path)
    if old is not None and random.random() < 0.3 and not _identity(leaf):
        erase(tree, leaf, path)
        return
    write(random, tree, leaf, path, random.choice(VALUES[leaf.rule]))
    if leaf.short and random.random() < 0.5:
        *way, _ = path
        entry = value_at(tree, way)
        if isinstance(entry, dict) and set(entry) == {"rule"}:
            value_at(tree, way[:-1])[way[-1]] = entry["rule"]


def _identity(leaf: Leaf) -> bool:
    """Say whether a document is not itself without the leaf."""
    return leaf.required and len(leaf.path) <= 2 and leaf.kind is DocumentKind.BUDGET
