"""Which calls use what an earlier call found: an identity argument first seen in a result."""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from msgspec import UNSET

from agentpolicy.gate.catalogue import Catalogue
from agentpolicy.runs.commitments import is_commitment
from agentpolicy.runs.evidence import Truth
from agentpolicy.runs.json_text import json_text
from agentpolicy.runs.record import ToolCall

Scalar = str | int | Decimal


def flows(calls: Sequence[ToolCall], catalogue: Catalogue) -> dict[tuple[int, int], Truth]:
    """Find the pairs (earlier, later) of calls between which an identifier flows.

    A value that appears as an argument before it appears in any result was not learnt from one.
    A result that was not recorded, or only as a commitment, may hold anything: then the pair is
    unknown, and the search goes on behind it. Pairs that are known to be free are left out.
    """
    found: dict[tuple[int, int], Truth] = {}
    for later, call in enumerate(calls):
        for value in _identities(call, catalogue):
            for earlier, known in _sources(value, calls[:later]):
                if not found.get((earlier, later)):
                    found[earlier, later] = known
    return found


def may_flow(calls: Sequence[ToolCall], catalogue: Catalogue) -> set[tuple[int, int]]:
    """Find the pairs for which some identity argument leaves open whether a value flows.

    Unlike in `flows`, another argument that is known to flow hides none of them.
    """
    return {
        (earlier, later)
        for later, call in enumerate(calls)
        for value in _identities(call, catalogue)
        for earlier, known in _sources(value, calls[:later])
        if known is None
    }


def _identities(call: ToolCall, catalogue: Catalogue) -> Iterator[Scalar]:
    """List the values that say what a call is about."""
    if isinstance(call.args, Mapping):
        for name in catalogue.identity_args(call.name):
            yield from _leaves(call.args.get(name))


def _sources(value: Scalar, calls: Sequence[ToolCall]) -> Iterator[tuple[int, Truth]]:
    """Walk forward to the first appearance of a value; it is a source if it is a result."""
    for index, call in enumerate(calls):
        if any(_equal(value, shown) for shown in _leaves(call.args)):
            return
        if call.result is UNSET or is_commitment(call.result):
            yield index, None
        elif any(_equal(value, shown) or _within(value, shown) for shown in _leaves(call.result)):
            yield index, True
            return


def _leaves(value: object) -> Iterator[Scalar]:
    """List the texts and numbers of a JSON value; empty text identifies nothing."""
    if isinstance(value, Mapping):
        for below in value.values():
            yield from _leaves(below)
    elif isinstance(value, (list, tuple)):
        for below in value:
            yield from _leaves(below)
    elif isinstance(value, (str, int, Decimal)) and not isinstance(value, bool) and value != "":
        yield value


def _equal(one: Scalar, other: Scalar) -> bool:
    """Compare by value; the text of a number is that number, as logs write both."""
    return _text(one) == _text(other)


def _within(value: Scalar, shown: Scalar) -> bool:
    """Look for a value as a whole word of a text, such as a result that is JSON in a string."""
    if not isinstance(shown, str):
        return False
    return re.search(rf"(?<!\w){re.escape(_text(value))}(?!\w)", shown) is not None


def _text(value: Scalar) -> str:
    return value if isinstance(value, str) else json_text(value)
