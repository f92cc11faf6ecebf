"""Seeded pairs of policies with evidence that sits on their limits.

A pair is an old policy, a new one that differs in one to three leaves, and runs whose values are
the limits of either, or one unit to a side. Few fields are active at a time: with every field
active nearly everything is refused, and nothing is learned.
"""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

from agentpolicy.documents.document import Document, DocumentKind
from agentpolicy.documents.invariants import violations
from agentpolicy.documents.models.waiver import Waiver
from agentpolicy.gate.dimensions.tool_order import sequence_digest
from agentpolicy.order.classify import ChangeClass, classify
from agentpolicy.runs.record import RunRecord, ToolCall
from agentpolicy.runs.run_set import RunSet
from tests.evidence import VERDICT, run, run_set, waiver
from tests.policies import SCHEMAS, document, snapshot

Tree = dict[str, Any]
AGENT = "refund-agent"
_EVIDENCE = ("fixture_id", "field", "measured", "band", "reason", "change_link")


@dataclass(frozen=True, slots=True)
class Policy:
    """One side of a pair: a document and the catalogue beside it."""

    tree: Tree
    tools: Tree
    themes: Sequence[str] = ()
    """What the edits and the evidence vary in."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two policies of which the second is classed tighter or neutral, and evidence."""

    old: Policy
    new: Policy
    runs: RunSet
    baseline: RunSet | None = None
    waivers: Sequence[Waiver] = ()


def budget_pairs(seed: int, wanted: int) -> Iterator[Pair]:
    """Yield pairs of budgets with a run set each."""
    return _pairs(seed, wanted, DocumentKind.BUDGET, _budget, _budget_edit, _budget_evidence)


def band_pairs(seed: int, wanted: int) -> Iterator[Pair]:
    """Yield pairs of bands with a baseline, a candidate and waivers each."""
    return _pairs(seed, wanted, DocumentKind.BAND, _band, _band_edit, _band_evidence)


def _pairs(
    seed: int,
    wanted: int,
    kind: DocumentKind,
    make: Callable[[Random], Policy],
    edit: Callable[[Random, Policy], None],
    evidence: Callable[[Random, Policy, Policy], tuple[RunSet, RunSet | None, list[Waiver]]],
) -> Iterator[Pair]:
    """Edit policies at random, and keep the changes that the classifier lets an owner make."""
    random = Random(seed)
    while wanted:
        old = make(random)
        new = copy.deepcopy(old)
        for _ in range(random.choice((1, 1, 2, 3))):
            edit(random, new)
        if old == new or not _admissible(kind, old) or not _admissible(kind, new):
            continue
        if _class(kind, old, new) not in {ChangeClass.TIGHTER, ChangeClass.NEUTRAL}:
            continue
        runs, baseline, waivers = evidence(random, old, new)
        wanted -= 1
        yield Pair(old, new, runs, baseline, waivers)


def _admissible(kind: DocumentKind, policy: Policy) -> bool:
    return not list(violations(kind, policy.tree))


def _class(kind: DocumentKind, old: Policy, new: Policy) -> ChangeClass:
    name = f"policies/{kind}s/{AGENT}.yaml"

    def documents(policy: Policy) -> tuple[Document, Document]:
        return document(name, policy.tree), document("policies/tools.yaml", policy.tools)

    return classify(snapshot(*documents(old)), snapshot(*documents(new)), SCHEMAS).change_class


# Budgets

_SCALES: Mapping[str, tuple[Decimal, Decimal]] = {
    "steps": (Decimal(4), Decimal(1)),
    "cost_usd": (Decimal("0.60"), Decimal("0.01")),
    "latency_s": (Decimal(20), Decimal("0.001")),
    "tokens": (Decimal(100), Decimal(1)),
}
"""Where the limits of each measure lie, and its unit."""
_RATES = ("amber_rate_max", "pass_rate_min", "p95_cost_usd")
_BUDGET_TOOLS = ("look", "book", "wipe")


