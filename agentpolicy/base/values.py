"""Dataclasses without what importing `dataclasses` and writing their methods costs a hook.

A hook imports some forty of them before it decides anything. Here they share their methods, and
`__init__` is written when the first value is made. Type checkers see the real ones, and so does
`dataclasses` when it is asked about one. Always with slots; no inheritance, no `ClassVar`.
"""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:  # below, under their own names

    def dataclass(*, frozen: bool = False, slots: bool, eq: bool = True) -> object:
        """Make a class of values; it means what it means in `dataclasses`."""
        if not slots:
            raise TypeError("a value has slots")
        return lambda cls: _made(cls, frozen=frozen, eq=eq)

    def field(**asked: object) -> object:
        """Say more about a field, as in `dataclasses`."""
        return _Field(asked)

    def replace(value: object, /, **changes: object) -> object:
        """Give the same value with other fields."""
        kept = {name: getattr(value, name) for name in _names(value)}
        return value.__class__(**(kept | changes))


__all__ = ["dataclass", "field", "replace"]

_MISSING: Any = object()
_Class = TypeVar("_Class", bound=type)


class _Field:
    """What is said about one field, in the words of `dataclasses.field`."""

    __slots__ = ("said",)

    def __init__(self, said: Mapping[str, Any]) -> None:
        self.said = said

    def compares(self) -> bool:
        return bool(self.said.get("compare", True))

    def hashes(self) -> bool:
        return bool(self.said.get("hash", self.compares()))

    def shows(self) -> bool:
        return bool(self.said.get("repr", True))


def _made(cls: _Class, *, frozen: bool, eq: bool) -> _Class:
    space = dict(cls.__dict__)
    fields = {name: _field_of(space.pop(name, _MISSING)) for name in cls.__annotations__}
    told = _methods(fields, frozen=frozen, eq=eq)
    if "__hash__" in space:
        told["__hash__"] = space.pop("__hash__")
    if cls.__bases__ != (object,) or not told.keys().isdisjoint(space):
        raise TypeError(f"{cls.__name__} inherits or writes a method that every value has")
    for name in ("__dict__", "__weakref__"):
        space.pop(name, None)
    told |= {"__slots__": tuple(fields), "__match_args__": tuple(fields)}
    told["__init__"] = _init_written_later(fields, frozen=frozen)
    told["__dataclass_fields__"] = _AskedLater(cls.__annotations__, fields)
    told["__qualname__"] = cls.__qualname__
    return type(cls)(cls.__name__, cls.__bases__, space | told)


def _field_of(default: object) -> _Field:
    if isinstance(default, _Field):
        return default
    return _Field({} if default is _MISSING else {"default": default})


def _methods(fields: Mapping[str, _Field], *, frozen: bool, eq: bool) -> dict[str, object]:
    methods: dict[str, object] = {
        "__repr__": _repr_of([name for name in fields if fields[name].shows()])
    }
    if eq:
        compared = _values_of([name for name in fields if fields[name].compares()])
        hashed = _values_of([name for name in fields if fields[name].hashes()])
        methods |= {"__eq__": _eq_of(compared), "__hash__": _hash_of(hashed) if frozen else None}
    if frozen:
        methods |= {"__setattr__": _refuse_setting, "__delattr__": _refuse_deleting}
        methods |= {"__getstate__": _state, "__setstate__": _restore}
    return methods


def _values_of(names: Sequence[str]) -> Callable[[object], tuple[object, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


def _eq_of(values: Callable[[object], object]) -> Callable[[object, object], object]:
    def __eq__(self: object, other: object) -> object:  # noqa: N807 - what it will be
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    return __eq__


def _hash_of(values: Callable[[object], object]) -> Callable[[object], int]:
    def __hash__(self: object) -> int:  # noqa: N807 - what it will be
        return hash(values(self))

    return __hash__


def _repr_of(names: Sequence[str]) -> Callable[[object], str]:
    @recursive_repr()
    def __repr__(self: object) -> str:  # noqa: N807 - what it will be
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({shown})"

    return __repr__


def _refuse_setting(_self: object, name: str, _value: object) -> NoReturn:
    from dataclasses import FrozenInstanceError  # noqa: PLC0415 - see above

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deleting(_self: object, name: str) -> NoReturn:
    from dataclasses import FrozenInstanceError  # noqa: PLC0415 - see above

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: object) -> list[object]:
    return [getattr(self, name) for name in _names(self)]


def _restore(self: object, state: Sequence[object]) -> None:
    for name, value in zip(_names(self), state, strict=True):
        object.__setattr__(self, name, value)


def _names(value: object) -> tuple[str, ...]:
    names: tuple[str, ...] = vars(value.__class__)["__match_args__"]
    return names


def _init_written_later(fields: Mapping[str, _Field], *, frozen: bool) -> Callable[..., None]:
    """Stand in for `__init__` until it is called."""

    def __init__(self: object, *args: object, **named: object) -> None:  # noqa: N807 - what it is
        cls: Any = self.__class__
        cls.__init__ = _init_of(cls, fields, frozen=frozen)
        cls.__init__(self, *args, **named)

    return __init__


def _init_of(cls: type, fields: Mapping[str, _Field], *, frozen: bool) -> Callable[..., None]:
    """Write `__init__` for these fields, as fast as one written by hand."""
    space: dict[str, Any] = {"_MISSING": _MISSING}
    parameters, lines = ["self"], []
    for name, field_ in fields.items():
        given = name
        if "default_factory" in field_.said:
            space[f"_make_{name}"] = field_.said["default_factory"]
            parameters.append(f"{name}=_MISSING")
            given = f"_make_{name}() if {name} is _MISSING else {name}"
        elif "default" in field_.said:
            space[f"_default_{name}"] = field_.said["default"]
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        space[f"_set_{name}"] = cls.__dict__[name].__set__
        lines.append(f" _set_{name}(self, {given})" if frozen else f" self.{name} = {given}")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    written = "\n".join([f"def __init__({', '.join(parameters)}):", *(lines or [" pass"])])
    exec(written, space)  # noqa: S102 - names and nothing else, all from our own source
    made: Callable[..., None] = space["__init__"]
    made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    return made


class _AskedLater:
    """What `dataclasses` looks for in a class, found out when it does."""

    __slots__ = ("_fields", "_types")

    def __init__(self, types: Mapping[str, object], fields: Mapping[str, _Field]) -> None:
        self._types, self._fields = types, fields

    def __get__(self, _value: object, cls: type) -> object:
        import dataclasses  # noqa: PLC0415 - see above

        asked: list[tuple[str, Any, Any]] = [
            (name, self._types[name], dataclasses.field(**told.said))
            for name, told in self._fields.items()
        ]
        twin: Any = dataclasses.make_dataclass(cls.__name__, asked)
        return twin.__dataclass_fields__
