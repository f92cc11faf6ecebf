"""Trees written as YAML the way a person would write them."""

import json
import re
from collections.abc import Mapping
from decimal import Decimal

from agentpolicy.documents.document import Value
from agentpolicy.loading.scalars import is_plain_key, plain_scalar

PLAIN = re.compile(r"[A-Za-z0-9._/-]+(?: [A-Za-z0-9._/-]+)*")


def spelled(value: Value) -> str:
    """Write a leaf the way a person would: plain where that is safe, else in quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, Decimal)):
        return format(value, "f") if isinstance(value, Decimal) else str(value)
    assert isinstance(value, str)
    if PLAIN.fullmatch(value) and plain_scalar(value) == value and value[0] not in "-.":
        return value
    if "'" in value:
        return json.dumps(value, ensure_ascii=False)
    return f"'{value}'"


def key_of(key: str) -> str:
    return spelled(key) if is_plain_key(key) else json.dumps(key, ensure_ascii=False)


def written(value: Value, indent: int = 0) -> str:
    """Write a mapping as block YAML; lists and what they hold as flow."""
    assert isinstance(value, Mapping)
    lines = []
    for key, below in value.items():
        if isinstance(below, Mapping) and below:
            lines.append(f"{' ' * indent}{key_of(key)}:\n{written(below, indent + 2)}")
        else:
            lines.append(f"{' ' * indent}{key_of(key)}: {flow(below)}\n")
    return "".join(lines)


def flow(value: Value) -> str:
    if isinstance(value, Mapping):
        return (
            "{" + ", ".join(f"{key_of(key)}: {flow(below)}" for key, below in value.items()) + "}"
        )
    if isinstance(value, tuple):
        return f"[{', '.join(map(flow, value))}]"
    return spelled(value)
