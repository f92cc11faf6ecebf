"""The laws of strictness, against a world small enough to try every run in it.

The oracle does not know how values are compared: it only knows what a limit, a set or a level
accepts, and asks every run of the world. So a direction that is turned round cannot agree with it.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

import pytest
from agentpolicy.base.numbers import MULTIPLE
from agentpolicy.documents.document import DocumentKind, Value
from agentpolicy.documents.models.arguments import ARGUMENT_RULE
from agentpolicy.documents.rows import ANY, X_KEYED_BY, X_ORDER, Kind, Reader, Row
from agentpolicy.order.change import combine
from agentpolicy.order.classify import ChangeClass, ChangeReport, Effect, classify
from agentpolicy.order.compare import Strictness, compare
from hypothesis import given
from hypothesis import strategies as st
from tests.policies import SCHEMAS, document, snapshot

MIRROR = {
    Strictness.NEUTRAL: Strictness.NEUTRAL,
    Strictness.TIGHTER: Strictness.LOOSER,
    Strictness.LOOSER: Strictness.TIGHTER,
    Strictness.INCOMPARABLE: Strictness.INCOMPARABLE,
    Strictness.UNKNOWN: Strictness.UNKNOWN,
}
DIRECTED = (Strictness.NEUTRAL, Strictness.TIGHTER, Strictness.LOOSER)

LEVELS = ("strict", "middle", "loose")
SHARES = ("0", "0.5", "0.50", "0.9", "1")
GRADED = ("strict", *(f"middle({share})" for share in SHARES), "loose")
NAMES = ("a", "b", "c")
WORD = frozenset({"a", "unwritten"})
"""What the word `exact` stands for in this world: known to the references alone."""
SETS = tuple(
    frozenset(name for bit, name in enumerate((*NAMES, "unwritten")) if number >> bit & 1)
    for number in range(16)
)
NUMBERS = tuple(Decimal(n) / 100 for n in range(-5, 120, 5))

Values = st.SearchStrategy[Value]
OptionalValues = st.SearchStrategy[Value | None]
SCALARS: Mapping[str, Values] = {
    "boolean": st.booleans(),
    "integer": st.integers(1, 4),
    "number": st.sampled_from([*(Decimal(n) / 4 for n in range(5)), 0, 1, Decimal("0.250")]),
    "string": st.sampled_from(NAMES),
}

absent: OptionalValues = st.none()
numbers: OptionalValues = st.sampled_from([*(Decimal(n) / 10 for n in range(11)), 0, 1])
subsets: OptionalValues = st.lists(st.sampled_from(NAMES), max_size=4).map(tuple)


def row(kind: Kind, absent: str | None = None, chain: tuple[str, ...] = ()) -> Row:
    return Row("law/leaf", kind, Reader.RUN, "A leaf.", absent=absent, chain=chain)


def number(leaf: Row, value: Value | None) -> Decimal | None:
    if value is None:
        return None if leaf.absent is None else Decimal(leaf.absent)
    assert isinstance(value, (int, Decimal))
    return Decimal(value)


def below(leaf: Row, value: Value | None, run: object) -> bool:
    limit = number(leaf, value)
    assert isinstance(run, Decimal)
    return limit is None or run <= limit


def above(leaf: Row, value: Value | None, run: object) -> bool:
    limit = number(leaf, value)
    assert isinstance(run, Decimal)
    return limit is None or run >= limit


def allowed(leaf: Row, value: Value | None, run: object) -> bool:
    if value is None and leaf.absent == ANY:
        return True
    value = () if value is None else value
    assert isinstance(value, tuple)
    assert isinstance(run, frozenset)
    return run <= set(map(str, value))


def required(leaf: Row, value: Value | None, run: object) -> bool:
    assert isinstance(run, frozenset)
    if value == "exact":
        return run >= WORD
    if value is None:
        value = () if leaf.absent is None else tuple(json.loads(leaf.absent))
    assert isinstance(value, tuple)
    return run >= set(map(str, value))


def level(leaf: Row, value: Value | None, run: object) -> bool:
    return LEVELS.index(str(run)) <= LEVELS.index(str(value or leaf.absent))


def graded_level(leaf: Row, value: Value | None, run: object) -> bool:
    """Judge runs that are equal, alike to some share, or unlike and not even alike to 0."""
    text = str(value or leaf.absent)
    if text in {"strict", "loose"}:
        return text == "loose" or run == "equal"
    return run == "equal" or (
        isinstance(run, Decimal) and run >= Decimal(text.removeprefix("middle(").removesuffix(")"))
    )


World = tuple[Row, OptionalValues, Callable[..., bool], Sequence[object]]
WORLDS: Mapping[str, World] = {
    "ceiling": (row(Kind.MAX_LIMIT), absent | numbers, below, NUMBERS),
    "ceiling with a default": (row(Kind.MAX_LIMIT, "0.5"), absent | numbers, below, NUMBERS),
    "floor": (row(Kind.MIN_LIMIT), absent | numbers, above, NUMBERS),
    "floor with a default": (row(Kind.MIN_LIMIT, "0.5"), absent | numbers, above, NUMBERS),
    "allowed": (row(Kind.SUBSET_OF), subsets, allowed, SETS),
    "allowed, absent any": (row(Kind.SUBSET_OF, ANY), absent | subsets, allowed, SETS),
    "allowed, absent none": (row(Kind.SUBSET_OF, "[]"), absent | subsets, allowed, SETS),
    "required, absent some": (
        row(Kind.SUPERSET_OF, '["a", "b"]'),
        absent | subsets,
        required,
        SETS,
    ),
    "required": (
        row(Kind.SUPERSET_OF),
        absent | subsets | st.just("exact"),
        required,
        SETS,
    ),
    "chain": (
        row(Kind.CHAIN, "middle", LEVELS),
        absent | st.sampled_from(LEVELS),
        level,
        LEVELS,
    ),
    "chain with shares": (
        row(Kind.CHAIN, "strict", ("strict", "middle()", "loose")),
        absent | st.sampled_from(GRADED),
        graded_level,
        ("equal", *NUMBERS[1:], "unlike"),
    ),
}

worlds = pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS.keys())


def accepted(world: World, value: Value | None) -> frozenset[object]:
    leaf, _, accepts, runs = world
    return frozenset(run for run in runs if accepts(leaf, value, run))


@worlds
@given(data=st.data())
def test_what_is_accepted_moves_exactly_as_the_class_says(
    world: World, data: st.DataObject
) -> None:
    leaf, values, _, _ = world
    old, new = data.draw(values), data.draw(values)
    before, after = accepted(world, old), accepted(world, new)
    match compare(leaf, old, new):
        case Strictness.NEUTRAL:
            assert after == before
        case Strictness.TIGHTER:
            assert after < before
        case Strictness.LOOSER:
            assert after > before
        case Strictness.INCOMPARABLE:
            # A word holds what only references know, so it is never put above or below a list.
            assert "exact" in (old, new) or not (after <= before or after >= before)
        case Strictness.UNKNOWN:
            pytest.fail("every value of this world has a place")


@worlds
@given(data=st.data())
def test_a_value_is_as_strict_as_itself(world: World, data: st.DataObject) -> None:
    leaf, values, _, _ = world
    value = data.draw(values)
    assert compare(leaf, value, value) is Strictness.NEUTRAL


@worlds
@given(data=st.data())
def test_the_way_back_is_the_mirror(world: World, data: st.DataObject) -> None:
    leaf, values, _, _ = world
    old, new = data.draw(values), data.draw(values)
    assert compare(leaf, new, old) is MIRROR[compare(leaf, old, new)]


@worlds
@given(data=st.data())
def test_two_steps_one_way_are_one_step_that_way(world: World, data: st.DataObject) -> None:
    leaf, values, _, _ = world
    first, second, third = (data.draw(values) for _ in range(3))
    steps = {compare(leaf, first, second), compare(leaf, second, third)} - {Strictness.NEUTRAL}
    if len(steps) <= 1 and steps <= set(DIRECTED):
        assert compare(leaf, first, third) is (steps or {Strictness.NEUTRAL}).pop()


PATTERNS: Mapping[str, Values] = {
    f"^{MULTIPLE.pattern}$": st.sampled_from(["1x", "1.5x", "1.50x", "3x"]),
    ARGUMENT_RULE: st.sampled_from(
        ["exact", "normalised", "similar(0.90)", "similar(0.9)", "similar(0.5)", "ignored"]
    ),
}
"""What to write where any other text would have no place."""


def values_of(schema: Mapping[str, object]) -> Values:
    """Draw values that fit a leaf's own schema."""
    alternatives, items = schema.get("anyOf"), schema.get("items")
    levels = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(levels, list):
        return st.sampled_from(levels)
    if isinstance(alternatives, list):
        return st.one_of([values_of(part) for part in alternatives])
    if isinstance(items, Mapping):
        return lists_of(items, keyed=X_KEYED_BY in schema)
    if schema["type"] == "object":
        return tree_of(schema)
    pattern = str(schema.get("pattern"))
    return PATTERNS[pattern] if pattern in PATTERNS else SCALARS[str(schema["type"])]


