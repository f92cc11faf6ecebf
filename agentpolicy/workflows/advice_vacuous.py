"""Policies that nothing can satisfy, and limits that nothing reads: worth a thought, no block."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal

from agentpolicy.base.errors import Problem
from agentpolicy.documents.document import Document, DocumentKind, Snapshot, Value
from agentpolicy.documents.layout import TOOLS_PATH
from agentpolicy.order.walk import step, value_at
from agentpolicy.order.witness_evidence import number

_MEASURES = ("steps", "cost_usd", "latency_s", "tokens")
_RATIOS = (
    "/fields/latency_ms_p50/fail",
    "/fields/latency_ms_p95",
    "/fields/token_ratio/max",
    "/fields/tool_calls_ratio",
)


def vacuous(document: Document, side: Snapshot) -> Iterator[Problem]:
    """Find what is wrong with a readable document that admission has no reason to refuse."""
    look = _LOOKS.get(document.kind)
    if look is not None:
        yield from look(document, _tools(side))


def _budget(budget: Document, tools: Mapping[str, Value]) -> Iterator[Problem]:
    yield from _impossible_bounds(budget)
    yield from _nobody_judges(budget)
    yield from _unread_limits(budget)
    yield from _uncallable(budget, tools)


def _impossible_bounds(budget: Document) -> Iterator[Problem]:
    """Under `bound` no number of runs proves a share of all, or of none."""
    if value_at(budget.tree, "/gate/decision") != "bound":
        return
    for name, limit in (("pass_rate_min", Decimal(1)), ("amber_rate_max", Decimal(0))):
        pointer = f"/gate/aggregate/{name}"
        if number(value_at(budget.tree, pointer)) == limit:
            yield _advice(
                budget,
                pointer,
                "vacuous",
                f"nothing can pass: no number of runs proves {name} {limit} under decision: bound",
                "write a limit that a bound can reach, or decision: point",
            )


def _nobody_judges(budget: Document) -> Iterator[Problem]:
    least = number(value_at(budget.tree, "/gate/aggregate/pass_rate_min"))
    if value_at(budget.tree, "/evaluators") == () and least:
        yield _advice(
            budget,
            "/evaluators",
            "vacuous",
            "nothing can pass: nobody's word on whether a run is correct counts",
            "name an evaluator, or leave `evaluators` out",
        )


def _unread_limits(budget: Document) -> Iterator[Problem]:
    """A limit decides through a rate; without the rate it is only reported."""
    for side, rate in (("soft", "amber_rate_max"), ("hard", "pass_rate_min")):
        if value_at(budget.tree, f"/gate/aggregate/{rate}") is not None:
            continue
        for name in _MEASURES:
            pointer = f"/budget/{name}/{side}"
            if value_at(budget.tree, pointer) is not None:
                yield _advice(
                    budget,
                    pointer,
                    "undecisive",
                    f"{name}.{side} decides nothing: gate.aggregate.{rate} is not set",
                    f"set gate.aggregate.{rate}",
                )


def _uncallable(budget: Document, tools: Mapping[str, Value]) -> Iterator[Problem]:
    allowed = value_at(budget.tree, "/budget/allowed_effects")
    names = set(allowed) if isinstance(allowed, tuple) else set()
    for tool in sorted(map(str, names)):
        for needed in _required(tools, tool):
            if needed not in names and _has_effect(tools, needed):
                yield _advice(
                    budget,
                    "/budget/allowed_effects",
                    "vacuous",
                    f"{tool} is allowed, but {needed}, which it requires, is not",
                    f"allow {needed}, or stop allowing {tool}",
                )


def _band(band: Document, tools: Mapping[str, Value]) -> Iterator[Problem]:
    del tools
    for pointer in _RATIOS:
        if number(value_at(band.tree, pointer)) == 0:
            name = pointer.removeprefix("/fields/").replace("/", ".")
            message = f"nothing can pass: {name} is 0 times the baseline"
            yield _advice(band, pointer, "vacuous", message, "write a ratio above 0")
    yield from _contradictory_content(band)


def _contradictory_content(band: Document) -> Iterator[Problem]:
    """A text that must be there and holds one that must not."""
    classes = value_at(band.tree, "/fields/required_content")
    if not isinstance(classes, Mapping):
        return
    for name in sorted(classes):
        gates = [*_gates(classes, "all"), *(_gates(classes, name) if name != "all" else ())]
        wanted = {str(gate["contains"]) for gate in gates if "contains" in gate}
        barred = {str(gate["absent"]) for gate in gates if "absent" in gate}
        for text in sorted(wanted):
            for inner in sorted(other for other in barred if other.casefold() in text.casefold()):
                yield _advice(
                    band,
                    f"/fields/required_content{step(name)}",
                    "vacuous",
                    f"nothing of class {name} can pass: an answer that holds {text!r} "
                    f"holds {inner!r}, which it must not",
                    "take one of the two gates out",
                )


def _gates(classes: Mapping[str, Value], name: str) -> list[Mapping[str, Value]]:
    listed = classes.get(name)
    gates = listed if isinstance(listed, tuple) else ()
    return [gate for gate in gates if isinstance(gate, Mapping)]


def _catalogue(catalogue: Document, tools: Mapping[str, Value]) -> Iterator[Problem]:
    """A tool that, by however many steps, must come before itself."""
    for tool in sorted(tools):
        before: set[str] = set()
        waiting = list(_required(tools, tool))
        while waiting:
            needed = waiting.pop()
            if needed not in before:
                before.add(needed)
                waiting.extend(_required(tools, needed))
        if tool in before:
            message = f"no run can call {tool} rightly: it must come before itself"
            yield _advice(catalogue, f"/tools{step(tool)}/requires", "vacuous", message,
                          "break the circle of `requires`")  # fmt: skip


def _tools(side: Snapshot) -> Mapping[str, Value]:
    document = side.documents.get(TOOLS_PATH)
    listed = document.tree.get("tools") if document else None
    return listed if isinstance(listed, Mapping) else {}


def _required(tools: Mapping[str, Value], name: str) -> tuple[str, ...]:
    tool = tools.get(name)
    needed = tool.get("requires") if isinstance(tool, Mapping) else None
    return tuple(map(str, needed)) if isinstance(needed, tuple) else ()


def _has_effect(tools: Mapping[str, Value], name: str) -> bool:
    tool = tools.get(name)
    return not isinstance(tool, Mapping) or tool.get("effect") != "read"


def _advice(document: Document, pointer: str, code: str, message: str, hint: str) -> Problem:
    place = document.positions.get(pointer) or document.positions.get("")
    return Problem(code, message, hint, document.path, place)


_LOOKS: Mapping[
    DocumentKind, Callable[[Document, Mapping[str, Value]], Iterator[Problem]]
] = {
    DocumentKind.BUDGET: _budget,
    DocumentKind.BAND: _band,
    DocumentKind.TOOLS: _catalogue,
}  # fmt: skip
