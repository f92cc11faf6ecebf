"""What a run record says of the circumstances it was made under."""

from collections.abc import Mapping

from agentpolicy.runs.json_text import json_text
from agentpolicy.runs.record import RunRecord

CASE = "test_case_id"
COHORT = "cohort_id"
PROMPT = "prompt_template_version"
TOOLS = "available_tools_commitment"
MODEL = "resolved_model"
FIELDS = (
    COHORT, CASE, PROMPT, "input_commitment", "tool_output_commitment", TOOLS, "requested_model",
    MODEL, "sdk_version", "sampling", "system_fingerprint", "contract_digest",
)  # fmt: skip
"""Identity and commitments. How a run finished is an outcome, not a circumstance."""


def provenance_of(run: RunRecord) -> Mapping[str, str]:
    """Read the fields a record carries, each as one text; those it lacks are left out."""
    found = {}
    for name in FIELDS:
        value = getattr(run, name)
        if value is not None:
            found[name] = value if isinstance(value, str) else json_text(value)
    return found