def lists_of(items: Mapping[str, object], *, keyed: bool) -> Values:
    """Draw lists; where entries name themselves, each has a name of its own."""
    if not keyed:
        return st.lists(values_of(items), max_size=3).map(tuple)
    entries = st.dictionaries(st.sampled_from(NAMES), tree_of(items), max_size=3)
    return entries.map(lambda named: tuple({**whole(named[key]), "id": key} for key in named))


def whole(entry: Value) -> Mapping[str, Value]:
    assert isinstance(entry, Mapping)
    return entry


def tree_of(schema: Mapping[str, object]) -> Values:
    """Draw trees with any of the parts of an object; nothing is required."""
    parts, entries = schema.get("properties", {}), schema.get("additionalProperties")
    assert isinstance(parts, Mapping)
    optional = {key: part_of(part) for key, part in parts.items()}
    named: Values = st.fixed_dictionaries({}, optional=optional)
    if not isinstance(entries, Mapping):
        return named
    return st.dictionaries(st.sampled_from(NAMES), part_of(entries), max_size=2)


def part_of(schema: Mapping[str, object]) -> Values:
    return (
        tree_of(schema) if X_ORDER not in schema and "properties" in schema else values_of(schema)
    )


PATHS = {
    DocumentKind.BAND: "policies/bands/agent.yaml",
    DocumentKind.BUDGET: "policies/budgets/task.yaml",
    DocumentKind.BASELINE: "policies/baselines/agent.yaml",
    DocumentKind.TOOLS: "policies/tools.yaml",
}
"""The documents an owner may tighten: the laws of the others are in the unit tests."""
kinds = pytest.mark.parametrize("kind", PATHS)


