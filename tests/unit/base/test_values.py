"""Our dataclasses are those of the standard library in everything but what they cost."""

import copy
import dataclasses
import inspect
import pickle
import pkgutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

import agentpolicy
import pytest
from agentpolicy.base import values


@values.dataclass(frozen=True, slots=True)
class Point:
    """A point."""

    x: int
    y: int = 2
    seen: Mapping[str, int] = values.field(default_factory=dict, compare=False)
    note: str = values.field(default="", repr=False)
    tags: list[str] | None = values.field(default=None, hash=False)


@dataclasses.dataclass(frozen=True, slots=True)
class Twin:
    """A point."""

    x: int
    y: int = 2
    seen: Mapping[str, int] = dataclasses.field(default_factory=dict, compare=False)
    note: str = dataclasses.field(default="", repr=False)
    tags: list[str] | None = dataclasses.field(default=None, hash=False)


@values.dataclass(slots=True)
class Counter:
    """Something that moves on."""

    at: int = 0


@values.dataclass(frozen=True, slots=True, eq=False)
class Token:
    """Something that only equals itself."""

    text: str


@values.dataclass(frozen=True, slots=True)
class Positive:
    """A number that is refused unless it is above zero."""

    number: int

    def __post_init__(self) -> None:
        if self.number <= 0:
            raise ValueError(self.number)


ASKED: tuple[tuple[tuple[Any, ...], dict[str, Any]], ...] = (
    ((1,), {}),
    ((1, 3), {}),
    ((1,), {"y": 3, "note": "n"}),
    ((), {"x": 1, "seen": {"a": 1}}),
    ((1,), {"tags": ["mutable"]}),
    ((2,), {}),
)


@pytest.mark.parametrize(("given", "named"), ASKED)
def test_a_value_looks_hashes_and_equals_as_its_twin(
    given: tuple[Any, ...], named: dict[str, Any]
) -> None:
    ours, theirs = Point(*given, **named), Twin(*given, **named)
    assert repr(ours) == repr(theirs).replace("Twin", "Point")
    assert hash(ours) == hash(theirs)
    for other_given, other_named in ASKED:
        equal = theirs == Twin(*other_given, **other_named)
        assert (ours == Point(*other_given, **other_named)) is equal
    assert (ours == theirs) is False  # type: ignore[comparison-overlap]


@pytest.mark.parametrize(
    ("given", "named"),
    [((), {}), ((1, 2, {}, "", None, 6), {}), ((1,), {"x": 1}), ((1,), {"z": 1})],
)
def test_wrong_arguments_are_refused_as_by_its_twin(
    given: tuple[Any, ...], named: dict[str, Any]
) -> None:
    with pytest.raises(TypeError) as theirs:
        Twin(*given, **named)
    with pytest.raises(TypeError) as ours:
        Point(*given, **named)
    assert str(ours.value) == str(theirs.value).replace("Twin", "Point")


def test_each_value_gets_a_default_of_its_own() -> None:
    assert Point(1).seen == {}
    assert Point(1).seen is not Point(1).seen


def test_a_frozen_value_cannot_be_changed_nor_given_more() -> None:
    point = Point(1)
    changes: tuple[Callable[[], None], ...] = (
        lambda: setattr(point, "x", 2),
        lambda: setattr(point, "more", 2),
        lambda: delattr(point, "x"),
    )
    for change in changes:
        with pytest.raises(dataclasses.FrozenInstanceError):
            change()
    assert point == Point(1)
    assert not hasattr(point, "__dict__")


def test_what_is_not_frozen_changes_but_has_no_hash_and_no_other_attribute() -> None:
    counter = Counter()
    counter.at = 3
    assert counter == Counter(3)
    with pytest.raises(TypeError, match="unhashable"):
        hash(counter)
    with pytest.raises(AttributeError):
        setattr(counter, "more", 1)  # noqa: B010 - a name the type checker knows is not there


def test_without_eq_a_value_only_equals_itself() -> None:
    token = Token("a")
    assert token == token  # noqa: PLR0124 - the point
    assert token != Token("a")
    assert {token: 1}[token] == 1


def test_what_is_checked_after_the_fields_are_set_is_checked_every_time() -> None:
    for _ in range(2):
        with pytest.raises(ValueError, match="0"):
            Positive(0)
    assert Positive(1).number == 1


