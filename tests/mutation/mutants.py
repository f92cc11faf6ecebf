"""All the ways a module can be bent in one place: one mutant at a time, and every one of them."""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

FLIPPED = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,), ast.And: (ast.Or,), ast.Or: (ast.And,),
}  # fmt: skip
"""What may stand for an operator: the neighbour of a limit, and the other direction."""
NAMES = {
    "min": "max", "max": "min", "all": "any", "any": "all", "all_of": "any_of",
    "any_of": "all_of", "at_most": "at_least", "at_least": "at_most", "worst": "max",
}  # fmt: skip
ANSWERS = {
    "TIGHTER": "LOOSER", "LOOSER": "TIGHTER", "NEUTRAL": "INCOMPARABLE",
    "INCOMPARABLE": "NEUTRAL", "UNKNOWN": "NEUTRAL", "PASS": "FAIL", "FAIL": "PASS",
    "INCONCLUSIVE": "PASS", "PASS_WITH_WAIVERS": "PASS", "NO_OP": "FAST_REVIEW",
    "FAST_REVIEW": "NO_OP", "FULL_GATE": "FAST_REVIEW",
    "MAX_LIMIT": "MIN_LIMIT", "MIN_LIMIT": "MAX_LIMIT", "SUBSET_OF": "SUPERSET_OF",
    "SUPERSET_OF": "SUBSET_OF", "OPAQUE": "RECORD", "ROOT": "RECORD", "ADDITIONS": "RECORD",
}  # fmt: skip
"""The answers and the kinds of rows that stand for each other's opposite."""
ROW_MAKERS = {
    "ceiling": "floor", "floor": "ceiling", "required": "allowed", "allowed": "required",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mutant:
    """One bent module."""

    line: int
    what: str
    source: str
    kind: str
    """`direction`, `row`, `dropped`, or `operator`."""


def mutants(source: str) -> Iterator[Mutant]:
    """Bend a module in each place, in each way, without its docstrings and comments."""
    tree = ast.parse(source)
    for index, node in enumerate(ast.walk(tree)):
        for number, (what, kind) in enumerate(_ways(node)):
            bent = copy.deepcopy(tree)
            place = next(one for at, one in enumerate(ast.walk(bent)) if at == index)
            _bend(place, number)
            text = ast.unparse(ast.fix_missing_locations(bent))
            yield Mutant(getattr(node, "lineno", 0), what, text, kind)


def _ways(node: ast.AST) -> list[tuple[str, str]]:
    """Name the ways of bending one node, in a fixed order."""
    return [(what, kind) for what, kind, _ in _changes(node)]


def _bend(node: ast.AST, number: int) -> None:
    change = _changes(node)[number][2]
    for name, value in change.items():
        setattr(node, name, value)


Change = tuple[str, str, dict[str, object]]


def _changes(node: ast.AST) -> list[Change]:
    if isinstance(node, ast.Compare):
        return list(_comparisons(node))
    if isinstance(node, ast.BoolOp):
        kind = ast.Or if isinstance(node.op, ast.And) else ast.And
        parts: list[Change] = [
            (
                f"drop a part of {type(node.op).__name__}: {ast.unparse(part)[:60]}",
                "dropped",
                {"values": [one for one in node.values if one is not part]},
            )
            for part in node.values
            if len(node.values) > 1
        ]
        return [
            (f"{type(node.op).__name__} to {kind.__name__}", "operator", {"op": kind()}),
            *parts,
        ]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return [("drop not", "operator", {"op": ast.UAdd(), "operand": _truth(node.operand)})]
    if isinstance(node, ast.Name) and node.id in NAMES and isinstance(node.ctx, ast.Load):
        return [(f"{node.id} to {NAMES[node.id]}", "direction", {"id": NAMES[node.id]})]
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        other = ANSWERS.get(node.attr) or NAMES.get(node.attr)
        return [(f".{node.attr} to .{other}", "direction", {"attr": other})] if other else []
    return list(_statements(node))


def _comparisons(node: ast.Compare) -> Iterator[Change]:
    for at, operator in enumerate(node.ops):
        for other in FLIPPED.get(type(operator), ()):
            changed = [other() if one == at else old for one, old in enumerate(node.ops)]
            kind = "direction" if isinstance(operator, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) else ""
            name = f"{type(operator).__name__} to {other.__name__}"
            yield f"{name}: {ast.unparse(node)[:60]}", kind or "operator", {"ops": changed}


def _statements(node: ast.AST) -> Iterator[Change]:
    """Drop a check: an `if` that is never taken, a `yield` that is left out."""
    if isinstance(node, (ast.If, ast.IfExp)):
        test = ast.unparse(node.test)[:60]
        yield f"never if {test}", "dropped", {"test": ast.Constant(False)}
        yield f"always if {test}", "dropped", {"test": ast.Constant(True)}
    elif isinstance(node, ast.comprehension) and node.ifs:
        yield f"drop {ast.unparse(node.ifs[0])[:60]}", "dropped", {"ifs": node.ifs[1:]}
    elif isinstance(node, ast.Expr) and isinstance(node.value, (ast.Yield, ast.YieldFrom)):
        what = ast.unparse(node.value)[:60]
        yield f"drop {what}", "dropped", {"value": ast.Constant(None)}


def _truth(node: ast.expr) -> ast.expr:
    return ast.Call(ast.Name("bool", ast.Load()), [node], [])
