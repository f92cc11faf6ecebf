"""Spans of traces, whatever wraps them: OTLP, Tempo and Jaeger JSON, and flat lists of spans."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from agentpolicy.base.source import Position
from agentpolicy.loading.runs_json import refuse

_RESOURCES = ("resourceSpans", "batches")
_WHOLE = re.compile("-?[0-9]{1,40}")
_DIGITS = 20
"""Nanoseconds since the epoch have 19; more is no time anybody measured."""
_SCOPES = ("scopeSpans", "instrumentationLibrarySpans")


@dataclass(frozen=True, slots=True)
class Span:
    """One span. Times are nanoseconds since the epoch; ids are the texts they were written as."""

    trace: str
    id: str
    parent: str
    """Empty where it has none."""
    name: str
    begun: int
    ended: int
    attributes: Mapping[str, Any]
    failed: bool = False
    resource: Mapping[str, Any] = field(default_factory=dict)


def is_trace(value: object) -> bool:
    """Say whether a JSON value wraps spans."""
    if not isinstance(value, dict):
        return False
    if any(name in value for name in _RESOURCES):
        return True
    inner = value.get("data") or value.get("spans")
    first = inner[0] if isinstance(inner, list) and inner else None
    return isinstance(first, dict) and ("traceID" in first or "trace_id" in first)


def spans_of(at: Position, value: object) -> Iterator[Span]:
    """Unwrap every span of one JSON value.

    Raises:
        InputError: what stands where a span should is none, or its time runs backwards.
    """
    for span in _unwrapped(at, value):
        if span.ended < span.begun:
            words = f"span {span.id!r} ends before it begins"
            refuse(at, words, "look at the clocks of what wrote this trace")
        yield span


def _unwrapped(at: Position, value: object) -> Iterator[Span]:
    if not isinstance(value, dict):
        refuse(at, "this is no trace", "export the traces as JSON")
    for name in _RESOURCES:
        for resource in _list(at, value.get(name)):
            shared = _attributes(_object(resource.get("resource")).get("attributes"))
            for scopes in _SCOPES:
                for scope in _list(at, resource.get(scopes)):
                    for span in _list(at, scope.get("spans")):
                        yield _otlp(at, span, shared)
    for trace in _list(at, value.get("data")):
        for span in _list(at, trace.get("spans")):
            yield _jaeger(at, span)
    for span in _list(at, value.get("spans")):
        yield _flat(at, span)


def _list(at: Position, value: object) -> Iterable[dict[str, Any]]:
    """Give a list of objects; what is absent holds none."""
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        refuse(at, "a trace holds something else than spans", "export the traces as JSON")
    return value


def _object(value: object) -> Mapping[str, Any]:
    """Give an object; anything else says nothing."""
    return value if isinstance(value, dict) else {}


def _otlp(at: Position, span: Mapping[str, Any], shared: Mapping[str, Any]) -> Span:
    status = _object(span.get("status"))
    return Span(
        trace=_text(at, span, "traceId"),
        id=_text(at, span, "spanId"),
        parent=str(span.get("parentSpanId") or ""),
        name=str(span.get("name") or ""),
        begun=_number(at, span.get("startTimeUnixNano")),
        ended=_number(at, span.get("endTimeUnixNano")),
        attributes=_attributes(span.get("attributes")),
        failed=status.get("code") in (2, "STATUS_CODE_ERROR"),
        resource=shared,
    )


def _jaeger(at: Position, span: Mapping[str, Any]) -> Span:
    tags = {
        str(tag.get("key")): tag.get("value") for tag in _list(at, span.get("tags"))
    }  # a value is what it is; `type` only repeats it
    begun = _number(at, span.get("startTime")) * 1000
    parents = [
        str(one.get("spanID"))
        for one in _list(at, span.get("references"))
        if one.get("refType", "CHILD_OF") == "CHILD_OF"
    ]
    return Span(
        trace=_text(at, span, "traceID"),
        id=_text(at, span, "spanID"),
        parent=parents[0] if parents else str(span.get("parentSpanID") or ""),
        name=str(span.get("operationName") or ""),
        begun=begun,
        ended=begun + _number(at, span.get("duration")) * 1000,
        attributes=tags,
        failed=tags.get("error") in (True, "true") or tags.get("otel.status_code") == "ERROR",
    )


def _flat(at: Position, span: Mapping[str, Any]) -> Span:
    attributes = span.get("attributes")
    status = span.get("status") or {}
    code = status.get("code") or status.get("status_code") if isinstance(status, dict) else status
    return Span(
        trace=_text(at, span, "trace_id"),
        id=_text(at, span, "span_id"),
        parent=str(span.get("parent_span_id") or span.get("parent_id") or ""),
        name=str(span.get("name") or ""),
        begun=_number(at, span.get("start_time_unix_nano")),
        ended=_number(at, span.get("end_time_unix_nano")),
        attributes=attributes if isinstance(attributes, dict) else {},
        failed=code in (2, "ERROR", "STATUS_CODE_ERROR"),
    )


def _attributes(pairs: object) -> dict[str, Any]:
    """Read OTLP's list of keys and typed values."""
    if not isinstance(pairs, list):
        return {}
    return {
        str(pair.get("key")): _value(pair.get("value")) for pair in pairs if isinstance(pair, dict)
    }


def _value(value: object) -> Any:  # noqa: ANN401 - a JSON value
    """Read one typed value; integers are written as text."""
    if not isinstance(value, dict):
        return value
    for kind, one in value.items():
        if kind == "intValue":
            return int(one) if isinstance(one, str) and _WHOLE.fullmatch(one) else one
        if kind == "arrayValue":
            held = _object(one).get("values")
            return [_value(item) for item in held] if isinstance(held, list) else []
        if kind == "kvlistValue":
            return _attributes(_object(one).get("values"))
        return one
    return None


def _text(at: Position, span: Mapping[str, Any], key: str) -> str:
    value = span.get(key)
    if not isinstance(value, str) or not value:
        refuse(at, f"a span has no {key}", "export the traces as JSON")
    return value


def _number(at: Position, value: object) -> int:
    """Read a time, written as a number or as text."""
    text = str(value)
    if isinstance(value, Decimal):
        text = str(int(value))
    if not _WHOLE.fullmatch(text) or text.startswith("-") or len(text) > _DIGITS:
        refuse(at, f"{value!r} is no time of a span", "export the traces as JSON")
    return int(text)
