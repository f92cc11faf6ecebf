"""One record of the own format as far as a budget reads it: strict in what it reads.

Whatever a budget does not look into (arguments, results, outputs, scores) is passed over unread;
whether that is well-formed is told by the gates that read it, and by `runs validate`.
"""

from decimal import Decimal
from typing import Any, TypeVar

from msgspec import UNSET, Raw, Struct, UnsetType, json

from agentpolicy.base.canonical import MAX_INTEGER
from agentpolicy.base.numbers import exact
from agentpolicy.runs.record import Count, Id, Status, exact_number, tokens_at_least, tokens_in_all

_UNFINISHED = frozenset({"infra_error", "cancelled"})
T = TypeVar("T")


def known(value: T | UnsetType) -> T | None:
    """Give a value that is there; whether its key is absent or null makes no difference."""
    return None if isinstance(value, UnsetType) else value


class CallRow(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """One call, of which only the name is read."""

    name: Id
    args: Raw | UnsetType = UNSET
    status: Raw | UnsetType = UNSET
    result: Raw | UnsetType = UNSET
    call_id: Raw | UnsetType = UNSET
    depends_on: Raw | UnsetType = UNSET
    parent_call_id: Raw | UnsetType = UNSET
    effect: Raw | UnsetType = UNSET
    operation_id: Raw | UnsetType = UNSET
    attempt_id: Raw | UnsetType = UNSET
    attempt_number: Raw | UnsetType = UNSET
    retry_of: Raw | UnsetType = UNSET
    http_status: Raw | UnsetType = UNSET
    server_advertised_delay_ms: Raw | UnsetType = UNSET
    selected_delay_ms: Raw | UnsetType = UNSET
    delay_source: Raw | UnsetType = UNSET


class OutcomeRow(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """What was found, and by whom."""

    correct: bool | UnsetType | None = UNSET
    evaluator: str | UnsetType | None = UNSET


class TokensRow(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """What was used; see `Tokens`."""

    input: Count | UnsetType | None = UNSET
    output: Count | UnsetType | None = UNSET
    cached: Count | UnsetType | None = UNSET
    basis: str | UnsetType | None = UNSET

    @property
    def total(self) -> int | None:
        """All tokens; see `Tokens.total`."""
        given, said = self.input, self.output
        if self.basis == "inclusive" and type(given) is int and type(said) is int:
            return given + said  # what is nearly always written
        return tokens_in_all(
            known(self.input), known(self.output), known(self.cached), known(self.basis)
        )

    @property
    def least(self) -> int:
        """The fewest tokens that may be meant; see `Tokens.least`."""
        return tokens_at_least(
            known(self.input), known(self.output), known(self.cached), known(self.basis)
        )


class AtLeastRow(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """What was used for sure; see `AtLeast`."""

    cost_usd: str | UnsetType | None = UNSET
    tokens: Count | UnsetType | None = UNSET
    latency_ms: Any = UNSET


class RunRow(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """One run. A key that is absent is unset, so that what is written back has every key it had.

    Amounts are checked by `money_of` and `duration_of`.
    """

    run_id: Id
    fixture_id: Id
    attempt: Count | UnsetType = UNSET
    agent: str | UnsetType | None = UNSET
    subject: str | UnsetType | None = UNSET
    task_type: str | UnsetType | None = UNSET
    variant: str | UnsetType | None = UNSET
    outcome: OutcomeRow | UnsetType | None = UNSET
    tool_calls: list[CallRow] | UnsetType | None = UNSET
    final_answer: str | UnsetType | None = UNSET
    output: Raw | UnsetType = UNSET
    refused: bool | UnsetType | None = UNSET
    status: Status | UnsetType | None = UNSET
    steps: Count | UnsetType | None = UNSET
    cost_usd: str | UnsetType | None = UNSET
    latency_ms: Any = UNSET
    time_to_useful_ms: Any = UNSET
    tokens: TokensRow | UnsetType | None = UNSET
    at_least: AtLeastRow | UnsetType | None = UNSET
    scores: Raw | UnsetType = UNSET
    infra_error: str | UnsetType | None = UNSET
    cohort_id: Raw | UnsetType = UNSET
    test_case_id: Raw | UnsetType = UNSET
    prompt_template_version: Raw | UnsetType = UNSET
    input_commitment: Raw | UnsetType = UNSET
    tool_output_commitment: Raw | UnsetType = UNSET
    available_tools_commitment: Raw | UnsetType = UNSET
    requested_model: Raw | UnsetType = UNSET
    resolved_model: Raw | UnsetType = UNSET
    sdk_version: Raw | UnsetType = UNSET
    sampling: Raw | UnsetType = UNSET
    system_fingerprint: Raw | UnsetType = UNSET
    finish_reason: Raw | UnsetType = UNSET
    contract_digest: Raw | UnsetType = UNSET

    @property
    def finished(self) -> bool:
        """Whether the run came to an end of its own; see `RunRecord.finished`."""
        return known(self.infra_error) is None and self.status not in _UNFINISHED


DECODER = json.Decoder(RunRow, float_hook=exact_number)
LINES = json.Encoder()


def money_of(text: str | None) -> Decimal | None:
    """Read an amount of money, which is written as text.

    Raises:
        ValueError: the text is no plain decimal number of a sane size.
    """
    return None if text is None else _in_range(exact(text))


def duration_of(value: object) -> int | Decimal | None:
    """Read a number of milliseconds.

    Raises:
        TypeError: it is none.
        ValueError: it is of no sane size.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        raise TypeError("a duration is a number of milliseconds")
    _in_range(Decimal(value))
    return value


def _in_range(number: Decimal) -> Decimal:
    if not 0 <= number <= MAX_INTEGER:
        raise ValueError(f"{number} is not between 0 and {MAX_INTEGER}")
    return number
