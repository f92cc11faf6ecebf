"""A band that uses every field, as a grown policy does."""

FULL_BAND = """\
band_version: 7
approved_by: platform-owner
approved_on: 2026-03-02
fields:
  text_similarity:
    threshold: 0.92
    scorer: lexical-indel@1
    classes:
      formatting: 0
      refusal: 0.97
      answers: 0.93
      long-answers: 0.91
    calibrated_on: 200 judged-equivalent edits
  facts: kept
  required_keys: [answer, sources, order_id, refund_id]
  optional_keys: allowed
  tool_order: same_unless_idempotent
  arguments:
    issue_refund:
      order_id: exact
      amount: exact
      note: similar(0.85)
      reason: normalised
    send_mail:
      to: exact
      subject: similar(0.90)
      body: {rule: similar(0.80), tolerance: 0.5}
    lookup_order:
      order_id: exact
      depth: {rule: normalised, tolerance: 1}
  latency_ms_p50:
    warn: 1.5x
    fail: 3.0x
  latency_ms_p95: 4.0x
  token_ratio:
    min: 0.7
    max: 1.4
  tool_calls_ratio: 1.5
grades:
  latency_ms_p50: warn
  token_ratio: warn
comparability:
  minimum: partially comparable
  varies: [prompt_template_version]
repeats: 3
sample_min: 30
routing:
  base: 0
  crossing_weight: 1
  criticality: {normal: 1, critical: 10}
  shortfall_weight: 1
  nondeterminism_penalty: 2
  fast_review_from: 1
  full_gate_from: 10
waivers:
  required_evidence: [fixture_id, field, measured, band, reason, change_link]
  max_days: 30
  max_renewals: 2
  max_open: 10
  approver: reviewer
drift:
  z_max: 3
  jaccard_min: 0.5
  warmup_sessions: 10
"""


def band(number: int) -> str:
    """Write the band of one of many agents; no two have the same bytes."""
    return FULL_BAND.replace("threshold: 0.92", f"threshold: 0.{900_000 + number}")
