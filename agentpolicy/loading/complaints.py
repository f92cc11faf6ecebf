"""A schema's complaints as problems: where, what was found, what belongs there, what to type."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Literal, NamedTuple

from jsonschema_rs import ValidationError, ValidationErrorKind

from agentpolicy.base.errors import Problem
from agentpolicy.base.numbers import MULTIPLE, NUMBER, plain
from agentpolicy.base.source import Position
from agentpolicy.documents.document import Value
from agentpolicy.loading.expectations import (
    MULTIPLE_PATTERN,
    closest,
    expected,
    found,
)
from agentpolicy.loading.pointers import child, keys_of
from agentpolicy.loading.scalars import clip
from agentpolicy.loading.schemas import Schema, parts_at
from agentpolicy.loading.yaml_tree import Tree

_CODES: Mapping[str, str] = {
    "type": "wrong-type",
    "enum": "unknown-choice",
    "const": "unknown-choice",
    "anyOf": "wrong-value",
    "oneOf": "wrong-value",
    "minimum": "out-of-range",
    "maximum": "out-of-range",
    "exclusiveMinimum": "out-of-range",
    "exclusiveMaximum": "out-of-range",
    "pattern": "wrong-form",
    "minLength": "too-short",
    "maxLength": "too-long",
    "minItems": "too-few",
    "minProperties": "too-few",
    "maxItems": "too-many",
    "uniqueItems": "repeated-item",
}


class Complaint(NamedTuple):
    """A problem and the pointer of the value it is about."""

    pointer: str
    problem: Problem
    about: Literal["value", "key", "absence"] = "value"
    """Whether the value is wrong, its key is, or something is not there."""


class Complainer:
    """Says what a schema found wrong in one tree."""

    def __init__(self, path: str, tree: Tree, schema: Schema) -> None:
        """Speak about the file at `path`."""
        self._path = path
        self._tree = tree
        self._schema = schema

    def complaints(self, error: ValidationError) -> Iterator[Complaint]:
        """Translate one complaint of the validator; a choice speaks for the branch that fits."""
        pointer = _pointer(error)
        match error.kind:
            case ValidationErrorKind.AdditionalProperties(unexpected=keys):
                for key in keys:
                    yield self._unknown_key(pointer, key)
            case ValidationErrorKind.Required(property=key):
                yield self._missing_key(pointer, str(key))
            case ValidationErrorKind.PropertyNames(error=inner):
                yield self._wrong_key(pointer, str(inner.instance))
            case (
                ValidationErrorKind.AnyOf(context=branches)
                | ValidationErrorKind.OneOfNotValid(context=branches)
            ) if fitting := _fitting(pointer, branches):
                for inner in fitting:
                    yield from self.complaints(inner)
            case kind:
                yield self._wrong_value(pointer, kind.name)

    def not_whole(self, pointer: str) -> Complaint:
        """Refuse `3.0` where a whole number belongs."""
        value = self._value(pointer)
        assert isinstance(value, Decimal)
        message = f"{self._field(pointer)} is spelled with a fraction; a whole number belongs here"
        return self._complaint(pointer, "wrong-type", message, f"write {plain(value)}")

    def _unknown_key(self, pointer: str, key: str) -> Complaint:
        known = [name for part in self._parts(pointer) for name in part.get("properties", {})]
        at = child(pointer, key)
        message = f"`{clip(key)}` is not a key of {self._field(pointer)}"
        meant = closest(key, known)
        hint = f"did you mean `{meant}`?" if meant else f"keys here: {', '.join(known)}"
        problem = Problem("unknown-key", message, hint, self._path, self._key_position(at))
        return Complaint(at, problem, "key")

    def _missing_key(self, pointer: str, key: str) -> Complaint:
        below = self._parts(child(pointer, key))
        message = f"{self._field(pointer)} lacks the key `{key}`"
        wanted = f": {' or '.join(expected(part) for part in below)}" if below else ""
        position = self._key_position(pointer)
        problem = Problem("missing-key", message, f"add `{key}`{wanted}", self._path, position)
        return Complaint(pointer, problem, "absence")

    def _wrong_key(self, pointer: str, key: str) -> Complaint:
        names = [part["propertyNames"] for part in self._parts(pointer) if "propertyNames" in part]
        at = child(pointer, key)
        message = f"`{clip(key)}` cannot be a key of {self._field(pointer)}"
        hint = f"write {' or '.join(expected(name) for name in names)}"
        problem = Problem("wrong-key", message, hint, self._path, self._key_position(at))
        return Complaint(at, problem, "key")

    def _wrong_value(self, pointer: str, keyword: str) -> Complaint:
        value = self._value(pointer)
        code = _CODES.get(keyword, "wrong-value")
        parts = self._parts(pointer)
        if code == "repeated-item":
            assert isinstance(value, tuple)
            return self._repeated(pointer, value)
        wanted = " or ".join(expected(part) for part in parts) or "another value"
        if code == "too-few":
            wanted = "at least one entry"
        message = f"{self._field(pointer)} is {found(value)}; {wanted} belongs here"
        hint = ""
        for part in parts:
            code, hint = _correction(value, part, code)
            if hint:
                break
        return self._complaint(
            pointer, code, message, hint or self._explanation(pointer) or f"write {wanted}"
        )

    def _repeated(self, pointer: str, items: tuple[Value, ...]) -> Complaint:
        """Point at the second of two equal items."""
        seen: set[Value] = set()
        for index, item in enumerate(items):
            if isinstance(item, (Mapping, tuple)):
                continue
            if item in seen:
                at = f"{pointer}/{index}"
                message = f"{found(item)} stands twice in {self._field(pointer)}"
                return self._complaint(at, "repeated-item", message, "delete one of the two")
            seen.add(item)
        message = f"{self._field(pointer)} repeats an item"
        return self._complaint(pointer, "repeated-item", message, "delete one of the two")

    def _complaint(self, pointer: str, code: str, message: str, hint: str) -> Complaint:
        position = self._tree.positions.get(pointer) or self._key_position(pointer)
        return Complaint(pointer, Problem(code, message, hint, self._path, position))

    def _explanation(self, pointer: str) -> str:
        """Say what the field is for, in the words of the schema."""
        described = [
            str(part["description"]) for part in self._parts(pointer) if "description" in part
        ]
        return f"{self._field(pointer)}: {described[0]}" if described else ""

    def _field(self, pointer: str) -> str:
        """Name a place the way its reader does; an item by the list it stands in."""
        keys = keys_of(pointer)
        if not keys:
            return f"a {str(self._schema.get('title', 'policy')).removeprefix('agentpolicy ')}"
        if keys[-1].isdigit() and pointer not in self._tree.keys:
            return f"item {int(keys[-1]) + 1} of {self._field(pointer.rsplit('/', 1)[0])}"
        return f"`{clip(keys[-1])}`"

    def _parts(self, pointer: str) -> tuple[Schema, ...]:
        return parts_at(self._schema, keys_of(pointer))

    def _key_position(self, pointer: str) -> Position:
        tree = self._tree
        found_at = tree.keys.get(pointer) or tree.positions.get(pointer)
        return found_at or Position(self._path, 1, 1)

    def _value(self, pointer: str) -> Value:
        value: Value = self._tree.value
        for key in keys_of(pointer):
            if isinstance(value, Mapping):
                value = value[key]
            else:
                assert isinstance(value, tuple)
                value = value[int(key)]
        return value


def _pointer(error: ValidationError) -> str:
    pointer = ""
    for key in error.instance_path:
        pointer = child(pointer, str(key))
    return pointer


def _fitting(pointer: str, branches: list[list[ValidationError]]) -> list[ValidationError]:
    """Give the complaints of the one branch whose type fits; none when it is not clear which."""
    fitting = [
        branch
        for branch in branches
        if not any(inner.kind.name == "type" and _pointer(inner) == pointer for inner in branch)
    ]
    return fitting[0] if len(fitting) == 1 else []


def _correction(value: Value, schema: Schema, code: str) -> tuple[str, str]:
    """Guess the edit that was meant; an empty hint when there is no good guess."""
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        written, is_text = plain(value), False
    elif isinstance(value, str):
        written, is_text = value, True
    else:
        return code, ""
    if schema.get("pattern") == MULTIPLE_PATTERN:
        if NUMBER.fullmatch(written):
            return "multiple-without-x", f"write {written}x"
    elif is_text:
        return code, _text_correction(written, schema)
    elif schema.get("type") == "string" and "enum" not in schema and "const" not in schema:
        return code, f'write "{written}" if text is meant'
    return code, ""


def _text_correction(text: str, schema: Schema) -> str:
    """Guess what a text was meant to be where a number, a list or another word belongs."""
    kind = schema.get("type")
    if kind in {"number", "integer"}:
        if NUMBER.fullmatch(text):
            return f"write {text} without quotes"
        if MULTIPLE.fullmatch(text):
            return f"write {text[:-1]} without the x"
    if kind == "array":
        return f"write [{clip(text)}]"
    allowed = [schema["const"]] if "const" in schema else schema.get("enum", [])
    meant = closest(text, map(str, allowed))
    return f"did you mean `{meant}`?" if meant else ""
