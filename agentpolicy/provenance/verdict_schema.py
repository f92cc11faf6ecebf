"""The JSON Schema of verdict statements, for programs that read them without this package.

`parse_verdict` is stricter: it also insists on the one spelling.
"""

from collections.abc import Mapping

from agentpolicy.gate.decision import Decision
from agentpolicy.provenance.verdict import FINDINGS, STATEMENT_TYPE, VERDICT_TYPE
from agentpolicy.provenance.verdict_parts import GATES, POLICY_STATES

_Schema = Mapping[str, object]

_TEXT: _Schema = {"type": "string"}
_MAYBE_TEXT: _Schema = {"type": ["string", "null"]}
_COUNT: _Schema = {"type": "integer", "minimum": 0}
_DIGEST: _Schema = {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}
_MAYBE_OID: _Schema = {
    "type": ["string", "null"],
    "pattern": "^([0-9a-f]{40}|[0-9a-f]{64})$",
}
_INSTANT: _Schema = {
    "type": "string",
    "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
}


def verdict_schema() -> dict[str, object]:
    """Give the schema (draft-07) of a verdict: an in-toto Statement with our predicate."""
    subject = _object(
        {
            "name": _TEXT,
            "digest": _object({"sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"}}),
        }
    )
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "agentpolicy verdict",
        **_object(
            {
                "_type": {"const": STATEMENT_TYPE},
                "subject": _list(subject, least=1),
                "predicateType": {"const": VERDICT_TYPE},
                "predicate": _predicate(),
            }
        ),
    }


def _predicate() -> _Schema:
    judged = {"gate": {"enum": list(GATES)}}
    names = ("agent", "task_type", "variant", "subject")
    return _object(
        {
            "judged": _object({**judged, **dict.fromkeys(names, _MAYBE_TEXT)}),
            "policy": _policy(),
            "evaluated_at": _INSTANT,
            "tool": _TEXT,
            "rule_set": _TEXT,
            "evidence": _list(_runs(), least=1),
            **{name: _FOUND[name] for name in FINDINGS},
            "details": {"type": "object"},
            "decision": {"enum": [str(decision) for decision in Decision]},
        }
    )


_FOUND: Mapping[str, _Schema] = {
    "comparability": {},
    "partition": {"type": ["object", "null"], "additionalProperties": _COUNT},
    "rates": {"type": ["object", "null"]},
    "checks": {"type": "array", "items": {"type": "object"}},
    "crossings": {"type": "array", "items": {"type": "object"}},
    "waivers": {"type": "array", "items": {"type": "object"}},
    "risk_score": {"type": ["string", "integer", "null"]},
    "route": _MAYBE_TEXT,
}


def _policy() -> _Schema:
    document = {
        "path": _TEXT,
        "blob": _MAYBE_OID,
        "sha256": _DIGEST,
        "version": _COUNT,
        "approvals": _list(_DIGEST),
    }
    return _object(
        {
            "repository": {"type": ["string", "null"], "pattern": "^[0-9a-f]{32}$"},
            "ref": _MAYBE_TEXT,
            "commit": _MAYBE_OID,
            "tree": _MAYBE_OID,
            "documents": _list(_object(document)),
            "state": {"enum": list(POLICY_STATES)},
            "confirmed_by": _MAYBE_TEXT,
        }
    )


def _runs() -> _Schema:
    return _object(
        {
            "part": _TEXT,
            "digest": _DIGEST,
            "runs": _COUNT,
            "importer": _TEXT,
            "missing": {"type": "object", "additionalProperties": _COUNT},
            "hand_set": _list(_TEXT),
            "unreadable": _COUNT,
        }
    )


def _object(properties: Mapping[str, object]) -> _Schema:
    """Ask for exactly these keys."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": sorted(properties),
        "additionalProperties": False,
    }


def _list(items: _Schema, *, least: int = 0) -> _Schema:
    return {"type": "array", "items": items, "minItems": least}
