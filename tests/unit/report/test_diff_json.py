import json
from dataclasses import replace
from decimal import Decimal

from agentpolicy.base.source import Position
from agentpolicy.order.classify import classify
from agentpolicy.report.diff_json import diff_json
from agentpolicy.report.diff_view import DiffView, NeededApproval
from tests.policies import SCHEMAS, document, snapshot

BAND = "policies/bands/refund-agent.yaml"
POINTER = "/fields/text_similarity/threshold"


def view() -> DiffView:
    old, new = (
        document(BAND, {"fields": {"text_similarity": {"threshold": Decimal(limit)}}})
        for limit in ("0.94", "0.90")
    )
    old = replace(old, positions={POINTER: Position(BAND, 5, 16)})
    new = replace(new, positions={POINTER: Position(BAND, 6, 16)})
    needed = (NeededApproval(BAND, "platform-owner"), NeededApproval(BAND, "agent-owner"))
    return DiffView(classify(snapshot(old), snapshot(new), SCHEMAS), needed)


def test_the_published_keys_are_written() -> None:
    written = diff_json(view())
    published = {
        "format_version": 1,
        "class": "looser",
        "approvals_needed": ["agent-owner", "platform-owner"],
        "documents": 1,
    }
    assert {key: written[key] for key in published} == published


def test_a_finding_has_exactly_the_published_values() -> None:
    (finding,) = json.loads(json.dumps(diff_json(view())))["findings"]
    published = {
        "rule": "band/text-threshold",
        "effect": "looser",
        "document": BAND,
        "pointer": POINTER,
        "old": "0.94",
        "new": "0.9",
        "location": {"path": BAND, "line": 6, "column": 16},
        "why": "0.9 is lower than 0.94: a run that was refused can be accepted now",
        "witness": None,
    }
    assert {key: finding[key] for key in published} == published
    assert finding["old_location"] == {"path": BAND, "line": 5, "column": 16}


def test_a_change_has_the_class_and_the_approvals_of_its_document() -> None:
    written = json.loads(json.dumps(diff_json(view())))
    (change,) = written["changes"]
    assert change["class"] == "looser"
    assert change["operation"] == "modify"
    assert change["approvals_needed"] == ["platform-owner", "agent-owner"]


def test_what_has_no_place_has_no_location() -> None:
    old, new = snapshot(guarded={"ci.yml": "sha256:a"}), snapshot(guarded={"ci.yml": "sha256:b"})
    written = json.loads(json.dumps(diff_json(DiffView(classify(old, new, SCHEMAS)))))
    assert written["findings"][0]["location"] is None
    assert written["findings"][0]["effect"] == "root"
