"""The fields of many rows at once, gone through by built-in functions.

A line of Python for each run would cost more than decoding it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from operator import add, attrgetter
from typing import Any

from msgspec import UNSET, UnsetType

from agentpolicy.loading.run_rows import (
    AtLeastRow,
    OutcomeRow,
    RunRow,
    TokensRow,
    duration_of,
    known,
    money_of,
)
from agentpolicy.runs.amounts import MISSING

READ: Mapping[str, Callable[[Any], object]] = {
    "cost_usd": money_of, "latency_ms": duration_of, "time_to_useful_ms": duration_of,
}  # fmt: skip
"""The amounts that are checked by themselves, each with what reads it."""
_FIELDS = (
    "run_id", "fixture_id", "attempt", "agent", "subject", "task_type", "variant", "outcome",
    "tool_calls", "final_answer", "status", "steps", "cost_usd", "latency_ms",
    "time_to_useful_ms", "tokens", "infra_error", "at_least",
)  # fmt: skip
_FIELDS_OF, AMOUNTS_OF = attrgetter(*_FIELDS), attrgetter(*READ)
_OUTCOME_OF, NAME_OF = attrgetter("correct", "evaluator"), attrgetter("name")
_TOKENS_OF = attrgetter("input", "output", "basis")
_NO_OUTCOME = OutcomeRow()
_CORRECT = {True: 1, False: 0, None: MISSING, UNSET: MISSING}


def fields_of(rows: Sequence[RunRow]) -> Mapping[str, Sequence[Any]]:
    """Take every field out of all rows."""
    return dict(zip(_FIELDS, zip(*map(_FIELDS_OF, rows), strict=True), strict=True))


def known_of(values: Sequence[Any]) -> Sequence[Any]:
    """Take a key that is absent for one that is null."""
    return [None if value is UNSET else value for value in values] if UNSET in values else values


@dataclass(frozen=True, slots=True)
class Shown:
    """What has to be worked out of some runs' fields."""

    correct: list[int]
    evaluators: Sequence[str | None]
    tokens: list[int | None]

    @classmethod
    def of(cls, fields: Mapping[str, Sequence[Any]]) -> "Shown":
        """Work it out."""
        outcomes = [one or _NO_OUTCOME for one in fields["outcome"]]
        correct, evaluators = zip(*map(_OUTCOME_OF, outcomes), strict=True)
        found = list(map(_CORRECT.__getitem__, correct))
        return cls(found, known_of(evaluators), _tokens(fields["tokens"]))


def steps_of(claimed: Sequence[Any], calls: Sequence[Any]) -> list[int | None]:
    """Count steps as `evidence_of` does: what is claimed never undercuts the calls listed."""
    if None in claimed or None in calls:
        return [
            steps if listed is None else max(len(listed), steps or 0)
            for steps, listed in zip(claimed, calls, strict=True)
        ]
    return list(map(max, claimed, map(len, calls)))


def _tokens(used: Sequence[TokensRow | UnsetType | None]) -> list[int | None]:
    """Add each run's tokens up; see `Tokens.total`."""
    if None in used or UNSET in used:
        return [one.total if isinstance(one, TokensRow) else None for one in used]
    given, said, bases = zip(*map(_TOKENS_OF, used), strict=True)
    if {*bases} == {"inclusive"} and {*map(type, given), *map(type, said)} == {int}:
        return list(map(add, given, said))  # what is nearly always written
    return [one.total for one in used if isinstance(one, TokensRow)]


def least_of(measure: str, said: AtLeastRow | None, tokens: object) -> str | int | Decimal | None:
    """Give the known part of an amount that one run lacks; no part is a missing one."""
    part: Any = None if said is None else known(getattr(said, measure))
    if measure == "tokens" and isinstance(tokens, TokensRow):
        part = max(part or 0, tokens.least) or None
    return part  # type: ignore[no-any-return]  # checked by the exact reader
