"""A release in which nothing is wrong, so that one thing can be: references and candidate alike.

It is built to be inside both states of a band and of the catalogue, with just the values that
either reads; the constructors of witnesses change one thing in it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from types import MappingProxyType
from typing import Any

from agentpolicy.documents.document import Value
from agentpolicy.order.values import json_text
from agentpolicy.order.witness_evidence import Evidence, Question, Record, Sides, Tree

CALL = "witness.look"
OTHER_CALL = "witness.see"
"""Two tools that no catalogue lists: never idempotent, and needing nothing first."""
SOURCE = "https://example.com/source"
_BASE = 1000
"""Milliseconds, and tokens, of a reference."""
_AS_IT_IS: Record = MappingProxyType({})
_LATENCY = ("/fields/latency_ms_p50/warn", "/fields/latency_ms_p50/fail", "/fields/latency_ms_p95")
_TOKENS = ("/fields/token_ratio/min", "/fields/token_ratio/max")
_PROVENANCE: Record = MappingProxyType(
    {
        "cohort_id": "w",
        "test_case_id": "w",
        "prompt_template_version": "w",
        "input_commitment": "sha256:" + "1" * 64,
        "tool_output_commitment": "sha256:" + "2" * 64,
        "available_tools_commitment": "sha256:" + "3" * 64,
        "requested_model": "w",
        "resolved_model": "w",
        "sdk_version": "w",
        "sampling": {"temperature": 0},
        "system_fingerprint": "w",
        "finish_reason": "stop",
        "contract_digest": "sha256:" + "4" * 64,
    }
)
PROVENANCE_FIELDS = tuple(_PROVENANCE)
CONTENT = "ok"
"""What an answer says where nothing is asked of it."""
SCORED = "/fields/text_similarity/threshold"


@dataclass(frozen=True, slots=True)
class Scene:
    """How a release differs from one in which nothing is wrong."""

    candidate: tuple[Record, ...] = (_AS_IT_IS,)
    """Changes of the candidate's attempts in turn, begun anew when they are used up."""
    reference: tuple[Record, ...] = (_AS_IT_IS,)
    """Changes of the reference's attempts; as many are made as changes are given."""
    fixtures: int = 0
    """0: as many as either side asks for."""
    attempts: int = 0
    """0: as many as either side asks for."""
    fixture_class: str = ""
    criticality: str = ""


def release(
    sides: Sides, about: str, scene: Scene, question: Question = Question.DECISION
) -> Evidence:
    """Make the runs of both sides, and what a baseline document says of their fixtures."""
    fixtures = scene.fixtures or _least(sides, "/sample_min")
    attempts = scene.attempts or _least(sides, "/repeats")
    return Evidence(
        about=about,
        question=question,
        runs=tuple(
            _attempt(sides, scene.candidate[(attempt - 1) % len(scene.candidate)], (place, attempt))
            for place in range(1, fixtures + 1)
            for attempt in range(1, attempts + 1)
        ),
        references=tuple(
            _attempt(sides, changed, (place, attempt), reference=True)
            for place in range(1, fixtures + 1)
            for attempt, changed in enumerate(scene.reference, 1)
        ),
        fixtures=tuple(_fixture(scene, place) for place in range(1, fixtures + 1)),
    )


def waived(evidence: Evidence, *waivers: Tree) -> Evidence:
    """Add waivers to a release."""
    return replace(evidence, waivers=waivers)


def call(name: str, **arguments: object) -> Record:
    """Write a call that succeeded."""
    return {"name": name, "args": arguments, "status": "ok"}


def calls_up_to(sides: Sides, last: Record, without: str = "") -> list[Record]:
    """List a call with the calls that either catalogue wants before it, but one."""
    done: dict[str, Record] = {}

    def before(name: str, seen: frozenset[str]) -> None:
        for tools in (sides.old_tools, sides.new_tools):
            for needed in _required(tools.get(name)):
                if needed not in seen | {without} and needed not in done:
                    before(needed, seen | {needed})
                    done[needed] = call(needed)

    name = str(last["name"])
    before(name, frozenset({name}))
    return [*done.values(), last]


