"""What must hold within a waiver: whom it is for, and what exactly it covers."""

from collections.abc import Iterator, Mapping

from agentpolicy.documents.document import Value
from agentpolicy.documents.violation import Violation

_BUDGET_METRICS = ("amber_rate_max", "p95_cost_usd")
_NUMBERS = (
    "text_similarity.threshold",
    "token_ratio.min",
    "token_ratio.max",
    "tool_calls_ratio",
)
_TOOL_ORDER = "tool_order"
TOOL_ORDER_LEVELS = ("exact", "same_unless_idempotent", "any")
"""The levels a band may ask for, strict first; the band's schema says the same."""
_OF_FIXTURES = ("field", "cases")
_OF_AGGREGATE = ("metric", "measured", "subject")


def waiver_violations(tree: Mapping[str, Value]) -> Iterator[Violation]:
    """Find what a waiver says too much or too little of."""
    yield from _for_whom(tree)
    aggregate = "scope" in tree
    needed, barred = (_OF_AGGREGATE, _OF_FIXTURES) if aggregate else (_OF_FIXTURES, _OF_AGGREGATE)
    what = "a waiver of an aggregate" if aggregate else "a waiver of fixtures"
    for key in needed:
        if key not in tree:
            yield Violation("", f"{what} lacks the key `{key}`", f"add `{key}`")
    for key in barred:
        if key in tree:
            hint = f"delete `{key}`, or " + (
                "delete `scope`" if aggregate else "write scope: aggregate"
            )
            yield Violation(f"/{key}", f"{what} has no `{key}`", hint)
    yield from _metric_of_the_other(tree)
    if isinstance(tree.get("cases"), tuple) and "band" in tree:
        yield from _unfit_values(tree)


def _for_whom(tree: Mapping[str, Value]) -> Iterator[Violation]:
    """Hold a waiver to one agent, or to one task type and variant."""
    pair = [key for key in ("task_type", "variant") if key in tree]
    if "agent" in tree and pair:
        yield Violation(
            f"/{pair[0]}",
            f"a waiver for an agent has no `{pair[0]}`",
            f"delete `{pair[0]}`, or delete `agent` to waive a limit of a budget",
        )
    elif "agent" not in tree and len(pair) != 2:  # noqa: PLR2004 - the pair
        hint = "add `agent` for its band, or `task_type` and `variant` for their budget"
        yield Violation("", "the waiver does not say whom it is for", hint)
    elif pair and "scope" not in tree:
        yield Violation(
            f"/{pair[0]}",
            "of a budget only an aggregate can be waived",
            "write scope: aggregate with metric, measured and subject, or name the agent",
        )


def _metric_of_the_other(tree: Mapping[str, Value]) -> Iterator[Violation]:
    metric = tree.get("metric")
    if metric is None:
        return
    of_budget = metric in _BUDGET_METRICS
    if of_budget == ("agent" in tree):
        whose, other = ("a budget", "task_type and variant") if of_budget else ("a band", "agent")
        yield Violation(
            "/metric", f"{metric} is a limit of {whose}", f"name {other} to say which one"
        )


def _unfit_values(tree: Mapping[str, Value]) -> Iterator[Violation]:
    """Find limits and measured values that the field of a waiver cannot have.

    `tool_order` is held to a level and measured as the digest of a tool sequence; a numeric field
    is a number on both sides.
    """
    field, band, cases = tree.get("field"), tree["band"], tree["cases"]
    if field not in {*_NUMBERS, _TOOL_ORDER} or not isinstance(cases, tuple):
        return
    is_order = field == _TOOL_ORDER
    if is_order and band not in TOOL_ORDER_LEVELS:
        yield _unfit("/band", field, band, f"a level: {', '.join(TOOL_ORDER_LEVELS)}")
    elif not is_order and isinstance(band, str):
        yield _unfit("/band", field, band, "a number")
    for number, case in enumerate(cases):
        measured = case["measured"] if isinstance(case, Mapping) else ""
        if isinstance(measured, str) != is_order:
            wanted = "the digest of a tool sequence" if is_order else "a number"
            yield _unfit(f"/cases/{number}/measured", field, measured, wanted)


def _unfit(pointer: str, field: Value | None, value: Value, wanted: str) -> Violation:
    message = f"{value} is not what {field} is measured in: {wanted}"
    return Violation(pointer, message, "copy it from the verdict: agentpolicy waiver new")
