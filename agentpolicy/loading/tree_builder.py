"""Decides what each YAML event may be in a policy, and builds the tree with its positions."""

from decimal import Decimal

from yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    DocumentEndEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
)

from agentpolicy.base.errors import Problem
from agentpolicy.base.source import Position
from agentpolicy.documents.document import Value
from agentpolicy.loading.characters import MAX_PROBLEMS, unclean
from agentpolicy.loading.places import Places
from agentpolicy.loading.pointers import child, keys_of
from agentpolicy.loading.scalars import Refusal, clip, is_plain_key, plain_scalar
from agentpolicy.loading.syntax import too_deep

MAX_DEPTH = 32
"""Levels of nesting; the deepest document has seven."""
MAX_VALUES = 20_000
"""Keys and values of one file."""

_DROPPED = "\0"
"""Stands for a key that was refused: its value is read for problems, then dropped."""


class _Level:
    """A mapping or list that is being read."""

    __slots__ = ("entries", "here", "is_key", "items", "key", "pointer")

    def __init__(self, pointer: str, *, is_mapping: bool, is_key: bool) -> None:
        self.pointer = pointer
        self.entries: dict[str, Value] | None = {} if is_mapping else None
        self.items: list[Value] = []
        self.key: str | None = None
        """The key whose value comes next; None when a key comes next."""
        self.here = pointer
        """Pointer of the value that comes next, once its key is known."""
        self.is_key = is_key