def _required(tool: Value | None) -> tuple[str, ...]:
    needed = tool.get("requires") if isinstance(tool, Mapping) else None
    return tuple(str(name) for name in needed) if isinstance(needed, tuple) else ()


def answer(sides: Sides, without: str = "") -> str:
    """Write an answer that holds what the content gates of both sides ask for, but for one."""
    texts = [CONTENT]
    for gate in gates(sides):
        if json_text(gate) == without:
            continue
        if isinstance(gate, Mapping) and "contains" in gate:
            texts.append(str(gate["contains"]))
        elif gate == "cites_source":
            texts.append(SOURCE)
    return " ".join(texts)


def gates(sides: Sides) -> Iterator[Value]:
    """Give every content gate of either side, of whatever class."""
    for classes in sides.written("/fields/required_content"):
        assert isinstance(classes, Mapping)
        for listed in classes.values():
            yield from listed if isinstance(listed, tuple) else ()


def _fixture(scene: Scene, place: int) -> Tree:
    known: dict[str, Value] = {"id": f"w-{place}"}
    if scene.fixture_class:
        known["class"] = scene.fixture_class
    if scene.criticality:
        known["criticality"] = scene.criticality
    return known


def _attempt(
    sides: Sides, changed: Record, place: tuple[int, int], *, reference: bool = False
) -> Record:
    fixture, attempt = place
    side = "reference" if reference else "candidate"
    known: dict[str, object] = {
        "run_id": f"{side}-{fixture}-{attempt}",
        "fixture_id": f"w-{fixture}",
        "attempt": attempt,
        "agent": sides.name,
        "tool_calls": [call(CALL)] if sides.written("/fields/tool_calls_ratio") else [],
    }
    if sides.written("/fields/text_similarity") or sides.written("/fields/facts") or _gated(sides):
        known["final_answer"] = answer(sides)
        known["refused"] = "must_refuse" in gates(sides)
    if sides.written("/fields/required_keys") or sides.written("/fields/optional_keys"):
        known["output"] = output_with(sides.listed("/fields/required_keys"))
    if sides.limits(*_LATENCY):
        known["latency_ms"] = _BASE if reference else _within(sides, (), _LATENCY)
    if sides.limits(*_TOKENS):
        least, most = _TOKENS
        known["tokens"] = tokens(_BASE if reference else _within(sides, (least,), (most,)))
    if sides.written("/comparability"):
        known.update(_PROVENANCE)
    return known | dict(changed)


def output_with(names: Iterable[str]) -> Mapping[str, object]:
    """Write an output that has some keys, each a name or a path of names."""
    whole: dict[str, Any] = {}
    for name in names:
        *above, last = name.removeprefix("/").split("/")
        part = whole
        for step in above:
            part = part.setdefault(step, {})
        part.setdefault(last, {})
    return whole


def tokens(count: int) -> Record:
    """Write a count of tokens."""
    return {"input": count, "output": 0, "cached": 0, "basis": "inclusive"}


def _gated(sides: Sides) -> bool:
    return any(True for _ in gates(sides))


def _least(sides: Sides, pointer: str) -> int:
    return int(max([Decimal(1), *sides.limits(pointer)]))


def _within(sides: Sides, floors: tuple[str, ...], ceilings: tuple[str, ...]) -> int:
    """Give what is inside every ratio of both sides: as much as the reference if that is."""
    low = max(sides.limits(*floors), default=Decimal(0))
    high = min(sides.limits(*ceilings), default=max(low, Decimal(1)))
    ratio = min(max(Decimal(1), low), high)
    return int((ratio * _BASE).to_integral_value(ROUND_CEILING if ratio == low else ROUND_FLOOR))
