"""References and attempts that lie on the limits of the themes' bands, or stray, or are missing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from random import Random
from typing import Any

from agentpolicy.documents.models.baseline import Baseline
from agentpolicy.runs.commitments import text_digest
from agentpolicy.runs.record import Duration, Money, Outcome, RunRecord, Tokens, ToolCall
from msgspec.structs import replace as replace_in
from tests.evidence import run_set
from tests.laws.budget_runs import INFRA, SUBJECT, Evidence, budget_run
from tests.laws.policy_pairs import AGENT, OTHER_TASK, TASK, VARIANT
from tests.laws.routes import ROUTES, called

COMMITMENTS = ("sha256:" + "1" * 64, "sha256:" + "2" * 64)
_ANSWERS = ("xxxxxxxxxx", "xxxxxxxxxy", "xxxxxxxxyy", "xxxxxxxyyy", "xx doi:10.1/x")
_STATED = (
    "refund 12 on 34", "refund 12 on 34", "refund 34 on 12", "refund 12", "refund 12 on 34 56",
)  # fmt: skip
_OUTPUTS: Sequence[object] = (
    {"a": 1}, {"a": 1, "b": 1}, {"b": 1}, {"a": 1, "c": [{"a": 2}]}, {}, None,
)  # fmt: skip
_PASSED: Sequence[object] = (
    "Ab", "Ab", " ab", "Ac", "zz", 1, 2, 3, Decimal("1.0"), COMMITMENTS[0], ["a", "B"], ["b", "a"],
)  # fmt: skip
_SCORES = tuple(Decimal(text) for text in ("0.9", "0.9001", "0.8", "0.7999"))
_PROVENANCE = (
    "test_case_id", "prompt_template_version", "available_tools_commitment", "resolved_model",
)  # fmt: skip
_CLASSES = (None, None, "formatting", "prose")
_LEVELS = (None, None, "high", "critical")
_TASKS = (TASK,) * 8 + (OTHER_TASK,) * 3


def band_evidence(random: Random, themes: Sequence[str]) -> Evidence:
    """Draw a baseline and a candidate that differs from it, if at all, in the themes."""
    names = random.choice((("f",), ("f",), ("f", "g"), ("f", "g", "h")))
    careless = random.choice((0.05, 0.3, 0.6)) / len(names)
    varied = "planned" in themes
    before: list[RunRecord] = []
    after: list[RunRecord] = []
    planned = []
    for name in names:
        made = _Maker(random, name, themes, careless, hidden=random.random() < 0.25)
        references = [made.reference(number) for number in range(random.choice((1, 2, 3)))]
        before += references
        present = random.choice((0, 1, 1, 2, 2, 3) if varied else (1, 2))
        after += [made.attempt(number, random.choice(references)) for number in range(present)]
        planned.append(_planned(random, name, themes))
    if not after:
        after.append(_Maker(random, names[0], themes, careless, hidden=False).attempt(0, before[0]))
    baseline = run_set(*before)
    tree = {
        "baseline_version": 1,
        "runs": baseline.digest,
        "fixtures": tuple(planned),
        "accepted": _accepted(random, names, themes),
    }
    return Evidence(run_set(*after), baseline, Baseline.model_validate(tree))


def _planned(random: Random, name: str, themes: Sequence[str]) -> dict[str, Any]:
    """Write one fixture of the baseline document."""
    fixture: dict[str, Any] = {"id": name, "task_type": random.choice(_TASKS), "variant": VARIANT}
    if "planned" in themes:
        fixture["attempts"] = random.choice((1, 1, 2))
    fixture_class = random.choice(_CLASSES)
    if fixture_class and {"answers", "content"} & set(themes):
        fixture["class"] = fixture_class
    criticality = random.choice(_LEVELS)
    if criticality and "routing" in themes:
        fixture["criticality"] = criticality
    return fixture


def _accepted(
    random: Random, names: Sequence[str], themes: Sequence[str]
) -> tuple[dict[str, str], ...] | None:
    """Accept, now and then, another answer as a reference."""
    texts = _STATED if "facts" in themes else _ANSWERS
    if not {"answers", "facts"} & set(themes) or random.random() < 0.9:
        return None
    before, after = (text_digest(text) for text in (texts[0], texts[2]))
    return (
        {"fixture_id": random.choice(names), "before": before, "after": after, "reason": "as good"},
    )


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes the runs of one fixture."""

    random: Random
    name: str
    themes: Sequence[str]
    careless: float
    hidden: bool
    """Whether its log holds commitments in the place of arguments and results."""

    def reference(self, number: int) -> RunRecord:
        """Make a reference: steady, but for the route and the arguments where those are varied."""
        return self._run("b", number, {}, self.careless / 3)

    def attempt(self, number: int, like: RunRecord) -> RunRecord:
        """Make an attempt that does what one of the references did, unless it strays."""
        usual = {"tool_calls": like.tool_calls, "final_answer": like.final_answer}
        return self._run("c", number, usual, self.careless)

    def _drawn(self, strays: float, usual: Any, *others: Any) -> Any:  # noqa: ANN401 - any value
        if self.random.random() >= strays:
            return usual
        return self.random.choice((*others, *others, None))

    def _run(self, side: str, number: int, usual: Mapping[str, Any], strays: float) -> RunRecord:
        random, themes = self.random, set(self.themes)

        def strayed(*names: str) -> float:
            return strays if themes & set(names) else 0.0

        answers = _STATED if "facts" in themes else _ANSWERS
        answer = self._drawn(
            strayed("answers", "facts", "content", "routing"),
            usual.get("final_answer", answers[0]), *answers, COMMITMENTS[0],
        )  # fmt: skip
        known: dict[str, Any] = {name: "1" for name in _PROVENANCE if "planned" in themes}
        for name in known:
            known[name] = self._drawn(strays / 2, "1", "2")
        tokens = self._drawn(strayed("tokens"), 10, 6, 7, 8, 14, 15, 16)
        latency = self._drawn(strayed("latency"), 100, 140, 141, 150, 151, 160)
        score = self._drawn(strayed("answers"), _SCORES[0], *_SCORES)
        return RunRecord(
            f"{side}-{self.name}-{number}",
            self.name,
            number + 1,
            agent=AGENT,
            subject=SUBJECT,
            outcome=Outcome(True, "end-state@1"),
            tool_calls=self._calls(
                usual.get("tool_calls"), strayed("calls", "arguments", "tokens")
            ),
            final_answer=answer,
            output=self._drawn(strayed("shape"), {"a": 1}, *_OUTPUTS),
            refused=self._drawn(strayed("content"), True, False),
            cost_usd=Money("0.30"),
            tokens=None if tokens is None else Tokens(tokens, 0, 0),
            latency_ms=None if latency is None else Duration(latency),
            scores=None if score is None else {"other@1": score},
            status=random.choice(INFRA) if random.random() < strays / 30 else None,
            **known,
        )

    def _calls(
        self, usual: tuple[ToolCall, ...] | None, strays: float
    ) -> tuple[ToolCall, ...] | None:
        """Draw the calls; what they pass and give back varies only where arguments matter."""
        if usual is not None and self.random.random() >= strays:
            return usual
        routes = ROUTES if {"calls", "tokens"} & set(self.themes) else ROUTES[:1]
        if self.random.random() < strays / 8:
            return None
        route = self.random.choice(routes) if self.random.random() < 2 * strays else routes[0]
        made = called(route, self._arguments)
        if "calls" in self.themes and self.random.random() < 0.6:
            result = self.random.choice(COMMITMENTS if self.hidden else ("Ab", "Ac"))
            made = tuple(replace_in(call, result=result) for call in made)
        return made

    def _arguments(self) -> Any:  # noqa: ANN401 - whatever a record may hold
        if not {"arguments", "calls"} & set(self.themes):
            return {"id": "Ab"}
        if "arguments" in self.themes and self.random.random() < 0.05:
            return self.random.choice((None, "not JSON", *COMMITMENTS))
        strays = 0.4 if "arguments" in self.themes else 0.2
        usual, *others = COMMITMENTS if self.hidden and "arguments" in self.themes else _PASSED
        passed = {name: self._drawn(strays, usual, *others) for name in ("id", "q")}
        return {name: value for name, value in passed.items() if value is not None}


