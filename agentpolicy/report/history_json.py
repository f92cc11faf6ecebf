"""A verified history as JSON that other programs may rely on, and its schema."""

from agentpolicy.base.instant import format_instant
from agentpolicy.report.history import History, Unusable
from agentpolicy.report.problems_json import problems_json

FORMAT_VERSION = 1


def history_json(history: History) -> dict[str, object]:
    """Write what was verified, in the shape of `output/verify-history.schema.json`."""
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
