"""Traces of agents become runs, one a trace: OpenTelemetry's names, their elders, OpenInference's.

Wrappers repeat the usage of the call they wrap, so that only calls of a model without another
inside them count. What no span says stays missing.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from agentpolicy.base.errors import InputError
from agentpolicy.base.source import Position
from agentpolicy.loading.importers.call_log import arguments_of
from agentpolicy.loading.importers.importer import Importer, Placed, each
from agentpolicy.loading.importers.otel_spans import Span, is_trace, spans_of
from agentpolicy.loading.runs_json import json_at
from agentpolicy.runs.record import Duration, Money, RunRecord, Tokens, ToolCall, at_least

_KIND = ("openinference.span.kind", "traceloop.span.kind")
_FIXTURE = ("agentpolicy.fixture_id", "test.case.id", "test.case.name", "gen_ai.conversation.id",
            "session.id")  # fmt: skip
_INPUT = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.usage.prompt_tokens",
          "llm.token_count.prompt")  # fmt: skip
_OUTPUT = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens",
           "llm.usage.completion_tokens", "llm.token_count.completion")  # fmt: skip
_TOTAL = ("gen_ai.usage.total_tokens", "llm.usage.total_tokens", "llm.token_count.total")
_CACHED = (
    ("gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens",
     "llm.token_count.prompt_details.cache_read"),
    ("gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_creation_input_tokens",
     "llm.token_count.prompt_details.cache_write"),
)  # fmt: skip
_COST = ("gen_ai.usage.cost", "gen_ai.cost.total", "llm.cost.total", "tokenjam.cost_usd")
_TOOL = ("gen_ai.tool.name", "tool.name", "traceloop.entity.name")
_ARGUMENTS = ("gen_ai.tool.call.arguments", "gcp.vertex.agent.tool_call_args", "tool.parameters",
              "traceloop.entity.input", "input.value")  # fmt: skip
_RESULT = ("gen_ai.tool.call.result", "gcp.vertex.agent.tool_response", "traceloop.entity.output",
           "output.value")  # fmt: skip
_ANSWER = ("gen_ai.completion.0.content", "output.value", "traceloop.entity.output")
_REQUESTED = ("gen_ai.request.model", "llm.model_name")
_EXECUTE = "execute_tool"
_LONG = 40
"""No count has so many digits."""


def read(path: str, data: bytes) -> Iterator[Placed]:
    """Read every trace of a file, of one JSON value or of one a line, as one run each."""
    at = Position(path, 1, 1)
    traces: dict[str, dict[str, Span]] = defaultdict(dict)
    unreadable: list[Placed] = []
    for place, value in _values(path, data, unreadable):
        try:
            for span in spans_of(place, value):
                traces[span.trace][span.id] = span
        except InputError as error:
            unreadable.append((place, error.problems[0]))
    yield from unreadable
    agents = [
        list(spans.values()) for spans in traces.values() if any(map(_counts, spans.values()))
    ]
    yield from each(at, agents, _run)


def _values(path: str, data: bytes, unreadable: list[Placed]) -> Iterator[tuple[Position, Any]]:
    """Give the JSON values of a file: all of it, or line by line where it is not one value."""
    lines = [line for line in data.split(b"\n") if line.strip()]
    if len(lines) > 1 and all(line.strip()[:1] + line.strip()[-1:] == b"{}" for line in lines[:2]):
        numbered = enumerate(data.split(b"\n"), start=1)
        parts = [(Position(path, number, 1), line) for number, line in numbered if line.strip()]
    else:
        parts = [(Position(path, 1, 1), data)]
    for place, part in parts:
        try:
            yield place, json_at(place, part)
        except InputError as error:
            unreadable.append((place, error.problems[0]))


def _run(spans: Sequence[Span]) -> RunRecord:
    ordered = sorted(spans, key=lambda span: (span.begun, span.ended, span.id))
    models = _models(ordered)
    cost, tokens = _cost(models), _tokens(models)
    return RunRecord(
        run_id=ordered[0].trace,
        fixture_id=str(_first_of(ordered, _FIXTURE) or ordered[0].trace),
        agent=_said(_first_of(ordered, ("gen_ai.agent.name",))),
        tool_calls=tuple(_call(span) for span in ordered if _is_tool(span)),
        final_answer=_answer(models),
        steps=len(models) or None,
        cost_usd=cost,
        latency_ms=_latency(ordered),
        tokens=tokens,
        at_least=at_least(
            None if cost else sum(_prices(models), Decimal(0)),
            None if tokens else sum(map(_least, models)),
        ),
        requested_model=_only(models, _REQUESTED),
        resolved_model=_only(models, ("gen_ai.response.model",)),
        system_fingerprint=_only(models, ("gen_ai.openai.system_fingerprint",)),
    )


def _kind(span: Span) -> str:
    return str(_attribute(span, _KIND) or "").lower()


def _operation(span: Span) -> str:
    return str(span.attributes.get("gen_ai.operation.name") or "")


def _is_tool(span: Span) -> bool:
    if _operation(span):
        return _operation(span) == _EXECUTE
    named = "gen_ai.tool.name" in span.attributes or span.name.startswith(f"{_EXECUTE} ")
    return named or _kind(span) == "tool"


def _is_model(span: Span) -> bool:
    if _is_tool(span):
        return False
    known = _operation(span) in {"chat", "text_completion", "generate_content"}
    return known or _kind(span) == "llm" or _attribute(span, (*_INPUT, *_OUTPUT)) is not None


def _is_agent(span: Span) -> bool:
    return _operation(span) == "invoke_agent" or _kind(span) == "agent"


def _counts(span: Span) -> bool:
    """Say whether a span is a trace of an agent at all."""
    return _is_tool(span) or _is_model(span) or _is_agent(span)


def _models(spans: Sequence[Span]) -> list[Span]:
    """Give the calls of a model that wrap no other, each response once."""
    parents = {span.id: span.parent for span in spans}
    models = [span for span in spans if _is_model(span)]
    wrapping = {id_ for span in models for id_ in _ancestors(span, parents)}
    leaves = [span for span in models if span.id not in wrapping]
    once: dict[str, Span] = {}
    for span in leaves:
        once.setdefault(str(span.attributes.get("gen_ai.response.id") or span.id), span)
    return list(once.values())


def _ancestors(span: Span, parents: Mapping[str, str]) -> Iterator[str]:
    seen: set[str] = set()
    above = span.parent
    while above in parents and above not in seen:
        seen.add(above)
        yield above
        above = parents[above]


def _call(span: Span) -> ToolCall:
    arguments = _attribute(span, _ARGUMENTS)
    name = _attribute(span, _TOOL) or span.name.removeprefix(f"{_EXECUTE} ")
    result = _attribute(span, _RESULT)
    return ToolCall(
        str(name) or "unnamed",
        arguments_of(arguments)
        if isinstance(arguments, str)
        else arguments
        if isinstance(arguments, dict)
        else None,
        status="error" if span.failed else "ok",
        result=msgspec.UNSET if result is None else result,
        call_id=_said(span.attributes.get("gen_ai.tool.call.id")),
    )


def _tokens(models: Sequence[Span]) -> Tokens | None:
    """Add the usage up; one call of a model that says nothing leaves all unknown."""
    used = [_usage(span) for span in models]
    if not used or None in used:
        return None
    known = [one for one in used if one is not None]
    bases = {basis for _, _, cached, basis in known if cached} or {"inclusive"}
    return Tokens(
        sum(one[0] for one in known),
        sum(one[1] for one in known),
        sum(one[2] for one in known),
        bases.pop() if len(bases) == 1 else "unknown",
    )


def _usage(span: Span) -> tuple[int, int, int, str] | None:
    """Read input, output, cached ones, and whether the input holds the cached ones."""
    given, said = (_count(_attribute(span, names)) for names in (_INPUT, _OUTPUT))
    if given is None or said is None or not given + said:
        return None
    cached = sum(_count(_attribute(span, names)) or 0 for names in _CACHED)
    total = _count(_attribute(span, _TOTAL))
    if total is None:
        # The conventions say that the input holds them; older names had no such rule.
        basis = "inclusive" if "gen_ai.usage.input_tokens" in span.attributes else "unknown"
    elif total == given + said:
        basis = "inclusive"
    else:
        basis = "exclusive" if total == given + said + cached else "unknown"
    return given, said, cached, basis


def _count(value: object) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < _LONG:
        value = int(value)
    if isinstance(value, Decimal) and value == int(value):
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _least(span: Span) -> int:
    """Count what one call used for sure, though it may not say all it used."""
    used = _usage(span)
    if used is not None:
        given, said, cached, basis = used
        return given + said + (cached if basis == "exclusive" else 0)
    return sum(_count(_attribute(span, names)) or 0 for names in (_INPUT, _OUTPUT))


def _prices(models: Sequence[Span]) -> Iterator[Decimal]:
    """Give what the calls cost that say it."""
    costs = (_attribute(span, _COST) for span in models)
    return (Decimal(str(cost)) for cost in costs if _is_amount(cost))


def _cost(models: Sequence[Span]) -> Money | None:
    """Add the cost up where every call of a model says what it cost; zero says nothing."""
    costs = list(_prices(models))
    total = sum(costs, Decimal(0))
    return Money(total) if total and len(costs) == len(models) else None


def _is_amount(cost: object) -> bool:
    return isinstance(cost, (int, Decimal)) and not isinstance(cost, bool) and cost >= 0


def _latency(spans: Sequence[Span]) -> Duration:
    """Measure the agent's own span where there is one on top, else the whole trace."""
    agents = [span for span in spans if _is_agent(span)]
    inside = {span.id for span in agents}
    tops = [span for span in agents if span.parent not in inside]
    if len(tops) == 1:
        return Duration(Decimal(tops[0].ended - tops[0].begun) / 1_000_000)
    begun, ended = min(span.begun for span in spans), max(span.ended for span in spans)
    return Duration(Decimal(ended - begun) / 1_000_000)


