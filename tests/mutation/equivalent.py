"""Mutants that mean what the code means, each with the reason why no test can tell."""

from collections.abc import Mapping

_EQUAL = "equal sides have been answered above"
EQUIVALENT: Mapping[tuple[str, str], str] = {
    ("compare.py", "Lt to LtE: low < high"): _EQUAL,
    ("compare.py", "Lt to LtE: strict < loose"): _EQUAL,
    ("compare.py", "Lt to LtE: before < after"): _EQUAL,
    ("compare.py", "Lt to LtE: smaller < larger"): _EQUAL,
    ("compare.py", "Gt to GtE: smaller > larger"): _EQUAL,
}
"""By file name and description."""
