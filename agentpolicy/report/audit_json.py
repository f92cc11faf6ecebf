"""Answers about the verdict log as JSON that other programs may rely on (DESIGN section 11)."""

from agentpolicy.base.instant import format_instant
from agentpolicy.provenance.log import VerifiedLog
from agentpolicy.provenance.query import Answer, Found
from agentpolicy.report.problems_json import problems_json

FORMAT_VERSION = 1


def query_json(answer: Answer) -> dict[str, object]:
    """Write the verdicts that were found; `complete` false means there may be others."""
    return {
        "format_version": FORMAT_VERSION,
        "complete": answer.complete,
        "verdicts": [_verdict(found) for found in answer.verdicts],
        **_troubles(answer.log),
    }


def verify_json(log: VerifiedLog, standing: str) -> dict[str, object]:
    """Write what is known of the log as a whole."""
    return {
        "format_version": FORMAT_VERSION,
        "result": standing,
        "complete": log.complete,
        "segments": log.segments,
        "records": len(log.records),
        "state": log.state,
        **_troubles(log),
    }


def _verdict(found: Found) -> dict[str, object]:
    statement, logged = found.statement, found.logged
    judged, policy = statement.judged, statement.policy
    return {
        "verdict": found.verdict,
        "commit": policy.commit,
        "ref": policy.ref,
        "state": policy.state,
        "decision": str(statement.decision),
        "gate": judged.gate,
        "agent": judged.agent,
        "task_type": judged.task_type,
        "variant": judged.variant,
        "subject": judged.subject,
        "evaluated_at": format_instant(statement.evaluated_at),
        "documents": [
            {"path": document.path, "version": document.version, "sha256": document.sha256}
            for document in policy.documents
        ],
        "person": logged.person,
        "key": logged.key,
        "self_judged": logged.self_judged,
        "position": logged.position,
        "log_commit": logged.commit,
    }


def _troubles(log: VerifiedLog) -> dict[str, object]:
    """Write what keeps the answer from being whole, tampering first, then what was skipped."""
    return {
        "problems": problems_json((*log.tampered, *log.unknown)),
        "foreign": problems_json(log.foreign),
    }
