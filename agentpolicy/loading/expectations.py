"""What a schema asks for, and what was found instead, in the words of the field."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from agentpolicy.base.numbers import MULTIPLE, plain
from agentpolicy.documents.document import Value
from agentpolicy.loading.scalars import clip

MULTIPLE_PATTERN = f"^{MULTIPLE.pattern}$"
_PATTERNS = {
    MULTIPLE_PATTERN: "a multiple of the baseline such as 1.5x",
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}$": "a date such as 2026-03-31",
    "^sha256:[0-9a-f]{64}$": "a digest: `sha256:` and 64 digits 0-9a-f",
    "^[a-z0-9][a-z0-9._-]*$": "a name of a-z, 0-9, `.`, `_` and `-`",
    "^[A-Za-z0-9_][A-Za-z0-9_.:/-]*$": "the name of a tool",
    "^(bands|budgets)/[a-z0-9][a-z0-9._-]*$": "`bands/` or `budgets/` and a name",
    r"^refs/heads/[^\s~^:?*\[\\]+$": "a full branch name such as refs/heads/main",
    "^[0-9a-f]{32}$": "32 digits 0-9a-f, as `agentpolicy init` makes them",
}
_OTHERS = {"array": "a list", "boolean": "true or false", "object": "a mapping of keys"}
_CLOSE = 65
"""How alike (of 100) a misspelling must be to its correction."""


def found(value: Value) -> str:
    """Say what stands there: `the text "0.92"`, `the number 3`, `a list`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, Decimal)):
        return f"the number {plain(value)}"
    if isinstance(value, str):
        return f'the text "{clip(value)}"'.replace("\n", "↵") if value else "an empty text"
    if isinstance(value, Mapping):
        return "a mapping" if value else "an empty mapping"
    return "a list" if value else "an empty list"


def expected(schema: Mapping[str, Any]) -> str:
    """Say what belongs there: `a number from 0 to 1`, `a date such as 2026-03-31`."""
    if "const" in schema or "enum" in schema:
        return choices(schema.get("enum") or [schema["const"]])
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            return " or ".join(expected(choice) for choice in schema[keyword])
    kind = str(schema.get("type"))
    if kind in {"number", "integer"}:
        return _number(schema)
    if kind == "string":
        return _text(schema)
    if kind == "array" and "items" in schema:
        return f"a list, each item {expected(schema['items'])}"
    return _OTHERS.get(kind, "a value")


def choices(allowed: Iterable[object]) -> str:
    """List what may be chosen from."""
    words = [f"`{word}`" for word in allowed]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def closest(word: str, known: Iterable[str]) -> str | None:
    """Find the word that was probably meant; None when nothing is close."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - only a refusal needs it

    best = process.extractOne(word, list(known), scorer=fuzz.ratio, score_cutoff=_CLOSE)
    return str(best[0]) if best else None


def _number(schema: Mapping[str, Any]) -> str:
    whole = schema["type"] == "integer"
    kind = "a whole number" if whole else "a number"
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f"{kind} from {low} to {high}"
    if low is not None:
        return f"{kind} of at least {low}"
    if high is not None:
        return f"{kind} of at most {high}"
    return f"{kind} such as {3 if whole else 0.92}"


def _text(schema: Mapping[str, Any]) -> str:
    pattern = schema.get("pattern")
    if pattern in _PATTERNS:
        return _PATTERNS[pattern]
    if "x-hint" in schema:
        return str(schema["x-hint"])
    if pattern:
        return f"text of the form {pattern}"
    longest = schema.get("maxLength")
    return f"text of at most {longest} characters" if longest else "text"
