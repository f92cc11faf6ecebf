"""Runs that lie on the limits of the themes' budgets, or one unit to a side, or are missing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from random import Random

from agentpolicy.documents.models.baseline import Baseline
from agentpolicy.documents.models.waiver import Waiver
from agentpolicy.runs.record import AtLeast, Duration, Money, Outcome, RunRecord, Status, Tokens
from agentpolicy.runs.run_set import RunSet
from tests.evidence import run_set
from tests.laws.leaves import VALUES
from tests.laws.policy_pairs import TASK, VARIANT
from tests.laws.routes import TOOLS_WITH_EFFECT, called

SUBJECT = "sha256:" + "5" * 64
INFRA: tuple[Status, ...] = ("infra_error", "cancelled")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a pair of policies is held against."""

    candidate: RunSet
    baseline: RunSet | None = None
    document: Baseline | None = None
    waivers: tuple[Waiver, ...] = ()

    def with_waivers(self, waivers: Sequence[Waiver]) -> "Evidence":
        return replace(self, waivers=tuple(waivers))


def _around(rules: Sequence[str], unit: str) -> tuple[Decimal, ...]:
    """Give every limit some rules may hold, and the values one unit to either side."""
    step = Decimal(unit)
    limits = {Decimal(value) for rule in rules for value in VALUES[rule]}
    return tuple(sorted({limit + shift for limit in limits for shift in (-step, 0 * step, step)}))


MEASURES: Mapping[str, tuple[Decimal, ...]] = {
    "steps": _around(("budget/steps-soft", "budget/steps-hard"), "1"),
    "cost": _around(("budget/cost-soft", "budget/cost-hard", "budget/p95-cost"), "0.01"),
    "latency": _around(("budget/latency-soft", "budget/latency-hard"), "0.001"),
    "tokens": _around(("budget/tokens-soft", "budget/tokens-hard"), "1"),
}
"""Where the values of a theme lie; the two least are inside every limit."""
_SHOWN = {"waived": {"steps", "cost"}, "sure": {"steps", "cost"}}
"""Themes that have no measure of their own, and those they are seen by."""
_EVALUATORS = ("end-state@1", "end-state@1", "human", "the agent", None)


def budget_evidence(random: Random, themes: Sequence[str]) -> Evidence:
    """Draw runs of which as many are past a limit as some rate just allows, or not."""
    sizes = (1, 2, 10, 20, 28, 29, 58, 59, 60) if "sure" in themes else (1, 1, 2, 3, 5, 10, 10)
    count = random.choice(sizes)
    shares = (Decimal(0), Decimal("0.05"), *VALUES["budget/amber-rate-max"])
    past = int(random.choice(shares) * count) + random.choice((0, 0, 0, 1))
    careless = random.choice((0.0, 0.0, 0.03, 0.15))
    repeats = random.choice((1, 1, 2))
    runs = [
        budget_run(random, number, themes, careless, repeats=repeats, bad=number < past)
        for number in range(count)
    ]
    return Evidence(run_set(*runs))


def budget_run(
    random: Random,
    number: int,
    themes: Sequence[str],
    careless: float,
    *,
    repeats: int = 1,
    bad: bool = False,
) -> RunRecord:
    """Draw a run that is inside everywhere, unless it is one of the bad ones."""
    shown = set(themes).union(*(_SHOWN.get(theme, set()) for theme in themes))
    active = [name for name in MEASURES if name in shown]
    ways = [*active, *(name for name in ("effects", "word") if name in shown)]
    worse = random.choice(ways) if bad and ways else ""

    def strays() -> bool:
        return random.random() < careless

    def drawn(name: str) -> Decimal | None:
        if name in active and strays():
            return None
        values = MEASURES[name]
        return random.choice(values if name == worse else values[:2])

    used = ["search"]
    if "effects" in shown and (worse == "effects" or strays()):
        used.append(random.choice(TOOLS_WITH_EFFECT))
    cost, latency, useful = drawn("cost"), drawn("latency"), drawn("latency")
    steps, tokens = drawn("steps"), drawn("tokens")
    return RunRecord(
        f"c-{number}",
        f"f{number // repeats}",
        number % repeats + 1,
        subject=SUBJECT,
        task_type=TASK,
        variant=VARIANT,
        outcome=_outcome(random, careless, wrong="word" in shown and (worse == "word" or strays())),
        tool_calls=None if strays() and random.random() < 0.5 else called(" ".join(used)),
        steps=None if steps is None else int(steps),
        cost_usd=None if cost is None else Money(cost),
        latency_ms=None if latency is None else Duration(latency * 1000),
        time_to_useful_ms=None if useful is None else Duration(useful * 1000),
        tokens=None if tokens is None else Tokens(int(tokens), 0, 0),
        at_least=_part(number, cost, tokens, latency) if number % 2 else None,
        status=random.choice(INFRA) if random.random() < careless / 5 else None,
    )


def _part(
    number: int, cost: Decimal | None, tokens: Decimal | None, latency: Decimal | None
) -> AtLeast:
    """Give what is known for sure of values that are missing: each in turn, and none drawn."""

    def known(name: str, whole: Decimal | None) -> Decimal | None:
        values = MEASURES[name]
        return values[number // 2 % len(values)] if whole is None else None

    spent, used, lasted = known("cost", cost), known("tokens", tokens), known("latency", latency)
    return AtLeast(
        None if spent is None else Money(spent),
        None if used is None else int(used),
        None if lasted is None else Duration(lasted * 1000),
    )


def _outcome(random: Random, careless: float, *, wrong: bool) -> Outcome | None:
    """Draw what somebody said about a run."""
    if random.random() < careless / 4:
        return None
    if wrong:
        return Outcome(random.choice((True, True, False, None)), random.choice(_EVALUATORS))
    return Outcome(True, "end-state@1")