def release_evidence(random: Random, themes: Sequence[str]) -> Evidence:
    """Draw a band's evidence of which each run also lies on the limits of a budget's themes."""
    banded, budgeted = (
        [name.removeprefix(prefix) for name in themes if name.startswith(prefix)]
        for prefix in ("band ", "budget ")
    )
    evidence = band_evidence(random, banded)
    careless = random.choice((0.0, 0.0, 0.05))
    share = random.choice((0.0, 0.1, 0.3))
    runs = []
    for number, record in enumerate(evidence.candidate.records):
        spent = budget_run(random, number, budgeted, careless, bad=random.random() < share)
        runs.append(_spending(record, spent, budgeted))
    if random.random() < 0.03:
        label = random.choice(("agent", "subject"))
        runs[0] = replace_in(runs[0], **{label: None})
    candidate = run_set(*runs)
    if random.random() < 0.03:
        candidate = replace(candidate, hand_set=frozenset({random.choice(_BY_HAND)}))
    return replace(evidence, candidate=candidate)


_BY_HAND = ("subject", "task_type", "resolved_model")


def _spending(record: RunRecord, spent: RunRecord, themes: Sequence[str]) -> RunRecord:
    """Let a band's run spend what a budget's run spends, and no longer say what it is of."""
    known: dict[str, Any] = {
        "steps": spent.steps,
        "cost_usd": spent.cost_usd,
        "outcome": spent.outcome,
        "time_to_useful_ms": spent.time_to_useful_ms,
    }
    if "latency" in themes:
        known["latency_ms"] = spent.latency_ms
    if "tokens" in themes:
        known["tokens"] = spent.tokens
    if "effects" in themes and spent.tool_calls is not None:
        known["tool_calls"] = spent.tool_calls
    return replace_in(record, **known)