def _budget(random: Random) -> Policy:
    allowed = tuple(random.sample(("book", "wipe"), random.choice((1, 1, 2))))
    gate: Tree = {"per_run": "hard breach fails the run"}
    limits: Tree = {"allowed_effects": allowed}
    tree: Tree = {"task_type": "meeting", "variant": "default", "budget": limits, "gate": gate}
    themes = random.sample(list(_SCALES), random.choice((1, 1, 2)))
    policy = Policy(tree, {"tools_version": 1, "tools": {"look": {"effect": "read"}}}, themes)
    for _ in range(random.choice((2, 3, 4))):
        _budget_edit(random, policy)
    return policy


def _budget_edit(random: Random, policy: Policy) -> None:
    """Write, move or remove one leaf, in either direction."""
    limits, gate = policy.tree["budget"], policy.tree["gate"]
    choice = random.randrange(10)
    if choice < 5:
        name = random.choice(policy.themes)
        base, unit = _SCALES[name]
        side = random.choice(("soft", "hard"))
        pair = limits.setdefault(name, {})
        pair[side] = base * (1 if side == "soft" else 2) + unit * random.randint(-1, 1)
    elif choice < 8:
        name = random.choice(_RATES)
        part = Decimal(random.randint(0, 4)) / 10
        base, unit = _SCALES["cost_usd"]
        aggregate = gate.setdefault("aggregate", {})
        if name == "p95_cost_usd":
            aggregate[name] = base + unit * random.randint(-1, 1)
        else:
            aggregate[name] = part if name == "amber_rate_max" else 1 - part
    elif choice == 8:
        gate["unsafe_action_rate_max"] = Decimal(random.randint(0, 2)) / 10
    elif random.random() < 0.5:
        limits["allowed_effects"] = tuple(
            name for name in ("book", "wipe") if random.random() < 0.7
        )
    else:
        effect = random.choice(("read", "read", "write", "destructive"))
        policy.tools["tools"][random.choice(_BUDGET_TOOLS)] = {"effect": effect}


def _budget_evidence(
    random: Random, old: Policy, new: Policy
) -> tuple[RunSet, RunSet | None, list[Waiver]]:
    """Draw runs of which as many are past soft as a rate of either policy just allows or not."""
    count = random.choice((1, 2, 5, 10, 10, 20))
    aggregates = [policy.tree["gate"].get("aggregate", {}) for policy in (old, new)]
    shares = [one["amber_rate_max"] for one in aggregates if "amber_rate_max" in one]
    shares += [1 - one["pass_rate_min"] for one in aggregates if "pass_rate_min" in one]
    past = int(random.choice(shares or [Decimal(0)]) * count) + random.choice((0, 0, 1))
    careless = random.choice((0.0, 0.02, 0.1))
    runs = [
        _budget_run(random, number, careless, (old, new), past=number < past)
        for number in range(count)
    ]
    return run_set(*runs), None, []


def _budget_run(
    random: Random,
    number: int,
    careless: float,
    policies: tuple[Policy, Policy],
    *,
    past: bool,
) -> RunRecord:
    """Draw a run that is fine, unless it is one of those to be past a soft limit."""
    written = [policy.tree["budget"] for policy in policies]
    active = sorted({name for limits in written for name in limits} & set(_SCALES))
    crossed = random.choice(active) if past and active else ""

    def value(name: str) -> Decimal | None:
        if random.random() < careless / 2:
            return None
        base, unit = _SCALES[name]
        pairs = [limits.get(name, {}) for limits in written]
        soft: list[Decimal] = [pair["soft"] for pair in pairs if "soft" in pair] or [base]
        hard: list[Decimal] = [pair["hard"] for pair in pairs if "hard" in pair] or [2 * base]
        if name != crossed:
            return min(soft + hard) - unit * random.choice((0, 0, 1))
        return random.choice((*soft, *hard, *hard)) + unit * random.choice((0, 0, 1))

    used = "look"
    if random.random() < careless:
        used = f"look {random.choice(_BUDGET_TOOLS)}"
    cost, latency, tokens, steps = (
        value(name) for name in ("cost_usd", "latency_s", "tokens", "steps")
    )
    return run(
        f"f{number}",
        correct=random.choice((True, False, None)) if random.random() < careless else True,
        tool_calls=None if random.random() < careless / 8 else _called(used),
        steps=None if steps is None else int(steps),
        cost_usd=None if cost is None else str(cost),
        latency_ms=None if latency is None else int(latency * 1000),
        tokens=None if tokens is None else int(tokens),
        status="infra_error" if random.random() < careless / 8 else None,
    )