class TreeBuilder:
    """Builds one tree out of events; whatever it refuses is kept as a problem."""

    def __init__(self, path: str) -> None:
        """Start with nothing read of the file at `path`."""
        self.path = path
        self.root: Value | None = None
        self.positions = Places(path)
        self.keys = Places(path)
        self._marks, self._key_marks = self.positions.marks, self.keys.marks
        self.fractions: set[str] = set()
        self.problems: list[Problem] = []
        self.refused: set[str] = set()
        """Pointers of values that a problem already speaks about."""
        self.stopped = False
        """Whether reading on would be of no use."""
        self._levels: list[_Level] = []
        self._level: _Level | None = None
        self._documents = 0
        self._values = 0

    def document_start(self, event: Event) -> None:
        """Allow one document; that it has no directives was seen before."""
        self._documents += 1
        if self._documents > 1:
            self._refuse(
                event,
                "several-documents",
                "`---` starts a second document here",
                "write one document a file",
            )
            self.stopped = True

    def document_end(self, event: DocumentEndEvent) -> None:
        """Refuse `...`, after which another document could hide."""
        if event.explicit:
            self._refuse(event, "document-marker", "`...` ends the document", "delete the line")

    def collection_start(self, event: CollectionStartEvent) -> None:
        """Open a mapping or a list."""
        is_mapping = isinstance(event, MappingStartEvent)
        level = self._level
        is_key = level is not None and level.entries is not None and level.key is None
        if level is None and not is_mapping:
            self._not_a_mapping(event, "a list")
            return
        if level is not None and is_key:
            self._drop_key(level)
            self._refuse(
                event, "key-not-text", "a list or mapping stands where a key belongs",
                "write a text as the key",
            )  # fmt: skip
        pointer = "" if level is None else self._here(level)
        self._marks[pointer] = event.start_mark
        self._decorations(event, pointer)
        self._count(event)
        if len(self._levels) == MAX_DEPTH:
            self.problems.append(too_deep(self.path, self._position(event)))
            self.stopped = True
        self._level = _Level(pointer, is_mapping=is_mapping, is_key=is_key)
        self._levels.append(self._level)

    def collection_end(self, _event: Event) -> None:
        """Close the innermost mapping or list and put it where it belongs."""
        level = self._levels.pop()
        self._level = self._levels[-1] if self._levels else None
        value: Value = tuple(level.items) if level.entries is None else level.entries
        if self._level is None:
            self.root = value
        elif not level.is_key:
            self._place(self._level, value)

    def scalar(self, event: ScalarEvent) -> None:
        """Read a key, or the value of a key or list item."""
        level = self._level
        if level is None:
            if event.value or event.style:
                self._not_a_mapping(event, f"the text `{clip(event.value)}`")
            return
        self._count(event)
        if level.entries is not None and level.key is None:
            self._key(event, level)
            return
        in_list = level.entries is None
        pointer = f"{level.pointer}/{len(level.items)}" if in_list else level.here
        self._marks[pointer] = event.start_mark
        if event.anchor is not None or event.tag is not None:
            self._decorations(event, pointer)
        value: Value | Refusal = event.value
        if not event.style:
            value = plain_scalar(event.value)
            if isinstance(value, Refusal):
                value = self._refused_value(event, value, pointer)
            elif isinstance(value, Decimal) and value == value.to_integral_value():
                self.fractions.add(pointer)
        elif event.style == '"' and (what := unclean(event.value)):
            self._say(
                "hidden-character", f"an escape hides {what}", "delete it", self._position(event)
            )
            self.refused.add(pointer)
        self._place(level, value)

    def alias(self, event: AliasEvent) -> None:
        """Refuse `*name`: the value would stand somewhere else."""
        level = self._level
        self._refuse(
            event, "alias", f"`*{clip(event.anchor or '')}` repeats a value from elsewhere",
            "write the value out",
        )  # fmt: skip
        if level is None:
            self.stopped = True
        elif level.entries is not None and level.key is None:
            self._drop_key(level)
        else:
            self.refused.add(self._here(level))
            self._place(level, "")

    def _key(self, event: ScalarEvent, level: _Level) -> None:
        """Read a key: a text, written once."""
        assert level.entries is not None
        key = event.value
        pointer = child(level.pointer, key)
        before = len(self.problems)
        if event.anchor is not None or event.tag is not None:
            self._decorations(event, level.pointer)
        if not event.style and key == "<<":
            self._say(
                "merge-key",
                "`<<` merges another mapping in",
                "write its keys out",
                self._position(event),
            )
        elif not event.style and not is_plain_key(key):
            self._say(
                "key-not-text", f"the key `{clip(key)}` is not a text to every YAML program",
                f'write "{clip(key)}"', self._position(event),
            )  # fmt: skip
        elif event.style and (what := "a line break" if "\n" in key else unclean(key)):
            self._say("hidden-character", f"a key holds {what}", "delete it", self._position(event))
        elif pointer in self._key_marks:
            first = self.keys[pointer]
            self._say(
                "duplicate-key", f"`{clip(key)}` is written twice; first at line {first.line}",
                "keep one of the two", self._position(event),
            )  # fmt: skip
        if len(self.problems) > before:
            self._drop_key(level)
            return
        self._key_marks[pointer] = event.start_mark
        level.key, level.here = key, pointer

    def _drop_key(self, level: _Level) -> None:
        """Go on to the value of a refused key, out of the way of the real ones."""
        level.key, level.here = _DROPPED, child(level.pointer, _DROPPED)
        self.refused.add(level.pointer)

    def _here(self, level: _Level) -> str:
        """Give the pointer of the value that comes next."""
        return level.here if level.entries is not None else f"{level.pointer}/{len(level.items)}"

    @staticmethod
    def _place(level: _Level, value: Value) -> None:
        if level.entries is None:
            level.items.append(value)
            return
        assert level.key is not None
        if level.key != _DROPPED:
            level.entries[level.key] = value
        level.key = None

    def _refused_value(self, event: ScalarEvent, refusal: Refusal, pointer: str) -> str:
        """Keep the problem of a plain text; a missing value is shown at its key."""
        code, message, hint = refusal
        position = self.positions[pointer]
        if not event.value and pointer in self.keys:
            position = self.keys[pointer]
            message = f"`{clip(keys_of(pointer)[-1])}` has no value"
        self._say(code, message, hint, position)
        self.refused.add(pointer)
        return event.value

    def _decorations(self, event: NodeEvent, pointer: str) -> None:
        """Refuse an anchor or a tag on a node."""
        if event.anchor is not None:
            self._refuse(
                event, "anchor", f"`&{clip(event.anchor)}` names a value for reuse", "delete it"
            )
            self.refused.add(pointer)
        tag = getattr(event, "tag", None)
        if tag is not None:
            self._refuse(
                event, "tag", f"the tag {clip(tag)!a} changes what a value is", "delete it"
            )
            self.refused.add(pointer)

    def _not_a_mapping(self, event: Event, found: str) -> None:
        self._refuse(
            event, "not-a-mapping", f"{found} stands where `key: value` lines belong",
            "write the document as a mapping",
        )  # fmt: skip
        self.stopped = True

    def _count(self, event: Event) -> None:
        self._values += 1
        if self._values > MAX_VALUES:
            self._refuse(
                event, "too-many-values", f"more than {MAX_VALUES} keys and values", "split it"
            )
            self.stopped = True

    def _position(self, event: Event) -> Position:
        mark = event.start_mark
        assert mark is not None
        return Position(self.path, mark.line + 1, mark.column + 1)

    def _refuse(self, event: Event, code: str, message: str, hint: str) -> None:
        self._say(code, message, hint, self._position(event))

    def _say(self, code: str, message: str, hint: str, position: Position) -> None:
        self.problems.append(Problem(code, message, hint, self.path, position))
        if len(self.problems) > MAX_PROBLEMS:
            self.stopped = True
