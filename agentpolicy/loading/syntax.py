"""What libyaml could not read, said with its place and what to do about it."""

from yaml import YAMLError
from yaml.error import MarkedYAMLError

from agentpolicy.base.errors import Problem
from agentpolicy.base.source import Position

_HINTS: tuple[tuple[str, str], ...] = (
    ("mapping values are not allowed", 'put text that holds ": " in quotes, or check the indent'),
    ("cannot start any token", "put the text in quotes"),
    ("unexpected end of stream", "close the quote"),
    ("',' or ']'", "close the list with ]"),
    ("',' or '}'", "close the mapping with }"),
    ("expected key", "line it up with the keys above"),
    ("'-' indicator", "line it up with the items above"),
    ("unknown escape", "write the character itself, or double the backslash"),
    ("expected ':'", "write `key: value`"),
    ("undefined tag handle", "delete the tag"),
)
_END = "end of stream"


def syntax_problem(path: str, error: YAMLError) -> Problem:
    """Translate libyaml's complaint into a problem with a place and a hint."""
    if not isinstance(error, MarkedYAMLError):
        return Problem("syntax", f"not YAML: {error}", _hint(str(error)), path)
    said = error.problem or "not YAML"
    mark = error.problem_mark
    if _END in said or "expected ',' or" in said or mark is None:
        mark = error.context_mark or mark
    where = Position(path, mark.line + 1, mark.column + 1) if mark else Position(path, 1, 1)
    if "nesting" in said:
        return too_deep(path, where)
    context = f"{error.context}, " if error.context else ""
    return Problem("syntax", f"not YAML: {context}{said}", _hint(said), path, where)


def too_deep(path: str, where: Position) -> Problem:
    """Complain about nesting that no policy has."""
    return Problem("too-deep", "nested deeper than any policy", "flatten it", path, where)


def _hint(said: str) -> str:
    return next((hint for part, hint in _HINTS if part in said), "check quotes and indent")