def test_replacing_checks_again_and_leaves_the_rest() -> None:
    changed = values.replace(Point(1, note="n"), y=5)
    assert (changed.x, changed.y, changed.note) == (1, 5, "n")
    with pytest.raises(ValueError, match="0"):
        values.replace(Positive(1), number=0)
    with pytest.raises(TypeError):
        values.replace(Point(1), z=1)  # type: ignore[call-arg]


def test_the_standard_library_takes_it_for_its_own() -> None:
    point = Point(1, seen={"a": 1})
    assert dataclasses.is_dataclass(point)
    assert dataclasses.replace(point, y=7) == Point(1, 7)
    assert dataclasses.asdict(point) == dataclasses.asdict(Twin(1, seen={"a": 1}))
    told = [(one.name, one.type, one.compare, one.repr) for one in dataclasses.fields(Point)]
    assert told == [(one.name, one.type, one.compare, one.repr) for one in dataclasses.fields(Twin)]


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))]
)
def test_it_can_be_copied_and_sent_to_another_process(again: Callable[[Point], Point]) -> None:
    point = Point(1, seen={"a": 1}, tags=["t"])
    assert again(point) == point
    assert again(point).seen == {"a": 1}


def test_it_can_be_taken_apart_by_position() -> None:
    match Point(1, 5):
        case Point(x, y):
            assert (x, y) == (1, 5)


def test_a_value_that_holds_itself_can_be_shown() -> None:
    seen: dict[str, Any] = {}
    point = Point(1, seen=seen)
    seen["me"] = point
    assert repr(point) == "Point(x=1, y=2, seen={'me': ...}, tags=None)"


@pytest.mark.parametrize(
    "space",
    [{"__eq__": lambda *_: True}, {"__repr__": lambda _: ""}],
)
def test_a_class_with_its_own_idea_of_a_value_is_refused(space: dict[str, Any]) -> None:
    odd = type("Odd", (), {"__annotations__": {}, **space})
    with pytest.raises(TypeError, match="Odd"):
        values.dataclass(frozen=True, slots=True)(odd)


def test_a_hash_of_its_own_stays() -> None:
    space = {"__annotations__": {"x": int}, "__hash__": lambda value: value.x % 10}
    made: Any = values.dataclass(frozen=True, slots=True)(type("Mine", (), space))
    assert hash(made(x=17)) == 7
    assert made(x=17) != made(x=7)


def test_inheriting_is_refused() -> None:
    child = type("Child", (Point,), {"__annotations__": {}})
    with pytest.raises(TypeError, match="Child"):
        values.dataclass(frozen=True, slots=True)(child)


def _values_here() -> Iterator[type]:
    """Go through every class of ours that is made by `values`, not by the standard library."""
    for module in pkgutil.walk_packages(agentpolicy.__path__, "agentpolicy."):
        if not module.name.endswith("__main__"):
            for found in vars(import_module(module.name)).values():
                if isinstance(found, type) and found.__module__ == module.name:
                    told = vars(found).get("__dataclass_fields__")
                    if told is not None and not isinstance(told, dict):
                        yield found


def test_every_class_here_takes_its_fields_in_their_order() -> None:
    found = tuple(_values_here())
    assert len(found) > 40
    for cls in found:
        twin = dataclasses.make_dataclass(
            cls.__name__,
            [(one.name, Any, _same(one)) for one in dataclasses.fields(cls)],
        )
        written = values._init_of(cls, vars(cls)["__dataclass_fields__"]._fields, frozen=True)
        assert list(inspect.signature(written).parameters)[1:] == list(
            inspect.signature(twin).parameters
        ), cls


def _same(one: "dataclasses.Field[Any]") -> Any:  # noqa: ANN401 - as the standard library says
    if one.default_factory is not dataclasses.MISSING:
        return dataclasses.field(default_factory=one.default_factory)
    return dataclasses.field(default=one.default)


def test_making_using_and_showing_values_does_not_import_what_it_saves() -> None:
    use = (
        "import sys; from agentpolicy.base.errors import Problem; "
        "hash(Problem('a', 'b', 'c')); repr(Problem('a', 'b', 'c')); "
        "print('dataclasses' in sys.modules, 'inspect' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", use], capture_output=True, check=True, text=True
    )
    assert done.stdout.split() == ["False", "False"]
