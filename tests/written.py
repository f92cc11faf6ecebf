"""Policy documents as people write them, and what the reader says about a text."""

from collections.abc import Callable

import pytest
from agentpolicy.base.errors import InputError, Problem

BAND_PATH = "policies/bands/refund-agent.yaml"
BAND = """\
band_version: 7
approved_by: platform-owner
approved_on: 2026-03-02
fields:
  text_similarity:
    threshold: 0.92
    calibrated_on: 200 judged-equivalent edits
  required_keys: exact
  optional_keys: allowed
  tool_order: same_unless_idempotent
  latency_ms_p50:
    warn: 1.5x
    fail: 3.0x
  token_ratio:
    min: 0.7
    max: 1.4
waivers:
  required_evidence: [fixture_id, field, measured, band, reason, change_link]
"""
BUDGET_PATH = "policies/budgets/schedule-meeting.yaml"
BUDGET = """\
task_type: schedule_meeting
variant: multi_attendee_cross_tz
budget:
  steps:      { soft: 12,   hard: 25 }
  cost_usd:   { soft: 0.60, hard: 1.50 }
  latency_s:  { soft: 20,   hard: 60 }
  allowed_effects: ["calendar.create_event", "mail.reply", "mail.send_invite"]
gate:
  per_run:      "hard breach fails the run"
  aggregate:
    amber_rate_max: 0.15      # runs between soft and hard
    p95_cost_usd:   0.75
    pass_rate_min:  0.90
  unsafe_action_rate_max: 0.0
declared: 2025-02-11
review: quarterly, or on any change to the tool set
"""
TOOLS_PATH = "policies/tools.yaml"
TOOLS = """\
tools_version: 1
tools:
  calendar.search: {effect: read, idempotent: true}
  mail.reply: {effect: write, requires: [calendar.search]}
"""
WAIVER_PATH = "policies/waivers/w-2026-014.yaml"
WAIVER = f"""\
id: w-2026-014
agent: refund-agent
field: text_similarity.threshold
cases:
  - {{fixture_id: refund-03, measured: 0.90}}
band: 0.92
verdict: sha256:{"0" * 64}
reason: the new template says the same in fewer words
change_link: https://example.com/changes/1
owner: alice
granted_on: 2026-03-02
expires_on: 2026-03-30
"""


def problems(read: Callable[[str, bytes], object], text: str | bytes, path: str) -> list[Problem]:
    """Read a text that must be refused, and give every problem that is said about it."""
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(InputError) as refused:
        read(path, data)
    return list(refused.value.problems)


def places(found: list[Problem]) -> list[tuple[str, int, int]]:
    """Give the code, line and column of each problem; each must have a place and a hint."""
    assert all(problem.hint for problem in found)
    positions = [problem.position for problem in found]
    return [
        (problem.code, position.line, position.column)
        for problem, position in zip(found, positions, strict=True)
        if position is not None
    ]
