"""What must hold within a waiver: whom it is for, and what exactly it covers."""

from collections.abc import Iterator, Mapping

from agentpolicy.documents.document import Value
from agentpolicy.documents.violation import Violation

_BUDGET_METRICS = ("amber_rate_max", "p95_cost_usd")
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
