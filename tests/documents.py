"""Strategies for whole documents, drawn from their schemas."""

from collections.abc import Callable, Mapping
from decimal import Decimal

from agentpolicy.documents.document import Value
from agentpolicy.documents.rows import X_KEYED_BY
from hypothesis import strategies as st

Values = st.SearchStrategy[Value]

_WORDS = ("a", "b", "refund-agent", "all")
_TEXTS: Mapping[str, Values] = {
    r"^(0|[1-9][0-9]*)(\.[0-9]+)?x$": st.sampled_from(["1x", "1.5x", "1.50x", "3x"]),
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$": st.sampled_from(["2026-03-01", "2026-12-31"]),
    r"^sha256:[0-9a-f]{64}$": st.sampled_from([f"sha256:{digit * 64}" for digit in "0a"]),
    r"^[0-9a-f]{32}$": st.just("0" * 32),
    r"^refs/heads/[^\s~^:?*\[\\]+$": st.sampled_from(["refs/heads/main", "refs/heads/a/b"]),
    r"^(bands|budgets)/[a-z0-9][a-z0-9._-]*$": st.sampled_from(["bands/a", "budgets/b"]),
}
_PREFIXES: Mapping[str, Values] = {
    "^(exact|": st.sampled_from(["exact", "normalised", "similar(0.90)", "similar(1)", "ignored"]),
    "^arguments": st.sampled_from(["arguments.mail.send.to", "arguments.t.n"]),
    "^[a-z0-9][a-z0-9._/-]*@": st.sampled_from(["lexical-indel@1", "local/e5@2.0"]),
}
_ANY_TEXT: Values = st.sampled_from(_WORDS)

junk: Values = st.sampled_from(
    [
        "", " ", "x" * 1001, "1.5", "0.9", "similar(2)", "similar(0.9", "2026-3-1", "sha256:abc",
        "Ä", "a b", "a\nb", "exact", True, False, 0, -1, 1, 91, Decimal("-0.1"), Decimal("1.5"),
        Decimal("0.5"), (), ("a", "a"), ("a", 1), ({},), {}, {"rule": "exact"}, {"unknown": 1},
        {"": "a"}, {"A": 1},
    ]
)  # fmt: skip
"""What the strict reader can hand on, and most leaves must refuse."""


def tree_of(schema: Mapping[str, object]) -> Values:
    """Draw values that a schema takes, with any of their optional parts."""
    choices = schema.get("enum") or ([schema["const"]] if "const" in schema else None)
    if isinstance(choices, list):
        return st.sampled_from(choices)
    alternatives = schema.get("anyOf")
    if isinstance(alternatives, list):
        return st.one_of([tree_of(choice) for choice in alternatives])
    return _BY_TYPE[str(schema["type"])](schema)


def _objects(schema: Mapping[str, object]) -> Values:
    entries = schema.get("additionalProperties")
    if isinstance(entries, Mapping):
        names = schema["propertyNames"]
        assert isinstance(names, Mapping)
        keys = tree_of(names) if "enum" in names else _texts(str(names.get("pattern", "")))
        return st.dictionaries(keys.map(str), tree_of(entries), max_size=2)
    parts, required = schema.get("properties", {}), schema.get("required", [])
    assert isinstance(parts, Mapping)
    assert isinstance(required, list)
    drawn = {key: tree_of(part) for key, part in parts.items()}
    return st.fixed_dictionaries(
        {key: drawn[key] for key in required},
        optional={key: value for key, value in drawn.items() if key not in required},
    )


def _lists(schema: Mapping[str, object]) -> Values:
    items, least = schema["items"], schema.get("minItems", 0)
    assert isinstance(items, Mapping)
    assert isinstance(least, int)
    distinct = schema.get("uniqueItems") or X_KEYED_BY in schema
    return st.lists(
        tree_of(items), min_size=least, max_size=3, unique_by=_sorted if distinct else None
    ).map(tuple)


def _sorted(value: Value) -> str:
    """Write a value in a way that does not depend on the order of keys."""
    return repr(sorted(value.items()) if isinstance(value, Mapping) else value)


def _texts(pattern: str) -> Values:
    for prefix, texts in _PREFIXES.items():
        if pattern.startswith(prefix):
            return texts
    return _TEXTS.get(pattern, _ANY_TEXT)


def _numbers(schema: Mapping[str, object]) -> Values:
    low, high = schema.get("minimum", 0), schema.get("maximum", 90)
    assert isinstance(low, int)
    assert isinstance(high, int)
    if schema["type"] == "integer":
        return st.integers(low, high)
    tenths = st.integers(low * 10, high * 10)
    return st.one_of(st.integers(low, high), tenths.map(lambda number: Decimal(number) / 10))


_BY_TYPE: Mapping[str, Callable[[Mapping[str, object]], Values]] = {
    "object": _objects,
    "array": _lists,
    "string": lambda schema: _texts(str(schema.get("pattern", ""))),
    "boolean": lambda _: st.booleans(),
    "integer": _numbers,
    "number": _numbers,
}
