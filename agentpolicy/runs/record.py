"""One normalised run record: what is known about one attempt at one fixture.

A field that is absent or null is *missing*, never 0 and never false. The one exception is
`output`: absent is missing, null says that the agent gave no structured output.
What a record claims about a tool's effect, or about its own step count, is counted, not believed.
"""

from collections.abc import Mapping
from decimal import Context, Decimal
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct

from agentpolicy.base.canonical import MAX_INTEGER
from agentpolicy.base.numbers import MAX_DIGITS, exact

Count = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
Id = Annotated[str, Meta(min_length=1, max_length=1000)]
Status = Literal["completed", "limit", "agent_error", "infra_error", "cancelled"]


class Money(Decimal):
    """US dollars, written as text (`"0.30"`) so that no writer's float touches them."""


class Duration(Decimal):
    """Milliseconds, written as a JSON number and read exactly."""


class Outcome(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the end-state assertions found."""

    correct: bool | None = None
    evaluator: str | None = None


class Tokens(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Tokens the agent used."""

    input: Count | None = None
    output: Count | None = None
    cached: Count | None = None
    basis: str | None = None
    """`inclusive`: input holds the cached ones; `exclusive`: it does not; else not known."""

    @property
    def total(self) -> int | None:
        """All tokens, or None where the record does not say enough to add them up."""
        return tokens_in_all(self.input, self.output, self.cached, self.basis)

    @property
    def least(self) -> int:
        """The fewest tokens that what the record says can mean."""
        return tokens_at_least(self.input, self.output, self.cached, self.basis)

    @property
    def sent(self) -> int | None:
        """What models were sent, cached or not; None where the record does not say enough."""
        total = self.total
        return None if total is None or self.output is None else total - self.output


def tokens_in_all(
    given: int | None, said: int | None, cached: int | None, basis: str | None
) -> int | None:
    """Add tokens up, or give None where what is known does not say how."""
    if given is None or said is None or basis == "unknown":
        return None
    if basis == "exclusive":
        return None if cached is None else given + said + cached
    if cached and basis != "inclusive":
        return None  # whether `input` holds the cached ones is anybody's guess
    return given + said


def tokens_at_least(
    given: int | None, said: int | None, cached: int | None, basis: str | None
) -> int:
    """Give the fewest tokens that what is known can mean."""
    beside = cached if basis == "exclusive" else None
    return (given or 0) + (said or 0) + (beside or 0)


class AtLeast(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a run used for sure, where some of its parts were not measured.

    It can prove that a limit was passed, and never that one was kept.
    """

    cost_usd: Money | None = None
    tokens: Count | None = None
    latency_ms: Duration | None = None


class ToolCall(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One call of one tool, in the order of the run. Its identity is its place, not its id."""

    name: Id
    args: dict[str, Any] | str | None = None
    """The argument object; text where the arguments were not valid JSON, or a commitment."""
    status: str | None = None
    """Only `ok` counts as done; any other word is a call that failed or was denied."""
    result: Any = UNSET
    call_id: str | None = None
    """Not unique within a run: a reference means the nearest earlier call with that id."""
    depends_on: tuple[str, ...] = ()
    parent_call_id: str | None = None
    effect: str | None = None
    """What the log claims the call does. Never believed: the catalogue decides."""
    operation_id: str | None = None
    attempt_id: str | None = None
    attempt_number: Count | None = None
    retry_of: str | None = None
    http_status: Count | None = None
    server_advertised_delay_ms: Duration | None = None
    selected_delay_ms: Duration | None = None
    delay_source: str | None = None


class RunRecord(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One run. (fixture_id, attempt) and run_id are each unique within a run set."""

    run_id: Id
    fixture_id: Id
    attempt: Count = 1
    agent: str | None = None
    subject: str | None = None
    """Digest of instructions, tools and settings, or of the artefact that ships."""
    task_type: str | None = None
    variant: str | None = None
    outcome: Outcome | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
    final_answer: str | None = None
    output: Any = UNSET
    refused: bool | None = None
    status: Status | None = None
    """Absent means completed. `infra_error` and `cancelled` runs show nothing, but count."""
    steps: Count | None = None
    cost_usd: Money | None = None
    latency_ms: Duration | None = None
    time_to_useful_ms: Duration | None = None
    tokens: Tokens | None = None
    at_least: AtLeast | None = None
    """Parts of `cost_usd`, `tokens` and `latency_ms` where the whole is not known."""
    scores: dict[str, Any] | None = None
    infra_error: str | None = None
    cohort_id: str | None = None
    test_case_id: str | None = None
    prompt_template_version: str | None = None
    input_commitment: str | None = None
    tool_output_commitment: str | None = None
    available_tools_commitment: str | None = None
    requested_model: str | None = None
    resolved_model: str | None = None
    sdk_version: str | None = None
    sampling: dict[str, Any] | None = None
    system_fingerprint: str | None = None
    finish_reason: str | None = None
    contract_digest: str | None = None

    def __post_init__(self) -> None:
        """Refuse a dependency that names no earlier call: it would silently allow reordering.

        A part that is larger than its whole is refused too.
        """
        self._check_parts()
        seen: set[str] = set()
        for call in self.tool_calls or ():
            for needed in call.depends_on:
                if needed not in seen:
                    raise ValueError(f"depends_on names {needed!r}, which no earlier call has")
            if call.call_id is not None:
                seen.add(call.call_id)

    def _check_parts(self) -> None:
        if self.at_least is None:
            return
        tokens = self.tokens.total if self.tokens else None
        for name, whole in (
            ("cost_usd", self.cost_usd),
            ("tokens", tokens),
            ("latency_ms", self.latency_ms),
        ):
            part = getattr(self.at_least, name)
            if part is not None and whole is not None and part > whole:
                raise ValueError(f"at_least.{name} is {part}, more than the whole, {whole}")

    @property
    def finished(self) -> bool:
        """Whether the run came to an end of its own, so that it shows what the agent does."""
        return self.infra_error is None and self.status not in {"infra_error", "cancelled"}


SETTABLE = (
    "agent", "subject", "task_type", "variant", "cohort_id", "test_case_id",
    "prompt_template_version", "input_commitment", "tool_output_commitment",
    "available_tools_commitment", "requested_model", "resolved_model", "sdk_version",
    "system_fingerprint", "contract_digest",
)  # fmt: skip
"""The labels a person may fill in where a log does not carry them; measurements are not."""


def at_least(
    cost_usd: Decimal | None = None, tokens: int | None = None, latency_ms: Decimal | None = None
) -> AtLeast | None:
    """Write down what a run used for sure; None where that is nothing."""
    if not (cost_usd or tokens or latency_ms):
        return None
    return AtLeast(
        Money(cost_usd) if cost_usd else None,
        tokens or None,
        Duration(latency_ms) if latency_ms else None,
    )


_ANY = Context(prec=2 * MAX_DIGITS, traps=[])
"""Reads every number that short without rounding it, and an exponent beyond all bounds as none."""


def exact_number(text: str) -> Decimal:
    """Read a JSON number with a fraction or an exponent, exactly and of a sane size.

    Raises:
        ValueError: more digits or a larger exponent than any measurement has.
    """
    if len(text) <= 2 * MAX_DIGITS:
        number = _ANY.create_decimal(text)
        if number.is_finite() and abs(number.adjusted()) <= MAX_DIGITS:
            return number
    raise ValueError(f"the number {text[:50]} is out of range")


def _hook(kind: type, value: object) -> object:
    """Read the exact number types, which msgspec does not know."""
    if kind is Money:
        if not isinstance(value, str):
            raise TypeError('money is written as text, such as "0.30"')
        return Money(_in_range(exact(value)))
    if kind is Duration:
        if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
            raise TypeError("a duration is a number of milliseconds")
        return Duration(_in_range(Decimal(value)))
    raise NotImplementedError(kind)


def _written(value: object) -> object:
    """Write the exact number types as `_hook` reads them."""
    if isinstance(value, Money):
        return format(value, "f")  # `str` writes 0.0000001 with an exponent, which money never has
    if isinstance(value, Duration):
        return Decimal(value)
    raise NotImplementedError(type(value))


def _in_range(number: Decimal) -> Decimal:
    """Refuse what cannot be a measurement."""
    if not 0 <= number <= MAX_INTEGER:
        raise ValueError(f"{number} is not between 0 and {MAX_INTEGER}")
    return number


DECODER = msgspec.json.Decoder(RunRecord, dec_hook=_hook, float_hook=exact_number)
"""Reads one record. Unknown fields, wrong types and numbers out of range are refused."""
ENCODER = msgspec.json.Encoder(enc_hook=_written, decimal_format="number")
"""Writes a record so that `DECODER` reads the same record back, exactly."""


def filled(record: RunRecord, labels: Mapping[str, str]) -> RunRecord:
    """Give the record with its missing labels filled in."""
    return msgspec.structs.replace(record, **labels)
