"""A verified history as JSON that other programs may rely on, and its schema."""

from agentpolicy.base.instant import format_instant
from agentpolicy.report.history import History, Unusable
from agentpolicy.report.problems_json import problems_json

FORMAT_VERSION = 1


def history_json(history: History) -> dict[str, object]:
    """Write what was verified, in the shape of `verify-history.schema.json`."""
    return {
        "format_version": FORMAT_VERSION,
        "verified": history.stands and history.log_known,
        "ref": history.ref,
        "begin": history.begin,
        "tip": history.tip,
        "commits": history.commits,
        "unusable": [_unusable(one) for one in history.unusable],
        "verdicts_known": history.log_known,
        "pin": str(history.raising.pin),
        "pin_held_back": history.raising.held_back or None,
    }


def _unusable(one: Unusable) -> dict[str, object]:
    return {
        "commits": list(one.commits),
        "problems": problems_json(one.admission.problems),
        "closed_by": one.closing.commit if one.closing else None,
        "restored": one.closing.restored if one.closing else None,
        "verdicts": [
            {
                "verdict": found.verdict,
                "commit": found.statement.policy.commit,
                "decision": str(found.statement.decision),
                "evaluated_at": format_instant(found.statement.evaluated_at),
                "person": found.logged.person,
            }
            for found in one.verdicts
        ],
    }


def history_schema() -> dict[str, object]:
    """Give the schema (draft-07) of the answer of `verify-history`."""
    text, count = {"type": "string"}, {"type": "integer", "minimum": 0}
    maybe = {"type": ["string", "null"]}
    oid = {"type": "string", "pattern": "^([0-9a-f]{40}|[0-9a-f]{64})$"}
    place = _object({"path": text, "line": count, "column": count})
    problem = _object(
        {
            "code": text,
            "document": text,
            "message": text,
            "hint": text,
            "location": {"anyOf": [place, {"type": "null"}]},
        }
    )
    verdict = _object(
        {"verdict": text, "commit": oid, "decision": text, "evaluated_at": text, "person": text}
    )
    unusable = _object(
        {
            "commits": {"type": "array", "items": oid, "minItems": 1},
            "problems": {"type": "array", "items": problem, "minItems": 1},
            "closed_by": {"anyOf": [oid, {"type": "null"}]},
            "restored": {"type": ["boolean", "null"]},
            "verdicts": {"type": "array", "items": verdict},
        }
    )
    answer = _object(
        {
            "format_version": {"const": FORMAT_VERSION},
            "verified": {"type": "boolean"},
            "ref": text,
            "begin": oid,
            "tip": oid,
            "commits": count,
            "unusable": {"type": "array", "items": unusable},
            "verdicts_known": {"type": "boolean"},
            "pin": text,
            "pin_held_back": maybe,
        }
    )
    title = "agentpolicy verify-history"
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": title, **answer}


def _object(properties: dict[str, object]) -> dict[str, object]:
    """Ask for at least these keys; others may come to stand beside them."""
    return {"type": "object", "properties": properties, "required": sorted(properties)}