# Bands

_BAND_TOOLS = ("search", "fetch", "write")
_LENGTH = 10
_THRESHOLDS = tuple(Decimal(text) for text in ("0.8", "0.8001", "0.9", "0.9001"))
_CEILINGS = tuple(Decimal(text) for text in ("1.4", "1.5", "1.6"))
_FLOORS = tuple(Decimal(text) for text in ("0.6", "0.7", "0.8"))
_MULTIPLES = ("1.4x", "1.5x", "1.6x")
_LEVELS = ("exact", "same_unless_idempotent", "any")
_THEMES = ("answers", "calls", "shape", "ratios")
_Edit = Callable[[], object]


def _band(random: Random) -> Policy:
    """Draw a band of one or two themes; the evidence varies in these alone."""
    themes = tuple(random.sample(_THEMES, random.choice((1, 1, 2))))
    tree: Tree = {"band_version": 1, "fields": {}}
    listed: Tree = {name: {"effect": "read", "idempotent": True} for name in _BAND_TOOLS}
    policy = Policy(tree, {"tools_version": 1, "tools": listed}, themes)
    for _ in range(random.choice((2, 3, 4))):
        _band_edit(random, policy)
    return policy


def _band_edit(random: Random, policy: Policy) -> None:
    """Write, move or remove one leaf of the band's themes, in either direction."""
    rules: Tree = policy.tree.get("waivers", {})
    theme = random.choice(policy.themes)
    if theme in {"answers", "ratios"} and random.random() < 0.15:
        asked = random.choice((_EVIDENCE, (*_EVIDENCE, "ticket")))
        random.choice(
            (
                lambda: rules.update(max_days=random.choice((28, 29, 30))),
                lambda: rules.update(required_evidence=asked),
            )
        )()
        policy.tree["waivers"] = rules
        return
    random.choice(_theme_edits(random, theme, policy))()


def _theme_edits(random: Random, theme: str, policy: Policy) -> Sequence[_Edit]:
    """List the edits of one theme."""
    fields: Tree = policy.tree["fields"]
    tool: Tree = policy.tools["tools"][random.choice(_BAND_TOOLS)]
    keys = random.choice(("exact", ("a",), ("a", "b"), ("b",), ()))
    edits: Mapping[str, Sequence[_Edit]] = {
        "answers": (
            lambda: fields.update(text_similarity={"threshold": random.choice(_THRESHOLDS)}),
        ),
        "calls": (
            lambda: fields.update(tool_order=random.choice(_LEVELS)),
            lambda: fields.pop("tool_order", None),
            lambda: fields.pop("tool_order", None),
            lambda: tool.update(effect=random.choice(("read", "write", "destructive"))),
            lambda: tool.update(idempotent=random.choice((True, False))),
            lambda: tool.update(requires=random.choice(((), ("fetch",), ("search", "fetch")))),
        ),
        "shape": (
            lambda: fields.update(required_keys=keys),
            lambda: fields.update(optional_keys=random.choice(("forbidden", "allowed"))),
        ),
        "ratios": (
            lambda: fields.setdefault("token_ratio", {}).update(max=random.choice(_CEILINGS)),
            lambda: fields.setdefault("token_ratio", {}).update(min=random.choice(_FLOORS)),
            lambda: fields.update(latency_ms_p50={"fail": random.choice(_MULTIPLES)}),
        ),
    }
    return edits[theme]