def _answer(models: Sequence[Span]) -> str | None:
    """Give what the last call of a model said, where the trace holds texts at all."""
    for span in reversed(models):
        said = _attribute(span, _ANSWER)
        if isinstance(said, str) and said:
            return said
        text = _message(span.attributes.get("gen_ai.output.messages"))
        if text:
            return text
    return None


def _message(messages: object) -> str | None:
    """Read the text of the conventions' output messages, which may be JSON in a text."""
    value: Any = arguments_of(f'{{"all": {messages}}}') if isinstance(messages, str) else messages
    held = value.get("all") if isinstance(value, dict) else value
    parts = [
        part
        for message in (held if isinstance(held, list) else ())
        if isinstance(message, dict)
        for part in (message.get("parts") or ())
        if isinstance(part, dict)
    ]
    texts = [str(part.get("content") or "") for part in parts if part.get("type") == "text"]
    return "\n".join(texts) or None


def _attribute(span: Span, names: Sequence[str]) -> Any:  # noqa: ANN401 - a JSON value
    """Give the first of some attributes that is there."""
    return next((span.attributes[name] for name in names if name in span.attributes), None)


def _first_of(spans: Sequence[Span], names: Sequence[str]) -> object:
    """Give the first name that any span carries, whichever span that is."""
    for name in names:
        for span in spans:
            value = span.attributes.get(name) or span.resource.get(name)
            if value:
                return value
    return None


def _only(spans: Sequence[Span], names: Sequence[str]) -> str | None:
    values = {_said(_attribute(span, names)) for span in spans}
    return values.pop() if len(values) == 1 else None


def _said(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


OTEL = Importer("otel", "traces of an agent", is_trace, read, in_lines=True)
