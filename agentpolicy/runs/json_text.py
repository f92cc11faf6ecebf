"""One text for each JSON value of the evidence, so that equal values have equal texts.

Unlike `base.canonical`, which writes what is signed, this reads whatever a log holds: numbers
compare by value (1 is 1.0), exactly, and a boolean is never a number.
"""

import json
from decimal import Decimal

from agentpolicy.base.numbers import plain


def json_text(value: object) -> str:
    """Write a JSON value canonically: sorted keys, numbers by value, no spaces.

    Raises:
        TypeError: the value is not JSON.
    """
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=True)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, Decimal)):
        return plain(value) if isinstance(value, Decimal) else str(value)
    if isinstance(value, dict):
        pairs = (f"{json.dumps(key)}:{json_text(value[key])}" for key in sorted(value))
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(json_text(item) for item in value) + "]"
    raise TypeError(f"{type(value).__name__} is not JSON")
