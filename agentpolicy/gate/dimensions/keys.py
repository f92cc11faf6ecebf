"""Keys of the structured output: which must be there, and which may be."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import UNSET

from agentpolicy.documents.models.band import BandFields
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.finding import Finding
from agentpolicy.gate.pairing import Fixture
from agentpolicy.runs.evidence import Evidence


def paths(output: object, *, everywhere: bool) -> frozenset[str]:
    """List the keys of an output as JSON pointers, `*` standing for the items of an array.

    With `everywhere` a key below an array is listed only if every item has it; else if any has.
    """
    if isinstance(output, Mapping):
        found = set()
        for key, value in output.items():
            step = "/" + key.replace("~", "~0").replace("/", "~1")
            found.add(step)
            found.update(step + below for below in paths(value, everywhere=everywhere))
        return frozenset(found)
    if isinstance(output, Sequence) and not isinstance(output, str) and output:
        items = [paths(item, everywhere=everywhere) for item in output]
        shown = frozenset.intersection(*items) if everywhere else frozenset[str]().union(*items)
        return frozenset("/*" + below for below in shown)
    return frozenset()


def judge(fields: BandFields, fixture: Fixture) -> Iterator[Finding]:
    """Judge required and optional keys of every attempt, each by itself."""
    for attempt in fixture.attempts:
        if fields.required_keys is not None:
            yield _required(fields.required_keys, fixture, attempt)
        if fields.optional_keys == "forbidden":
            yield _optional(fixture, attempt)


def _required(rule: str | tuple[str, ...], fixture: Fixture, attempt: Evidence) -> Finding:
    """Look for each required key. `exact` requires what every reference output has.

    A reference output that was not recorded might lack any key, so it can only take keys off.
    """
    limit = rule if isinstance(rule, str) else ", ".join(rule)
    certain = True
    if isinstance(rule, tuple):
        needed = frozenset(name if name.startswith("/") else f"/{name}" for name in rule)
    else:
        known, certain = _references(fixture, everywhere=True)
        if not known:
            return _finding("required_keys", fixture, attempt, None, limit)
        needed = frozenset.intersection(*known)
    if attempt.output is UNSET:
        return _finding("required_keys", fixture, attempt, None if needed else (), limit)
    absent = sorted(needed - paths(attempt.output, everywhere=True))
    return _finding(
        "required_keys", fixture, attempt, absent if certain or not absent else None, limit
    )


def _optional(fixture: Fixture, attempt: Evidence) -> Finding:
    """Look for keys that no reference output has; which keys are required plays no part."""
    known, certain = _references(fixture, everywhere=False)
    if attempt.output is UNSET:
        return _finding("optional_keys", fixture, attempt, None, "forbidden")
    extra = sorted(paths(attempt.output, everywhere=False) - frozenset[str]().union(*known))
    return _finding(
        "optional_keys", fixture, attempt, extra if certain or not extra else None, "forbidden"
    )


def _references(fixture: Fixture, *, everywhere: bool) -> tuple[list[frozenset[str]], bool]:
    """Give the keys of each recorded reference output, and whether all were recorded."""
    outputs = [reference.output for reference in fixture.references]
    known = [paths(output, everywhere=everywhere) for output in outputs if output is not UNSET]
    return known, len(known) == len(outputs)


def _finding(
    field: str, fixture: Fixture, attempt: Evidence, wrong: Sequence[str] | None, limit: str
) -> Finding:
    """Word what was found; `wrong` is None where the evidence does not say."""
    word = "lacks" if field == "required_keys" else "has, unlike any reference,"
    if wrong is None:
        result, why = Decision.INCONCLUSIVE, "an output was not recorded"
    elif wrong:
        result, why = Decision.FAIL, f"the output {word} {', '.join(wrong)}"
    else:
        result, why = Decision.PASS, "the output's keys are inside"
    measured = None if wrong is None else ", ".join(wrong) or "none"
    return Finding(field, fixture.id, attempt.attempt, result, measured, limit, why)