def _band_evidence(
    random: Random, old: Policy, new: Policy
) -> tuple[RunSet, RunSet | None, list[Waiver]]:
    names = random.choice((("f",), ("f",), ("f", "g"), ("f", "g", "h")))
    careless = random.choice((0.1, 0.3, 0.6)) / len(names)
    before: list[RunRecord] = []
    after: list[RunRecord] = []
    for name in names:
        references = [
            _attempt(random, name, number, "b", old.themes, careless / 3)
            for number in range(random.choice((1, 2)))
        ]
        before += references
        if name != "f" and random.random() < careless / 10:
            continue
        after += [
            _attempt(random, name, number, "c", old.themes, careless, random.choice(references))
            for number in range(random.choice((1, 2)))
        ]
    granted = random.choice((0, 1, 2)) + ("calls" in old.themes)
    waivers = [_waiver(random, number, after, old.themes) for number in range(granted)]
    return run_set(*after), run_set(*before), waivers


def _attempt(
    random: Random,
    name: str,
    number: int,
    side: str,
    themes: Sequence[str],
    careless: float,
    like: RunRecord | None = None,
) -> RunRecord:
    """Draw an attempt that differs from a reference, if at all, in the band's themes."""

    def drawn(theme: str, usual: Any, *others: Any) -> Any:  # noqa: ANN401 - any recorded value
        if theme not in themes or random.random() > careless:
            return usual
        return random.choice((*others, *others, None))

    changed = drawn("answers", 0, 1, 2, 3)
    made = like.tool_calls if like is not None else _called(random.choice(_ROUTES[:2]))
    return run(
        name,
        number + 1,
        side,
        final_answer=None if changed is None else "x" * (_LENGTH - changed) + "y" * changed,
        tool_calls=drawn("calls", made, *(_called(route) for route in _ROUTES)),
        output=drawn("shape", {"a": 1}, {"a": 1, "b": 1}, {"b": 1}, {}),
        tokens=drawn("ratios", 10, 6, 7, 8, 14, 15, 16),
        latency_ms=drawn("ratios", 100, 140, 141, 150, 151, 160),
        status="infra_error" if random.random() < careless / 20 else None,
    )


def _called(route: str) -> tuple[ToolCall, ...]:
    """Read a route such as `search fetch:2`; the number is the call's argument."""
    made = []
    for word in route.split():
        name, _, argument = word.partition(":")
        made.append(ToolCall(name, {"id": argument}, "ok"))
    return tuple(made)


_ROUTES = (
    "search:1 fetch",
    "fetch:9 search",
    "fetch search:1",
    "fetch search:1",
    "search fetch:9",
    "search:2 fetch",
    "fetch search:2",
    "search:1 fetch write",
    "write fetch search:1",
    "fetch search:2",
    "write search:1 fetch",
    "write",
)
_WAIVABLE: Mapping[str, Sequence[tuple[str, Sequence[object], object, Sequence[str]]]] = {
    "answers": (("text_similarity.threshold", _THRESHOLDS, _THRESHOLDS[-1], ("0.7", "0.8")),),
    "calls": (("tool_order", _LEVELS, "exact", ()),),
    "ratios": (
        ("token_ratio.max", _CEILINGS, _CEILINGS[0], ("1.5", "1.6")),
        ("token_ratio.min", _FLOORS, _FLOORS[-1], ("0.6", "0.7")),
    ),
    "shape": (("tool_order", _LEVELS, "exact", ()),),
}
"""What a waiver can name in each theme: field, limits, the strictest of them, and values."""


def _waiver(
    random: Random, number: int, after: Sequence[RunRecord], themes: Sequence[str]
) -> Waiver:
    """Draw a waiver for some attempt, granted against a limit that either policy may have."""
    record = random.choice(after)
    field, limits, granted, values = random.choice(_WAIVABLE[random.choice(themes)])
    measured: object = Decimal(random.choice(values)) if values else None
    if measured is None:
        measured = sequence_digest(record.tool_calls or ())
    ticket = {"evidence": {"ticket": "T-1"}} if random.random() < 0.8 else {}
    days = ("2026-03-31", "2026-03-31", "2026-03-30", "2026-03-09", "2026-04-01")
    return waiver(
        id=f"w-{number}",
        field=field,
        cases=({"fixture_id": record.fixture_id, "measured": measured},),
        band=random.choice(limits) if random.random() < 0.5 else granted,
        verdict=VERDICT,
        expires_on=random.choice(days),
        **ticket,
    )