def trees(kind: DocumentKind) -> st.SearchStrategy[Mapping[str, Value]]:
    identity = {"task_type": "t", "variant": "v"} if kind is DocumentKind.BUDGET else {}

    def with_required(tree: Value) -> Mapping[str, Value]:
        assert isinstance(tree, Mapping)
        whole: dict[str, Value] = {**tree, **identity}
        if kind is DocumentKind.BUDGET:
            limits = tree.get("budget", {})
            assert isinstance(limits, Mapping)
            whole["budget"] = {"allowed_effects": (), **limits}
        return whole

    return tree_of(SCHEMAS[kind]).map(with_required)


def change(kind: DocumentKind, old: Mapping[str, Value], new: Mapping[str, Value]) -> ChangeReport:
    before, after = (
        document(PATHS[kind], tree, text) for tree, text in ((old, "one"), (new, "other"))
    )
    return classify(snapshot(before), snapshot(after), SCHEMAS)


@kinds
@given(data=st.data())
def test_a_document_is_as_strict_as_itself_whatever_its_spelling(
    kind: DocumentKind, data: st.DataObject
) -> None:
    tree = data.draw(trees(kind))
    report = change(kind, tree, tree)
    assert report.change_class is ChangeClass.NEUTRAL
    assert [found.rule for found in report.findings] == ["document/rewritten"]


