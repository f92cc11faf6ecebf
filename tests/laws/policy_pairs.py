"""Seeded pairs of policies of which an owner alone may put the second in the place of the first.

A pair is drawn from the order rows: a few leaves of one to three themes are written, the rest
stays as permissive as it is when nobody writes it. Then leaves of the same themes are written,
moved or taken away, and whatever the real classifier calls tighter or neutral is kept.
"""

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random

from agentpolicy.documents.document import Document, DocumentKind, Snapshot
from agentpolicy.documents.invariants import violations
from agentpolicy.documents.models.band import Band
from agentpolicy.documents.models.budget import Budget
from agentpolicy.documents.models.tools import Tools
from agentpolicy.order.classify import ChangeClass, classify
from tests.laws.leaves import TOOLS, VARIED, Leaf, Tree, edit, leaves
from tests.policies import SCHEMAS, document, snapshot

AGENT = "refund-agent"
TASK, OTHER_TASK, VARIANT = "meeting", "refund", "default"
OWNER_ONLY = (ChangeClass.TIGHTER, ChangeClass.NEUTRAL)

_BUDGET, _BAND, _TOOLS = DocumentKind.BUDGET, DocumentKind.BAND, DocumentKind.TOOLS
PATHS: Mapping[DocumentKind, str] = {
    _BUDGET: "policies/budgets/meeting.yaml",
    _BAND: f"policies/bands/{AGENT}.yaml",
    _TOOLS: "policies/tools.yaml",
}
_RATES = ("budget/amber-rate-max", "budget/pass-rate-min")
BUDGET_THEMES: Mapping[str, Sequence[str]] = {
    "steps": ("budget/steps-soft", "budget/steps-hard", *_RATES),
    "cost": ("budget/cost-soft", "budget/cost-hard", "budget/p95-cost", *_RATES),
    "latency": ("budget/latency-soft", "budget/latency-hard", "budget/latency-measures", *_RATES),
    "tokens": ("budget/tokens-soft", "budget/tokens-hard", *_RATES),
    "effects": (
        "budget/allowed-effects", "tools/effect", "budget/unsafe-rate-max", "budget/pass-rate-min",
    ),
    "word": ("budget/evaluators", "budget/pass-rate-min"),
    "sure": ("budget/sample-min", "budget/decision", "budget/p95-cost", *_RATES),
    "waived": (
        "budget/waiver-evidence", "budget/waiver-max-days", "budget/amber-rate-max",
        "budget/p95-cost", "budget/steps-soft", "budget/cost-soft",
    ),
    "unread": (
        "budget/guard-steps", "budget/guard-tokens", "budget/guard-cost",
        "budget/guard-identical-calls", "budget/value-per-success", "budget/declared",
        "budget/review", "budget/waiver-max-renewals", "budget/waiver-max-open",
        "budget/waiver-approver", "budget/per-run",
    ),
}  # fmt: skip
_CALLS = ("tools/effect", "tools/idempotent", "tools/requires", "tools/identity-args")
BAND_THEMES: Mapping[str, Sequence[str]] = {
    "answers": (
        "band/text-threshold", "band/text-class-threshold", "band/text-scorer", "band/grade-text",
    ),
    "facts": ("band/facts", "band/grade-facts"),
    "content": ("band/required-content", "band/text-threshold"),
    "shape": ("band/required-keys", "band/optional-keys"),
    "calls": ("band/tool-order", *_CALLS),
    "arguments": (
        "band/argument-rule", "band/argument-tolerance", "band/grade-arguments",
        "tools/identity-args",
    ),
    "tokens": (
        "band/token-ratio-min", "band/token-ratio-max", "band/grade-token-ratio",
        "band/tool-calls-ratio", "band/grade-tool-calls-ratio",
    ),
    "latency": (
        "band/latency-p50-fail", "band/latency-p50-warn", "band/latency-p95",
        "band/grade-latency-p50", "band/grade-latency-p95",
    ),
    "planned": (
        "band/repeats", "band/sample-min", "band/comparability-minimum",
        "band/comparability-varies",
    ),
    "routing": (
        "band/routing-base", "band/routing-crossing-weight", "band/routing-criticality",
        "band/routing-shortfall-weight", "band/routing-nondeterminism",
        "band/routing-fast-review-from", "band/routing-full-gate-from",
        "band/grade-text", "band/text-threshold",
    ),
    "waived": ("band/waiver-evidence", "band/waiver-max-days"),
    "unread": (
        "band/approved-by", "band/approved-on", "band/text-calibrated-on", "band/drift-z-max",
        "band/drift-jaccard-min", "band/drift-warmup", "band/drift-long-context",
        "band/noise-floor", "band/noise-floor-measured-on", "band/noise-floor-scorer",
        "band/waiver-max-renewals",
        "band/waiver-max-open", "band/waiver-approver",
    ),
}  # fmt: skip
"""What the edits of a pair, and the evidence it is held against, vary in together."""
RELEASE_THEMES: Mapping[str, Sequence[str]] = {
    **{f"band {name}": rules for name, rules in BAND_THEMES.items()},
    **{f"budget {name}": rules for name, rules in BUDGET_THEMES.items()},
}
IDENTITY = ("budget/task-type", "budget/variant")
"""Leaves that say which document it is: another value is another document, for two to sign."""


