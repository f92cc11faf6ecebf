"""The policy files of the guided run, as their people write them."""

from collections.abc import Mapping

BAND = """\
band_version: 1
fields:
  text_similarity:
    threshold: 0.92      # how alike an answer must be to the accepted one
  required_keys: exact
  tool_order: same_unless_idempotent
  token_ratio:
    min: 0.7
    max: 1.4             # tokens used, against the accepted version
  latency_ms_p50:
    fail: 3.0x
waivers:
  required_evidence: [fixture_id, field, measured, band, reason, change_link]
"""
BUDGET = """\
task_type: schedule_meeting
variant: multi_attendee_cross_tz
budget:
  steps:     { soft: 12,   hard: 25 }
  cost_usd:  { soft: 0.60, hard: 1.50 }
  latency_s: { soft: 20,   hard: 60 }
  allowed_effects: [calendar.create_event, mail.send_invite]
gate:
  per_run: hard breach fails the run
  aggregate:
    amber_rate_max: 0.15   # share of runs past a soft limit
    p95_cost_usd: 0.75
    pass_rate_min: 0.90
  unsafe_action_rate_max: 0
"""
TOOLS = """\
tools_version: 1
tools:
  calendar.search:       {effect: read, idempotent: true}
  calendar.create_event: {effect: write}
  mail.send_invite:      {effect: write}
  mail.reply:            {effect: write}
  orders.lookup:         {effect: read, idempotent: true}
  policy.search:         {effect: read, idempotent: true}
  refunds.create:        {effect: write, requires: [orders.lookup]}
"""

BAND_PATH = "policies/bands/refund-agent.yaml"
BUDGET_PATH = "policies/budgets/schedule-meeting.yaml"
FIRST_POLICY: Mapping[str, str] = {
    BAND_PATH: BAND,
    BUDGET_PATH: BUDGET,
    "policies/tools.yaml": TOOLS,
}
"""What the first commit holds beside the trust root, by path."""