@kinds
@given(data=st.data())
def test_the_way_back_of_a_document_is_the_mirror(kind: DocumentKind, data: st.DataObject) -> None:
    old, new = data.draw(trees(kind)), data.draw(trees(kind))
    # What was accepted into a baseline is never taken back the same way: see the unit tests.
    old, new = ({key: side[key] for key in side if key != "accepted"} for side in (old, new))
    there, back = change(kind, old, new), change(kind, new, old)
    assert back.change_class is MIRROR[there.change_class]
    assert sorted(found.rule for found in back.findings) == sorted(
        found.rule for found in there.findings
    )


@kinds
@given(data=st.data())
def test_a_chain_of_owner_only_edits_never_loosens(kind: DocumentKind, data: st.DataObject) -> None:
    """Take random edits, keep those an owner may make alone, and compare the ends."""
    first = state = data.draw(trees(kind))
    for candidate in data.draw(st.lists(trees(kind), max_size=5)):
        for key in sorted(candidate):
            edited = {**state, key: candidate[key]}
            if change(kind, state, edited).change_class in (
                ChangeClass.NEUTRAL,
                ChangeClass.TIGHTER,
            ):
                state = edited
    assert change(kind, first, state).change_class in (ChangeClass.NEUTRAL, ChangeClass.TIGHTER)


@kinds
@given(data=st.data())
def test_every_difference_of_the_trees_is_found_and_none_is_made_up(
    kind: DocumentKind, data: st.DataObject
) -> None:
    old, new = data.draw(trees(kind)), data.draw(trees(kind))
    found = {finding.pointer for finding in change(kind, old, new).findings if finding.pointer}
    before, after = dict(flat(old)), dict(flat(new))
    differing = {
        pointer
        for pointer in before.keys() | after.keys()
        if before.get(pointer) != after.get(pointer)
    }
    if kind is DocumentKind.BASELINE:
        # Fixtures are named by their ids here, and by their places in a finding.
        assert len(found) <= len(differing)
        assert bool(found) == any(
            not respelled(before.get(name), after.get(name)) for name in differing
        )
        return
    found = {SHORT.sub(r"\1", pointer) for pointer in found}
    assert found <= differing
    assert all(respelled(before.get(same), after.get(same)) for same in differing - found)


SHORT = re.compile(r"^(/fields/arguments/[^/]+/[^/]+)/rule$")


def flat(tree: Value, pointer: str = "") -> list[tuple[str, Value]]:
    if isinstance(tree, Mapping):
        return [leaf for key in tree for leaf in flat(tree[key], f"{pointer}/{key}")]
    if pointer == "/fixtures":
        assert isinstance(tree, tuple)
        entries = {str(entry["id"]): entry for entry in tree if isinstance(entry, Mapping)}
        return [leaf for key, entry in entries.items() for leaf in flat(entry, f"{pointer}/{key}")]
    return [(SHORT.sub(r"\1", pointer), tree)]


def respelled(old: Value | None, new: Value | None) -> bool:
    """Allow what may differ without a finding: order in a set, zeros in a number within a text."""
    if isinstance(old, str) and isinstance(new, str):
        return spelled(old) == spelled(new)
    if not isinstance(old, tuple) or not isinstance(new, tuple):
        return False
    return set(map(str, old)) == set(map(str, new))


def spelled(text: str) -> Decimal | str:
    number = text.removeprefix("similar(").removesuffix(")").removesuffix("x")
    return Decimal(number) if number != text else text


@pytest.mark.parametrize("effect", Effect)
def test_only_these_effects_alone_leave_a_change_to_its_owner(effect: Effect) -> None:
    owner_only = combine((effect,)) in (ChangeClass.NEUTRAL, ChangeClass.TIGHTER)
    assert owner_only is (effect in (Effect.NEUTRAL, Effect.RECORD, Effect.TIGHTER))