@dataclass(frozen=True)
class Policy:
    """A band, a budget and a catalogue, of which a theme may leave the first two as they are."""

    trees: Mapping[DocumentKind, Tree]

    @cached_property
    def band(self) -> Band:
        return Band.model_validate(self.trees[_BAND])

    @cached_property
    def budget(self) -> Budget:
        return Budget.model_validate(self.trees[_BUDGET])

    @cached_property
    def other_budget(self) -> Budget:
        """The same budget for another task: a release falls under all of its budgets."""
        return self.budget.model_copy(update={"task_type": OTHER_TASK})

    @cached_property
    def tools(self) -> Tools:
        return Tools.model_validate(self.trees[_TOOLS])

    @cached_property
    def documents(self) -> Mapping[DocumentKind, Document]:
        return {kind: document(PATHS[kind], tree) for kind, tree in self.trees.items()}

    @cached_property
    def snapshot(self) -> Snapshot:
        return snapshot(*self.documents.values())

    @property
    def written_soundly(self) -> bool:
        """Whether the documents could be read at all."""
        return not any(
            list(violations(kind, tree)) for kind, tree in self.trees.items() if kind is not _TOOLS
        )

    def edited(self, random: Random, leaf: Leaf) -> "Policy":
        """Give the policy with one leaf written anew or taken away."""
        trees = {**self.trees, leaf.kind: copy.deepcopy(self.trees[leaf.kind])}
        edit(random, trees[leaf.kind], leaf)
        return Policy(trees)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two policies of which the second is classed tighter or neutral."""

    old: Policy
    new: Policy
    themes: Sequence[str] = field(default=())


Schemas = Mapping[DocumentKind, Mapping[str, object]]


def class_of(old: Policy, new: Policy, schemas: Schemas = SCHEMAS) -> ChangeClass:
    """Class the change between two policies as a whole, by the real classifier."""
    return classify(old.snapshot, new.snapshot, schemas).change_class


def permissive() -> Policy:
    """Give the policy that the themes start from; what it reads, the evidence does not vary."""
    return Policy(
        {
            _TOOLS: {
                "tools_version": 1,
                "tools": {name: {"effect": "read", "idempotent": True} for name in TOOLS},
            },
            _BAND: {"band_version": 1, "fields": {}},
            _BUDGET: {
                "task_type": TASK,
                "variant": VARIANT,
                "budget": {"allowed_effects": ()},
                "gate": {"per_run": "hard breach fails the run"},
            },
        }
    )


_RULES = {leaf.rule: leaf for kind in VARIED for leaf in leaves(kind)}


def leaves_of(themes: Sequence[str], table: Mapping[str, Sequence[str]]) -> Sequence[Leaf]:
    """Give the leaves of some themes; one that several of them name is likelier to be drawn."""
    return [_RULES[rule] for theme in themes for rule in table[theme]]


def policy(random: Random, choice: Sequence[Leaf], edits: int) -> Policy:
    """Draw a policy in which some leaves are written."""
    drawn = permissive()
    while edits:
        changed = drawn.edited(random, random.choice(choice))
        if changed.written_soundly:
            drawn = changed
            edits -= 1
    return drawn


def owner_only(
    random: Random, old: Policy, choice: Sequence[Leaf], steps: int, schemas: Schemas = SCHEMAS
) -> Policy:
    """Edit a policy as far as its owner may alone; each step is compared with the beginning."""
    new = old
    for _ in range(8):
        changed = new.edited(random, random.choice(choice))
        if changed.trees == new.trees or not changed.written_soundly:
            continue
        if class_of(old, changed, schemas) in OWNER_ONLY:
            new = changed
            steps -= 1
            if not steps:
                break
    return new


def pairs(
    random: Random,
    table: Mapping[str, Sequence[str]],
    edits: Sequence[int] = (2, 3, 4),
    moved: Sequence[str] = (),
    schemas: Schemas = SCHEMAS,
) -> Iterator[Pair]:
    """Draw pairs without end; each has one or two themes, and a few leaves written."""
    while True:
        themes = random.sample(list(table), min(len(table), random.choice((1, 1, 2))))
        choice = leaves_of(themes, table)
        old = policy(random, choice, random.choice(edits))
        changing = [_RULES[rule] for rule in moved] or choice
        new = owner_only(random, old, changing, random.choice((1, 1, 2, 3)), schemas)
        if new is not old:
            yield Pair(old, new, themes)
