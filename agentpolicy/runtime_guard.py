"""Stops a run that has left every budget behind, from inside the agent's own loop.

It is the last line, above what the gate refuses: a change that makes long runs fails the gate
before it ever gets here. It needs nothing but Python, may be called from many threads, and never
reads a clock, a file or the network. One guard watches one run.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from hashlib import blake2b
from threading import Lock
from typing import Self

_LIMITS = ("steps", "tokens", "cost_usd", "identical_calls")
Amount = int | str | Decimal


class GuardTripped(Exception):  # noqa: N818 - it is what happened to the run, no error of ours
    """A run reached a limit of its guard, and is to be stopped; the guard stays tripped."""

    def __init__(self, limit: str, ceiling: Decimal, reached: Decimal, why: str) -> None:
        """Keep what was reached, for whoever tells the user."""
        super().__init__(why)
        self.limit = limit
        """`steps`, `tokens`, `cost_usd` or `identical_calls`."""
        self.ceiling = ceiling
        self.reached = reached


@dataclass(frozen=True, slots=True)
class Used:
    """What a run has used so far."""

    steps: int
    tokens: int
    cost_usd: Decimal


class RuntimeGuard:
    """Counts what one run does, and raises `GuardTripped` at the first step past a ceiling.

    A value equal to a ceiling is inside it. Call `before_call` before each tool call, which is
    then not to be made if it raises, and `after_model` after each model call.
    """

    def __init__(
        self,
        *,
        steps: int | None = None,
        tokens: int | None = None,
        cost_usd: Amount | None = None,
        identical_calls: int | None = None,
    ) -> None:
        """Set the ceilings; one that is left out does not exist.

        Raises:
            ValueError: a ceiling is no number from 0, or there is none at all.
            TypeError: a ceiling is a float, a boolean, or no number.
        """
        given = {"steps": steps, "tokens": tokens, "cost_usd": cost_usd,
                 "identical_calls": identical_calls}  # fmt: skip
        self._ceilings = {
            name: _amount(name, value) for name, value in given.items() if value is not None
        }
        if not self._ceilings:
            raise ValueError("a guard without any ceiling guards nothing")
        self._lock = Lock()
        self._steps = self._tokens = 0
        self._cost = Decimal(0)
        self._calls: Counter[bytes] = Counter()
        self._tripped: GuardTripped | None = None

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Make a guard for one run from what `agentpolicy guard export` wrote.

        Raises:
            ValueError: it is not such an export.
        """
        export = json.loads(text, parse_float=Decimal)
        limits = export.get("limits") if isinstance(export, Mapping) else None
        if not isinstance(limits, Mapping) or not set(limits) <= set(_LIMITS):
            raise ValueError("this is not what `agentpolicy guard export` writes")
        return cls(**limits)

    def before_call(self, tool: str, arguments: object = None) -> None:
        """Count a tool call that is about to be made.

        Two calls are identical when tool and arguments are, however far apart they stand.

        Raises:
            GuardTripped: the call would pass a ceiling, or an earlier one did.
        """
        name = _identity(tool, arguments)
        with self._lock:
            self._raise_again()
            self._steps += 1
            self._calls[name] += 1
            self._hold("steps", self._steps, "calls of tools")
            self._hold("identical_calls", self._calls[name], f"identical calls of {tool}")

    def after_model(self, *, tokens: int = 0, cost_usd: Amount = 0) -> None:
        """Count what a model call used.

        Raises:
            GuardTripped: with it the run is past a ceiling, or was before.
            TypeError: an amount is a float: money is written as text, so that none is rounded.
            ValueError: an amount is below 0, or no number.
        """
        used, cost = _amount("tokens", tokens), _amount("cost_usd", cost_usd)
        with self._lock:
            self._raise_again()
            self._tokens += int(used)
            self._cost += cost
            self._hold("tokens", self._tokens, "tokens")
            self._hold("cost_usd", self._cost, "US dollars")

    @property
    def used(self) -> Used:
        """What the run has used, a call that was refused included."""
        with self._lock:
            return Used(self._steps, self._tokens, self._cost)

    @property
    def tripped(self) -> GuardTripped | None:
        """What stopped the run, if anything did."""
        with self._lock:
            return self._tripped

    def _raise_again(self) -> None:
        """Keep a stopped run stopped: a loop that swallows the first refusal gets another."""
        if self._tripped is not None:
            raise self._tripped

    def _hold(self, limit: str, reached: int | Decimal, what: str) -> None:
        ceiling = self._ceilings.get(limit)
        if ceiling is not None and reached > ceiling:
            why = f"stopped by its runtime guard: {reached} {what}, at most {ceiling} are allowed"
            self._tripped = GuardTripped(limit, ceiling, Decimal(reached), why)
            raise self._tripped


def _amount(name: str, value: Amount) -> Decimal:
    """Read an amount exactly; all but money is counted in whole numbers."""
    taken = (int, Decimal, str) if name == "cost_usd" else (int,)
    if isinstance(value, bool) or not isinstance(value, taken):
        wanted = 'money as text, such as "0.25"' if name == "cost_usd" else "a whole number"
        raise TypeError(f"{name} is {value!r}, where {wanted} is needed")
    try:
        amount = Decimal(value)
    except ArithmeticError as error:
        raise ValueError(f"{name} is {value!r}, which is no number") from error
    if not amount.is_finite() or amount < 0:
        raise ValueError(f"{name} is {value!r}, where a number from 0 is needed")
    return amount


def _identity(tool: str, arguments: object) -> bytes:
    """Name a call by its tool and arguments, in few bytes; the order of keys says nothing."""
    try:
        text = json.dumps([tool, arguments], sort_keys=True, default=repr)
    except (TypeError, ValueError):
        text = repr((tool, arguments))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
